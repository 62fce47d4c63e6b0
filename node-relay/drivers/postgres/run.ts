/** Runs a request of any type on one connection. */

import { checkType, isRead, oneStatement } from '../../../kinds/postgres/dialect/admit.ts';
import { parametersOf } from '../../../kinds/postgres/dialect/parameters.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type { Done } from '../lend.ts';
import { runCopyIn, runCopyOut } from './copy.ts';
import { admitted, bound, execute, type RowsRequest, type Scene } from './execute.ts';
import { runSeveral } from './several.ts';

/** Runs a request of any type. @throws GatewayError, DatabaseError, ConnectionLost */
export async function runRequest(scene: Scene, request: PostgresRequest): Promise<Done<Buffer>> {
  checkType(request, scene.call.mode);
  switch (request.type) {
    case 'copy_in':
      return runCopyIn(scene, request);
    case 'copy_out':
      return runCopyOut(scene, request);
    case 'simple':
    case 'simple_read_only':
    case 'batch_execute':
      return runSeveral(scene, request);
    default:
      return runOne(scene, request);
  }
}

/** Runs one statement with parameters. */
async function runOne(scene: Scene, request: RowsRequest): Promise<Done<Buffer>> {
  const read = isRead(request, scene.call.mode);
  const parsed = oneStatement(request.query, read, scene.place);
  const { types: given } = parametersOf(request);
  const admission = await admitted(scene, parsed, read, given);
  const statement = await bound(scene, request, admission);
  const { undone, traces } = admission;
  const value = await execute(scene, { request, parsed, statement, read, undone, given });
  return { value, traces };
}
