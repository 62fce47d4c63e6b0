/** Changes of a MySQL or MariaDB database, by its binary log. Spec: workflows.md §5, `dataChange`. */
import { createHash } from 'node:crypto';
import { ServerError } from '../../../../kinds/mysql/dialect/failures.ts';
import type {
  ChangeBatch,
  Changes,
  ChangesLag,
  ChangesRequest,
  PreparedChanges,
} from '../../../../proto/changes.ts';
import type { Call } from '../../../../proto/driver.ts';
import { GatewayError } from '../../../../proto/errors.ts';
import type { Host } from '../../driver.ts';
import { holdConnection } from '../../hold.ts';
import type { Connection } from '../connection.ts';
import type { Database } from '../database.ts';
import { fromFailure } from '../errors.ts';
import { Binlog } from './binlog.ts';
import { lookUpTables } from './columns.ts';
import { beginOf, positionOf } from './position.ts';
import { currentPosition, prepare, serverId } from './prepare.ts';
import { LogReader } from './stream.ts';

/** The log no longer has that place. */
const GONE = 1236;
/** Milliseconds between two looks whether anybody still waits for the server's first word. */
const LOOK_MS = 5_000;

/** The driver's ability to tell changes. The server keeps nothing for an endpoint: its log is there anyway. */
export class MysqlChanges implements Changes {
  readonly #database: Database;
  readonly #host: Host;
  readonly #reading = new Set<string>();

  constructor(database: Database, host: Host) {
    this.#database = database;
    this.#host = host;
  }

  prepareChanges(request: ChangesRequest, call: Call): Promise<PreparedChanges> {
    return this.#call(call, (connection) =>
      prepare(connection, { ...request, allowGuard: this.#database.allowGuard }, async (from) => {
        // Another id than the reader's, which the server would end.
        const own = await this.#database.borrow(call.signal);
        try {
          const log = await Binlog.from(own, idOf(`${request.slot} asks`), beginOf(from));
          // It refuses, or says where its log begins: what follows that is not waited for, since it never ends.
          while ((await log.next(call.signal, LOOK_MS)) === undefined);
        } finally {
          own.cut();
          this.#database.discard(own);
        }
      }),
    );
  }

  async *changes(
    request: ChangesRequest,
    position: string | undefined,
    call: Call,
  ): AsyncGenerator<ChangeBatch> {
    const asked = position === undefined ? undefined : positionOf(position);
    const end = holdConnection(this.#host);
    try {
      const from = await this.#call(call, async (connection) => {
        if (asked === undefined) return currentPosition(connection);
        if ((await serverId(connection)) !== asked.server) throw gone(undefined);
        return asked;
      });
      const connection = await this.#database.borrow(call.signal);
      this.#reading.add(request.slot);
      try {
        const log = await Binlog.from(connection, idOf(request.slot), beginOf(from));
        const lookUp = () =>
          this.#call(call, (own) =>
            lookUpTables(own, { ...request, allowGuard: this.#database.allowGuard }),
          );
        yield* new LogReader({ log, request, call, lookUp }, from).batches();
      } catch (cause) {
        if (cause instanceof ServerError && cause.errno === GONE) throw gone(cause);
        throw fromFailure(cause, { mode: 'read', uncertain: false, signal: call.signal });
      } finally {
        this.#reading.delete(request.slot);
        connection.cut();
        this.#database.discard(connection);
      }
    } finally {
      end();
    }
  }

  /** Nothing is kept that could be forgotten. */
  acknowledgeChanges(slot: string): boolean {
    return this.#reading.has(slot);
  }

  async dropChanges(): Promise<boolean> {
    return false;
  }

  /** What is lost shows when a stream is asked to go on. */
  async changesLag(): Promise<ChangesLag> {
    return { bytes: 0, whole: true };
  }

  #call<Value>(call: Call, work: (connection: Connection) => Promise<Value>): Promise<Value> {
    return this.#database.call('write', call.signal, async (connection) => ({
      value: await work(connection),
      traces: 'none',
    }));
  }
}

/** In the upper half of ids, which people seldom give; the same for one endpoint, so that its next reader ends the one before. */
function idOf(slot: string): number {
  return (createHash('sha256').update(slot).digest().readUInt32LE(0) | 0x80_00_00_00) >>> 0;
}

function gone(cause: unknown): GatewayError {
  const message =
    'The server no longer has the changes that were not told: its binary log was purged (binlog_expire_logs_seconds), or it is another server than before';
  return new GatewayError('NOT_FOUND', message, { cause });
}
