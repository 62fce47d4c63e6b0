/** Several requests in one transaction. Contract §6, "Transactions". */

import { isRead, oneStatement } from '../../../kinds/mysql/dialect/admit.ts';
import { operationFrom, paramsWith } from '../../../kinds/mysql/dialect/operation.ts';
import { hasNames, type RowsRequest, valuesOf } from '../../../kinds/mysql/dialect/parameters.ts';
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import { checkEach, type OperationContext, runEach } from '../../../kinds/transaction.ts';
import { jsonList } from '../byte-text.ts';
import { attempt, type Done } from '../lender.ts';
import { admitted, demandOpen, type Execution, execute } from './execute.ts';
import { inTransaction } from './run.ts';
import { endedEarly, inTheSame } from './same-transaction.ts';

/** Runs all or none; the value is a JSON array of SQL results. @throws GatewayError with `operation` in its details */
export async function runTransaction(
  execution: Execution,
  requests: readonly MysqlRequest[],
): Promise<Done<Buffer>> {
  const operations = checkEach(requests, operationFrom);
  const results = await inTransaction(execution, 'START TRANSACTION', () =>
    runOperations(execution, operations),
  );
  return { value: jsonList('[', results, ']'), traces: 'some' };
}

/** Runs operations, which `operationFrom` has checked, in a transaction that is open. @throws GatewayError with `operation` in its details */
export function runOperations(
  execution: Execution,
  operations: readonly RowsRequest[],
): Promise<Buffer[]> {
  return runEach(execution.call, operations, (operation, turn) =>
    runOperation(execution, operation, turn),
  );
}

async function runOperation(
  execution: Execution,
  operation: RowsRequest,
  { call, point, budget }: OperationContext,
): Promise<Buffer> {
  const params = paramsWith(operation.params ?? [], point);
  const request = { ...operation, params } as RowsRequest; // The same shape with other values.
  const own = { ...execution, call };
  const { connection } = execution;
  return attempt(connection, 'write', call.signal, async () => {
    const parsed = oneStatement(request.query, hasNames(request), 'transaction');
    await demandOpen(own, parsed);
    if (isRead(request, 'write')) await admitted(own, parsed, true);
    const values = valuesOf(request, parsed);
    // Inside a transaction of its own, a read is kept from writing by the guard alone.
    const ready = { request, parsed, values, read: false };
    const result = await inTheSame(own, parsed, () => execute(own, ready, budget));
    if (!connection.wire.inTransaction) throw endedEarly();
    return result;
  });
}
