/** Runs a request of any type on one connection. */

import {
  checkType,
  isRead,
  oneStatement,
  type RowsRequest,
} from '../../../kinds/postgres/dialect/admit.ts';
import { parametersOf } from '../../../kinds/postgres/dialect/parameters.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type { Done } from '../lender.ts';
import { admitted, isWatched } from './admission.ts';
import { bound } from './bound.ts';
import { runCopyIn, runCopyOut } from './copy.ts';
import { type Execution, execute } from './execute.ts';
import { runSeveral } from './several.ts';

/** Runs a request of any type. @throws GatewayError, DatabaseError, ConnectionLost */
export async function runRequest(
  execution: Execution,
  request: PostgresRequest,
): Promise<Done<Buffer>> {
  checkType(request, execution.call.mode);
  switch (request.type) {
    case 'copy_in':
      return runCopyIn(execution, request);
    case 'copy_out':
      return runCopyOut(execution, request);
    case 'simple':
    case 'simple_read_only':
    case 'batch_execute':
      return runSeveral(execution, request);
    default:
      return runOne(execution, request);
  }
}

/** By itself, so that nothing of a large request's values stays in the frame of what waits for the server. */
function typesGiven(request: RowsRequest): readonly number[] | undefined {
  return parametersOf(request).types;
}

/** Runs one statement with parameters. */
async function runOne(execution: Execution, request: RowsRequest): Promise<Done<Buffer>> {
  const read = isRead(request, execution.call.mode);
  const parsed = oneStatement(request, read || isWatched(execution), execution.place);
  const given = typesGiven(request);
  const admission = await admitted(execution, parsed, read, given);
  const statement = await bound(execution, request, admission);
  const { undone, traces } = admission;
  const value = await execute(execution, { request, parsed, statement, read, undone, given });
  return { value, traces };
}
