/** Several requests in one transaction. Contract §6, "Transactions". */

import {
  isRead,
  oneStatement,
  operationFrom,
  type RowsRequest,
} from '../../../kinds/postgres/dialect/admit.ts';
import { parametersOf } from '../../../kinds/postgres/dialect/parameters.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import { checkEach, type OperationContext, runEach } from '../../../kinds/transaction.ts';
import { jsonList } from '../byte-text.ts';
import { attempt, type Done } from '../lender.ts';
import { type Admitted, admitted, isWatched } from './admission.ts';
import { bound } from './bound.ts';
import { type Execution, execute } from './execute.ts';
import { paramsWith } from './params-with.ts';
import { inTransaction } from './several.ts';

/** Runs all or none; the value is a JSON array of SQL results. @throws GatewayError with `operation` in its details */
export async function runTransaction(
  execution: Execution,
  requests: readonly PostgresRequest[],
): Promise<Done<Buffer>> {
  const operations = checkEach(requests, operationFrom);
  const results = await inTransaction(execution, 'BEGIN', () =>
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

/** A change is not looked at first. */
const WRITE: Admitted = { traces: 'some', undone: false };

async function runOperation(
  execution: Execution,
  operation: RowsRequest,
  { call, point, budget }: OperationContext,
): Promise<Buffer> {
  // A typed parameter stays a pair: only its value can be a reference.
  const params = paramsWith(operation.params, point);
  const request = { ...operation, params } as RowsRequest; // The same shape with other values.
  const own = { ...execution, call };
  return attempt(execution.connection, 'write', call.signal, async () => {
    const read = isRead(request, 'write');
    const parsed = oneStatement(request, read || isWatched(own), 'transaction');
    const { types: given } = parametersOf(request);
    const asks = read || own.connection.pooled || isWatched(own);
    const admission = asks ? await admitted(own, parsed, read, given) : WRITE;
    const statement = await bound(own, request, admission);
    // Inside a transaction of its own, a read is kept from writing by the guard alone.
    const ready = { request, parsed, statement, read: false, undone: admission.undone, given };
    return await execute(own, ready, budget);
  });
}
