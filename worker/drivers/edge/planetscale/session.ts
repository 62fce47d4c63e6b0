/** A line to one database at PlanetScale. */
import { isRead } from '../../../../kinds/mysql/dialect/admit.ts';
import { inspectTables } from '../../../../kinds/mysql/dialect/inspect.ts';
import type { MysqlRequest } from '../../../../kinds/mysql/index.ts';
import type { ConnectionEnvelope } from '../../../../proto/driver.ts';
import type { EdgeHost } from '../driver.ts';
import type { SqlSession } from '../sql/late-session.ts';
import { PAGE_MAX_BYTES, sessionOf } from '../sql/session.ts';
import { Database } from './database.ts';
import { toldFailure } from './failures.ts';
import { runRequest } from './run.ts';
import { runTransaction } from './transact.ts';

/** Safe for concurrent calls: each has a line of its own. @throws GatewayError INVALID_CONFIGURATION */
export function planetScaleSession(
  envelope: ConnectionEnvelope,
  host: EdgeHost,
): SqlSession<MysqlRequest> {
  const database = new Database(envelope, host);
  return sessionOf({
    isRead,
    run: (request, call) => runRequest(database, request, call),
    transact: (requests, call) => runTransaction(database, requests, call),
    inspect: (page, call) => inspectTables(database.rows(call, PAGE_MAX_BYTES), page),
    reach: (call) => database.line(call).send('SELECT 1'),
    told: toldFailure,
  });
}
