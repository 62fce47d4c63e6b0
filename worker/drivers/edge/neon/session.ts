/** A line to one database at Neon. */

import { isRead } from '../../../../dialects/postgres/admit.ts';
import { inspectTables } from '../../../../dialects/postgres/inspect.ts';
import type {
  Call,
  ConnectionEnvelope,
  InspectedTables,
  InspectPage,
  Mode,
  ResultBytes,
  Session,
} from '../../../../proto/driver.ts';
import type { PostgresRequest } from '../../../../proto/kinds/postgres.ts';
import type { EdgeHost } from '../driver.ts';
import { Database } from './database.ts';
import { toldFailure } from './failures.ts';
import { runRequest } from './run.ts';
import { runTransaction } from './transact.ts';

/** What a page of tables may come to as it arrives, in bytes. */
const PAGE_MAX_BYTES = 10 * 1024 * 1024;

/** Safe for concurrent calls: each trip is whole by itself. */
export class NeonSession implements Session<PostgresRequest> {
  readonly #database: Database;

  /** @throws GatewayError INVALID_CONFIGURATION */
  constructor(envelope: ConnectionEnvelope, host: EdgeHost) {
    this.#database = new Database(envelope, host);
  }

  run(request: PostgresRequest, call: Call): Promise<ResultBytes> {
    const mode = isRead(request, call.mode) ? 'read' : 'write';
    return told(mode, () => runRequest(this.#database, request, call));
  }

  transact(requests: readonly PostgresRequest[], call: Call): Promise<ResultBytes> {
    return told('write', () => runTransaction(this.#database, requests, call));
  }

  inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    const { types } = this.#database;
    const asks = {
      catalog: this.#database.catalog(call, PAGE_MAX_BYTES),
      types: this.#database.rows(call),
    };
    return told('read', () => inspectTables(asks, types, page, call.resultMaxBytes));
  }

  ping(call: Call): Promise<number> {
    return told('read', async () => {
      const start = performance.now();
      await this.#database.alone({ text: 'SELECT 1' }, call);
      return performance.now() - start;
    });
  }

  async close(): Promise<void> {}
}

async function told<Value>(mode: Mode, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw toldFailure(error, mode);
  }
}
