/** Commands as they are, and requests on the deployment as a whole. Source: backends.md §3.2. */
import type { Document } from 'mongodb';
import { isJsonObject, type Json, type JsonObject } from '../../../../proto/json.ts';
import { needsAdmin } from '../../../../proto/kinds/mongo/admin.ts';
import type { MongoRequest } from '../../../../proto/kinds/mongo.ts';
import { parseOrdered } from '../../../../proto/ordered-json.ts';
import { collectionOf, databaseOf, documentIn, optionsIn } from '../arguments.ts';
import type { Scene } from '../database.ts';
import { memberTexts } from '../from-bson.ts';
import { memberText } from '../result.ts';
import { badValue } from '../wrappers.ts';
import type { Handler } from './handler.ts';

/** The command of a request, which may be text. @throws GatewayError BAD_REQUEST */
export function commandIn({ command }: MongoRequest): JsonObject {
  if (typeof command !== 'string') return command ?? {};
  let parsed: Json;
  try {
    parsed = parseOrdered(command);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw badValue('command', 'is not JSON');
  }
  if (!isJsonObject(parsed))
    throw badValue('command', 'is an object whose first member names the command');
  // Names of such commands are looked for in the text before it gets here.
  if (needsAdmin(parsed) && !needsAdmin(command)) throw badValue('command', 'cannot be told apart');
  return parsed;
}

/** The driver's own copy of a command keeps the order of an object alone. */
function plain(document: Document): Document {
  return document instanceof Map ? Object.fromEntries(document) : document;
}

const run: Handler = async (scene, request) => {
  const command = plain(documentIn(scene, commandIn(request), 'command'));
  const { readPreference } = optionsIn(scene, request, false);
  const options = { session: scene.session, ...(readPreference ? { readPreference } : {}) };
  const made = await databaseOf(scene, request).command(command, options);
  const reply = scene.reply();
  if (reply === undefined) return memberText('document', withoutClock(made), scene);
  const members = [...memberTexts(reply, scene.form)].filter(([name]) => !CLOCK.has(name));
  const texts = members.map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{"document":{${texts.join(',')}}}`;
};

/** What the driver and the server say to each other about time is nobody else's. */
const CLOCK = new Set(['$clusterTime', 'operationTime']);

function withoutClock({ $clusterTime: _, operationTime: __, ...reply }: Document): Document {
  return reply;
}

async function databases(
  scene: Scene,
  request: MongoRequest,
  nameOnly: boolean,
): Promise<Document[]> {
  const options = { ...optionsIn(scene, request), ...(nameOnly ? { nameOnly } : {}) };
  const filter = documentIn(scene, request.filter, 'filter');
  const found = await scene.client
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
  run_cursor_command: async (scene, request) => {
    const command = plain(documentIn(scene, commandIn(request), 'command'));
    const { maxTimeMS: _, ...options } = optionsIn(scene, request, false);
    return databaseOf(scene, request).runCursorCommand(command, options);
  },
  list_databases: async (scene, request) =>
    memberText('documents', await databases(scene, request, false), scene),
  list_database_names: async (scene, request) => {
    const names = (await databases(scene, request, true)).map(({ name }) => name);
    return memberText('value', names, scene);
  },
  ping: async (scene, request) => {
    await databaseOf(scene, request).command({ ping: 1 }, { session: scene.session });
    return '{"value":null}';
  },
  default_database: async (scene) => memberText('value', scene.settings.database, scene),
  read_concern: async (scene) => memberText('value', scene.client.readConcern?.toJSON(), scene),
  write_concern: async (scene) => memberText('value', { ...scene.client.writeConcern }, scene),
  selection_criteria: async (scene) =>
    memberText('value', scene.client.readPreference.toJSON(), scene),
  'collection.read_concern': async (scene, request) =>
    memberText('value', collectionOf(scene, request).readConcern?.toJSON(), scene),
  'collection.write_concern': async (scene, request) =>
    memberText('value', { ...collectionOf(scene, request).writeConcern }, scene),
  'collection.selection_criteria': async (scene, request) =>
    memberText('value', collectionOf(scene, request).readPreference?.toJSON(), scene),
} satisfies Record<string, Handler>;
