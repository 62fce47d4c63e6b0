/** Several requests in one transaction, each told what those before it answered. Contract §6, "Transactions". */

import { isRead } from '../../../../kinds/mysql/dialect/admit.ts';
import { operationFrom, paramsWith } from '../../../../kinds/mysql/dialect/operation.ts';
import type { RowsRequest } from '../../../../kinds/mysql/dialect/parameters.ts';
import type { MysqlRequest } from '../../../../kinds/mysql/index.ts';
import { checkEach, runEach } from '../../../../kinds/transaction.ts';
import type { Call } from '../../../../proto/driver.ts';
import { listBytes } from '../sql/reply.ts';
import type { Database } from './database.ts';
import { inTransaction, ready, run } from './execute.ts';
import { toldFailure } from './failures.ts';

/** Runs all or none; the value is a JSON array of SQL results. @throws GatewayError with `operation` in its details */
export async function runTransaction(
  database: Database,
  requests: readonly MysqlRequest[],
  call: Call,
): Promise<Uint8Array> {
  const operations = checkEach(requests, operationFrom);
  const line = database.line(call);
  const results = await inTransaction(line, call, 'write', () =>
    runEach(call, operations, async (operation, turn) => {
      const params = paramsWith(operation.params ?? [], turn.point);
      const request = { ...operation, params } as RowsRequest; // The same shape with other values.
      turn.call.signal.throwIfAborted();
      const statement = await ready(
        database,
        request,
        isRead(request, 'write'),
        'transaction',
        turn.call,
      );
      try {
        return await within(turn.call.signal, run(line, statement, turn.call, turn.budget));
      } catch (error) {
        throw toldFailure(error, 'read');
      }
    }),
  );
  return listBytes('[', results, ']');
}

/** The line keeps the whole transaction's time; an operation may have less. */
function within<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop));
}
