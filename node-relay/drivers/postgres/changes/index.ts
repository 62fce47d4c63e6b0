/** Changes of a PostgreSQL database, by logical replication: a slot and publications for each endpoint. Spec: workflows.md §5, `dataChange`. */
import type {
  ChangeBatch,
  Changes,
  ChangesLag,
  ChangesRequest,
  PreparedChanges,
} from '../../../../proto/changes.ts';
import type { Call } from '../../../../proto/driver.ts';
import type { ConnectionPool, Host } from '../../driver.ts';
import { holdConnection } from '../../hold.ts';
import type { Connection, Recipe } from '../connection.ts';
import type { Database } from '../database.ts';
import { fromFailure } from '../errors.ts';
import { positionOf } from './position.ts';
import { drop, lag, prepare } from './prepare.ts';
import { connectForReplication, type Replication } from './replication.ts';
import { SlotReader } from './stream.ts';

/** The driver's ability to tell changes. */
export class PostgresChanges implements Changes {
  readonly #database: Database;
  readonly #host: Host;
  readonly #pool: ConnectionPool<Replication>;
  /** By slot: who reads it here. */
  readonly #readers = new Map<string, SlotReader>();

  constructor(database: Database, host: Host, recipe: Recipe) {
    this.#database = database;
    this.#host = host;
    this.#pool = host.pool<Replication>({
      open: (signal) => connectForReplication(recipe, signal),
      close: (replication) => replication.close(),
    });
  }

  async prepareChanges(request: ChangesRequest, call: Call): Promise<PreparedChanges> {
    const { allowGuard } = this.#database;
    // One that reads already reports them from the first change on.
    await this.#readers.get(request.slot)?.watch(request.collections);
    return this.#call(call, (connection) =>
      prepare(connection, { ...request, allowGuard }, async () => {
        if (this.#readers.has(request.slot)) return;
        this.#pool.discard(await this.#pool.acquire(call.signal));
      }),
    );
  }

  async *changes(
    request: ChangesRequest,
    position: string | undefined,
    call: Call,
  ): AsyncGenerator<ChangeBatch> {
    const from = position === undefined ? { whole: 0n } : positionOf(position);
    const end = holdConnection(this.#host);
    try {
      const replication = await this.#pool.acquire(call.signal);
      const { slot } = request;
      const reader = new SlotReader({ database: this.#database, replication, request, call });
      this.#readers.set(slot, reader);
      try {
        yield* reader.batches(from);
      } catch (cause) {
        throw fromFailure(cause, { mode: 'read', uncertain: false, signal: call.signal });
      } finally {
        if (this.#readers.get(slot) === reader) this.#readers.delete(slot);
        this.#pool.discard(replication);
      }
    } finally {
      end();
    }
  }

  acknowledgeChanges(slot: string, position: string): boolean {
    const reader = this.#readers.get(slot);
    reader?.acknowledge(positionOf(position));
    return reader !== undefined;
  }

  dropChanges(slot: string, call: Call): Promise<boolean> {
    return this.#call(call, (connection) => drop(connection, slot));
  }

  changesLag(slot: string, call: Call): Promise<ChangesLag> {
    return this.#call(call, (connection) => lag(connection, slot));
  }

  /** Ends connections that stream. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  #call<Value>(call: Call, work: (connection: Connection) => Promise<Value>): Promise<Value> {
    return this.#database.call('write', call.signal, async (connection) => ({
      value: await work(connection),
      traces: 'none',
    }));
  }
}
