/** Connections that have prepared a share: a process that finishes it soon does so on the same one, without a login. */
import type { Traces } from '../lender.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** Milliseconds for which one is kept. Another relay that is to finish the share ends it before. Spec silent. */
const HELD_MS = 1_000;
/** Likewise while others wait for a connection; a login takes as long as the work of several shares. Spec silent. */
const CONTENDED_MS = 100;

/** One that is kept. */
interface HeldConnection {
  readonly connection: Connection;
  /** What each operation of its share has left on it. */
  readonly left: readonly Traces[];
  readonly timer: NodeJS.Timeout;
}

/** Those of one pool, by the names of what they prepared. */
export class HeldConnections {
  readonly #database: Database;
  readonly #held = new Map<string, HeldConnection>();
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Keeps a connection for a moment, a shorter one while others wait; false when it was stopped, so that it is to be closed. */
  keep(name: string, connection: Connection, left: readonly Traces[]): boolean {
    if (this.#closed || connection.interrupted) return false;
    const heldMs = this.#database.contended ? CONTENDED_MS : HELD_MS;
    const timer = setTimeout(() => this.#drop(name), heldMs).unref();
    this.#held.set(name, { connection, left, timer });
    return true;
  }

  /** The connection that prepared it, for the caller to give back. */
  take(name: string): Omit<HeldConnection, 'timer'> | undefined {
    const held = this.#held.get(name);
    if (held === undefined) return undefined;
    this.#held.delete(name);
    clearTimeout(held.timer);
    const { wire, interrupted } = held.connection;
    if (wire.lost === undefined && !interrupted) return held;
    this.#database.discard(held.connection);
    return undefined;
  }

  /** Ends all, and keeps none any more. */
  close(): void {
    this.#closed = true;
    for (const name of [...this.#held.keys()]) this.#drop(name);
  }

  #drop(name: string): void {
    const held = this.take(name);
    if (held) this.#database.discard(held.connection);
  }
}
