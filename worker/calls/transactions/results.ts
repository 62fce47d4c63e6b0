/** Results of a transaction as they come: together they are no larger than one result may be. */
import { atOperation } from '../../../kinds/transaction.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Owner } from '../../limits/heavy-work.ts';
import type { Bytes } from '../../outcome.ts';
import { gather } from '../gather.ts';

export class Results {
  readonly #of: Owner;
  readonly #most: number;
  #left: number;
  /** JSON of each result, by place. */
  readonly #texts = new Map<number, string>();

  /** @param of whose results they are @param most bytes of all together. As for the operations of one endpoint: contract §6, "Transactions" */
  constructor(of: Owner, most: number) {
    this.#of = of;
    this.#most = most;
    this.#left = most - '[]'.length;
  }

  /** Bytes that are left for those that come. */
  get left(): number {
    return Math.max(this.#left, 0);
  }

  /** JSON of one; undefined before it has come. */
  at(place: number): string | undefined {
    return this.#texts.get(place);
  }

  /** JSON array of all. */
  all(): string {
    const places = [...this.#texts].sort(([one], [other]) => one - other);
    return `[${places.map(([, text]) => text).join(',')}]`;
  }

  /** Keeps one that has been counted. */
  put(place: number, text: string): void {
    this.#texts.set(place, text);
  }

  /** Takes in the results of one call, and counts them as they come. @throws GatewayError RESULT_TOO_LARGE naming an operation */
  gather(place: number, bytes: Bytes): Promise<string> {
    return gather(this.#of, bytes, (more) => this.count(place, more));
  }

  /** Counts bytes of a result. @throws GatewayError RESULT_TOO_LARGE naming the operation */
  count(place: number, bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    atOperation(place, () => {
      const most = `The results of a transaction are at most ${this.#most} bytes together`;
      throw new GatewayError('RESULT_TOO_LARGE', `${most}; ask for less`);
    });
  }
}
