/** Runs a request of any type: looks at it, hands it to its handler, bounds what it answers. */
import { AbstractCursor } from 'mongodb';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { OPERATIONS, type OperationName } from '../../../kinds/mongo/operations.ts';
import { isSystem, targetsOf } from '../../../kinds/mongo/targets.ts';
import type { Mode } from '../../../proto/driver.ts';
import { badRequest } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import type { Execution } from './database.ts';
import { gridfs } from './gridfs.ts';
import { checkCommand, checkRead } from './guard.ts';
import { bulk } from './operations/bulk.ts';
import { commandIn, commands, ofCursor, staysOpen } from './operations/command.ts';
import { readers } from './operations/find.ts';
import type { Handler } from './operations/handler.ts';
import { structure } from './operations/structure.ts';
import { writers } from './operations/write.ts';
import { boundedBytes, documentsText } from './result.ts';
import { refuseUnwatched } from './watch.ts';

type Transactional = Extract<OperationName, `${string}_transaction`>;

/** What carries out each type: a new group of types is a row here. */
const HANDLERS: Readonly<Record<Exclude<OperationName, Transactional>, Handler>> = {
  ...readers,
  ...writers,
  ...bulk,
  ...structure,
  ...commands,
  ...gridfs,
  watch: refuseUnwatched,
  'database.watch': refuseUnwatched,
  'client.watch': refuseUnwatched,
};

/** Runs a request to its end. @throws GatewayError, and what the driver throws */
export async function runRequest(execution: Execution, request: MongoRequest): Promise<Buffer> {
  const answer = await beginRequest(execution, request);
  const text =
    answer instanceof AbstractCursor
      ? await ofCursor(execution, request, documentsText(execution, answer, staysOpen(request)))
      : answer;
  return boundedBytes(text, execution, !isRead(request, execution.call.mode));
}

/** Begins a request: a cursor has not been sent yet. @throws GatewayError BAD_REQUEST */
export async function beginRequest(
  execution: Execution,
  request: MongoRequest,
): ReturnType<Handler> {
  checkRequest(request, execution.call.mode, execution.settings.database);
  const { type } = request;
  if (isTransactional(type)) {
    const message =
      'A transaction of several requests needs a session: POST /endpoints/{endpoint}/sessions';
    throw badRequest('type', message, message);
  }
  return HANDLERS[type](execution, request);
}

/** Whether a type begins or ends a session's transaction. */
export function isTransactional(type: OperationName): type is Transactional {
  return type.endsWith('_transaction');
}

/** Whether a request is run as a read: on `/read`, or because its type says so. */
export function isRead({ type }: MongoRequest, mode: Mode): boolean {
  return mode === 'read' || type === 'raw_command_read_only';
}

/** Refuses what may not be run here. @throws GatewayError BAD_REQUEST */
export function checkRequest(request: MongoRequest, mode: Mode, defaultDatabase: string): void {
  const { type } = request;
  const read = isRead(request, mode);
  if (mode === 'read' && OPERATIONS[type].mode !== 'read') {
    const message = `Requests of type ${type} write; send them to /write`;
    throw badRequest('type', message, message);
  }
  if (request.command !== undefined) checkCommand(commandIn(request), read);
  checkDatabase(request, defaultDatabase);
  if (!read) return;
  for (const member of ['filter', 'pipeline', 'options'] as const) {
    checkRead(request[member] as Json | undefined, member);
  }
}

/** What only administrators may write to must be named: rights are decided before the connection is known. */
function checkDatabase(request: MongoRequest, defaultDatabase: string): void {
  if (request.database !== undefined || !isSystem(defaultDatabase)) return;
  if (!targetsOf(request).own) return;
  const message = `Requests that write to ${defaultDatabase}, the connection's own, name it and need Admin`;
  throw badRequest('database', message, message);
}
