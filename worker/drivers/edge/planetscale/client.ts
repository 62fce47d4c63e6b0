/** A line to one database at PlanetScale. */
import { isRead } from '../../../../kinds/mysql/dialect/admit.ts';
import { inspectTables } from '../../../../kinds/mysql/dialect/inspect.ts';
import type { MysqlRequest } from '../../../../kinds/mysql/index.ts';
import { openPage } from '../../../../kinds/open-page.ts';
import type { ConnectionEnvelope, InspectedTable } from '../../../../proto/driver.ts';
import type { EdgeHost } from '../driver.ts';
import { clientOf, PAGE_MAX_BYTES } from '../sql/client.ts';
import type { SqlClient } from '../sql/late-client.ts';
import { Database } from './database.ts';
import { toldFailure } from './failures.ts';
import { runRequest } from './run.ts';
import { runTransaction } from './transact.ts';

/** Safe for concurrent calls: each has a line of its own. @throws GatewayError INVALID_CONFIGURATION */
export function planetScaleClient(
  envelope: ConnectionEnvelope,
  host: EdgeHost,
): SqlClient<MysqlRequest> {
  const database = new Database(envelope, host);
  const { allowGuard } = database;
  // A connection has one database, which its settings do not name.
  const isOpen =
    allowGuard &&
    ((table: InspectedTable) =>
      allowGuard.opens(table) || allowGuard.opens({ ...table, namespace: '' }));
  return clientOf({
    isRead,
    run: (request, call) => runRequest(database, request, call),
    transact: (requests, call) => runTransaction(database, requests, call),
    inspect: (page, call) =>
      openPage(page, isOpen, (each) => inspectTables(database.rows(call, PAGE_MAX_BYTES), each)),
    reach: (call) => database.line(call).send('SELECT 1'),
    told: toldFailure,
  });
}
