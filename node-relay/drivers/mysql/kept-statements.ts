/** The statements that one connection to a MySQL server keeps prepared. */

import { REMEMBERED_MAX_CHARACTERS } from '../../../kinds/mysql/dialect/statement.ts';
import type { Prepared } from './exchange.ts';
import { COMMAND, textCommand } from './packets.ts';
import { closeCommand } from './parameters.ts';
import type { Wire } from './wire.ts';

/** Statements at most: servers allow some ten thousand over all. */
const PREPARED_MAX = 100;

/** Those of one connection, by their texts; long texts are not kept. */
export class KeptStatements {
  readonly #wire: Wire;
  /** Least recently used first. */
  readonly #prepared = new Map<string, Prepared>();

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  has(text: string): boolean {
    return this.#prepared.has(text);
  }

  /** A prepared statement, kept for the next call. @param anew not the one that is kept @throws ServerError */
  async prepare(text: string, anew = false): Promise<Prepared> {
    const known = this.#prepared.get(text);
    if (known) {
      this.#prepared.delete(text);
      if (!anew) {
        this.#prepared.set(text, known);
        return known;
      }
      this.#wire.tell(closeCommand(known.id));
    }
    for (const [oldest, { id }] of this.#prepared) {
      if (this.#prepared.size < PREPARED_MAX) break;
      this.#prepared.delete(oldest);
      this.#wire.tell(closeCommand(id));
    }
    const prepared = await this.#wire.prepare(textCommand(COMMAND.prepare, text));
    if (text.length <= REMEMBERED_MAX_CHARACTERS) this.#prepared.set(text, prepared);
    return prepared;
  }

  /** Lets go of a statement that is not kept. */
  release(text: string, { id }: Prepared): void {
    if (text.length <= REMEMBERED_MAX_CHARACTERS) return;
    this.#wire.tell(closeCommand(id));
  }

  /** The server has forgotten them. */
  clear(): void {
    this.#prepared.clear();
  }
}
