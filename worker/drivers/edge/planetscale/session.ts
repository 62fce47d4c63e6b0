/** A line to one database at PlanetScale. */
import { isRead } from '../../../../dialects/mysql/admit.ts';
import { inspectTables } from '../../../../dialects/mysql/inspect.ts';
import type {
  Call,
  ConnectionEnvelope,
  InspectedTables,
  InspectPage,
  Mode,
  ResultBytes,
  Session,
} from '../../../../proto/driver.ts';
import type { MysqlRequest } from '../../../../proto/kinds/mysql.ts';
import type { EdgeHost } from '../driver.ts';
import { Database } from './database.ts';
import { toldFailure } from './failures.ts';
import { runRequest } from './run.ts';
import { runTransaction } from './transact.ts';

/** What a page of tables may come to as it arrives, in bytes. */
const PAGE_MAX_BYTES = 10 * 1024 * 1024;

/** Safe for concurrent calls: each has a line of its own. */
export class PlanetScaleSession implements Session<MysqlRequest> {
  readonly #database: Database;

  /** @throws GatewayError INVALID_CONFIGURATION */
  constructor(envelope: ConnectionEnvelope, host: EdgeHost) {
    this.#database = new Database(envelope, host);
  }

  run(request: MysqlRequest, call: Call): Promise<ResultBytes> {
    const mode = isRead(request, call.mode) ? 'read' : 'write';
    return told(mode, () => runRequest(this.#database, request, call));
  }

  transact(requests: readonly MysqlRequest[], call: Call): Promise<ResultBytes> {
    return told('write', () => runTransaction(this.#database, requests, call));
  }

  inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    return told('read', () => inspectTables(this.#database.rows(call, PAGE_MAX_BYTES), page));
  }

  ping(call: Call): Promise<number> {
    return told('read', async () => {
      const start = performance.now();
      await this.#database.line(call).send('SELECT 1');
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
