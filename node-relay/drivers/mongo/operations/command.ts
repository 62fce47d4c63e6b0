/** Commands as they are, and requests on the deployment as a whole. Source: backends.md §3.2. */

import { BSON, type Document } from 'mongodb';
import { commandName } from '../../../../kinds/mongo/admin.ts';
import type { MongoRequest } from '../../../../kinds/mongo/index.ts';
import { READING } from '../../../../kinds/mongo/reads.ts';
import { badRequest, type ErrorDetails, GatewayError } from '../../../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../proto/json.ts';
import { parseOrdered } from '../../../../proto/parse-ordered.ts';
import { collectionOf, databaseOf, documentIn, isTailable, optionsIn } from '../arguments.ts';
import type { Execution } from '../database.ts';
import { type OpenCursor, ran } from '../open-cursor.ts';
import { memberText, readText, replyMembers, resultTooLarge } from '../result.ts';
import type { Handler } from './handler.ts';

/** The command of a request, which may be text. @throws GatewayError BAD_REQUEST */
export function commandIn({ command }: MongoRequest): JsonObject {
  if (typeof command !== 'string') return command ?? {};
  let parsed: Json;
  try {
    parsed = parseOrdered(command);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw badRequest('command', 'is not JSON');
  }
  if (!isJsonObject(parsed))
    throw badRequest('command', 'must be an object whose first member names the command');
  return parsed;
}

/** The driver's own copy of a command keeps the order of an object alone. */
function plain(document: Document): Document {
  return document instanceof Map ? Object.fromEntries(document) : document;
}

const run: Handler = async (execution, request) => {
  const given = commandIn(request);
  const command = plain(documentIn(execution, given, 'command'));
  const { readPreference } = optionsIn(execution, request, false);
  const { reply, cursor } = await ran(
    execution,
    databaseOf(execution, request),
    command,
    readPreference,
  );
  const members = new Map(
    [...(await replyMembers(reply, execution))].filter(([name]) => !CLOCK.has(name)),
  );
  if (cursor !== undefined && execution.keep) execution.keep(cursor);
  else if (cursor !== undefined) {
    try {
      members.set('cursor', await wholeText(execution, reply, cursor, given));
    } finally {
      await cursor.close();
    }
  }
  const texts = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{"document":{${texts.join(',')}}}`;
};

/** Members about cluster time that only the driver and the server may set. */
const CLOCK = new Set(['$clusterTime', 'operationTime']);

/** Whether a cursor stays open at the end of what there is. */
function isEndless({ tailable, pipeline }: JsonObject): boolean {
  const [first = null] = Array.isArray(pipeline) ? pipeline : [];
  return Boolean(tailable) || (isJsonObject(first) && Object.hasOwn(first, '$changeStream'));
}

/** Whether the cursor that a request answers stays open at the end of what there is. */
export function staysOpen(request: MongoRequest): boolean {
  const isCommand = request.type === 'run_cursor_command';
  return isTailable(request) || (isCommand && isEndless(commandIn(request)));
}

/**
 * The member `cursor` of a reply with all that the cursor has, as if the first batch were that
 * large: no other call could go on with it. @throws GatewayError RESULT_TOO_LARGE
 */
async function wholeText(
  execution: Execution,
  reply: Uint8Array,
  cursor: OpenCursor,
  command: JsonObject,
): Promise<string> {
  const endless = isEndless(command);
  const { cursor: inner } = BSON.deserialize(reply, { raw: true });
  const members = await replyMembers(inner as Uint8Array, execution); // A cursor's, as it is open.
  const texts = [(members.get('firstBatch') ?? '[]').slice(1, -1)].filter((each) => each !== '');
  let left = execution.call.resultMaxBytes - reply.byteLength;
  while (cursor.isOpen && command.singleBatch !== true) {
    const documents = await cursor.next(execution);
    if (endless && documents.length === 0) break;
    for (const document of documents) {
      const text = await readText(document, execution);
      left -= Buffer.byteLength(text);
      if (left < 0) throw resultTooLarge(execution);
      texts.push(text);
    }
  }
  members.set('firstBatch', `[${texts.join(',')}]`);
  members.set('id', execution.form === 'canonical' ? '{"$numberLong":"0"}' : '0');
  return `{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/**
 * What comes of the cursor of `run_cursor_command`.
 * @throws GatewayError BAD_REQUEST where the command answered none: what it did stays done
 */
export async function ofCursor<Value>(
  execution: Execution,
  request: MongoRequest,
  work: Promise<Value>,
): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    const bytes = request.type === 'run_cursor_command' ? execution.reply() : undefined;
    if (bytes === undefined) throw cause;
    const reply = BSON.deserialize(bytes, { raw: true });
    if (reply.ok !== 1 || reply.cursor instanceof Uint8Array) throw cause;
    throw cursorless(execution, request, reply, cause);
  }
}

function cursorless(
  { place }: Execution,
  request: MongoRequest,
  reply: Document,
  cause: unknown,
): GatewayError {
  const problem = 'answers no cursor: use run_command';
  const { lastErrorObject: found } = reply;
  const { n } = found instanceof Uint8Array ? BSON.deserialize(found) : reply;
  const wrote = !READING.has(commandName(commandIn(request))) && n !== 0;
  const details: ErrorDetails[] = [{ path: 'command', message: problem }];
  if (wrote && place !== 'transaction') {
    const message = 'The write took effect';
    details.push({ source: 'mongo', code: 'BAD_REQUEST', message, applied: true });
  }
  return new GatewayError('BAD_REQUEST', `command: ${problem}`, { cause, details });
}

async function databases(
  execution: Execution,
  request: MongoRequest,
  nameOnly: boolean,
): Promise<Document[]> {
  const options = { ...optionsIn(execution, request), ...(nameOnly ? { nameOnly } : {}) };
  const filter = documentIn(execution, request.filter, 'filter');
  const found = await execution.client
    .db()
    .admin()
    .listDatabases({ ...options, filter });
  return found.databases;
}

/** By their names. */
export const commands = {
  run_command: run,
  raw_command: run,
  raw_command_read_only: run,
  run_cursor_command: async (execution, request) => {
    const command = plain(documentIn(execution, commandIn(request), 'command'));
    const { maxTimeMS: _, ...options } = optionsIn(execution, request, false);
    return databaseOf(execution, request).runCursorCommand(command, options);
  },
  list_databases: async (execution, request) =>
    memberText('documents', await databases(execution, request, false), execution),
  list_database_names: async (execution, request) => {
    const names = (await databases(execution, request, true)).map(({ name }) => name);
    return memberText('value', names, execution);
  },
  ping: async (execution, request) => {
    await databaseOf(execution, request).command({ ping: 1 }, { session: execution.session });
    return '{"value":null}';
  },
  default_database: async (execution) =>
    memberText('value', execution.settings.database, execution),
  read_concern: async (execution) =>
    memberText('value', execution.client.readConcern?.toJSON(), execution),
  write_concern: async (execution) =>
    memberText('value', { ...execution.client.writeConcern }, execution),
  selection_criteria: async (execution) =>
    memberText('value', execution.client.readPreference.toJSON(), execution),
  'collection.read_concern': async (execution, request) =>
    memberText('value', collectionOf(execution, request).readConcern?.toJSON(), execution),
  'collection.write_concern': async (execution, request) =>
    memberText('value', { ...collectionOf(execution, request).writeConcern }, execution),
  'collection.selection_criteria': async (execution, request) =>
    memberText('value', collectionOf(execution, request).readPreference?.toJSON(), execution),
} satisfies Record<string, Handler>;
