/** A line to one database at Neon. */

import { openPage } from '../../../../kinds/open-page.ts';
import { isRead } from '../../../../kinds/postgres/dialect/admit.ts';
import { inspectTables } from '../../../../kinds/postgres/dialect/inspect.ts';
import type { PostgresRequest } from '../../../../kinds/postgres/index.ts';
import type { ConnectionEnvelope } from '../../../../proto/driver.ts';
import type { EdgeHost } from '../driver.ts';
import { clientOf, PAGE_MAX_BYTES } from '../sql/client.ts';
import type { SqlClient } from '../sql/late-client.ts';
import { Database } from './database.ts';
import { toldFailure } from './failures.ts';
import { runRequest } from './run.ts';
import { runTransaction } from './transact.ts';

/** Safe for concurrent calls: each trip is whole by itself. @throws GatewayError INVALID_CONFIGURATION */
export function neonClient(
  envelope: ConnectionEnvelope,
  host: EdgeHost,
): SqlClient<PostgresRequest> {
  const database = new Database(envelope, host);
  return clientOf({
    isRead,
    run: (request, call) => runRequest(database, request, call),
    transact: (requests, call) => runTransaction(database, requests, call),
    async inspect(page, call) {
      const asks = { catalog: database.catalog(call, PAGE_MAX_BYTES), types: database.rows(call) };
      const isOpen = await database.allowGuard?.openedTo(asks.types);
      return openPage(page, isOpen, (each) =>
        inspectTables(asks, database.types, each, call.resultMaxBytes),
      );
    },
    reach: (call) => database.alone({ text: 'SELECT 1' }, call),
    told: toldFailure,
  });
}
