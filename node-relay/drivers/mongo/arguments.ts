/** Members and options of a request as the driver takes them. */

import type { Collection, Db, Document } from 'mongodb';
import { TIMEOUT_DEFAULT_MS } from '../../../kinds/members.ts';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { badRequest } from '../../../proto/errors.ts';
import type { Json, JsonObject } from '../../../proto/json.ts';
import type { Execution } from './database.ts';
import { serverMs } from './database.ts';
import { type BsonDocument, documentToBson, toBson, toPlain } from './to-bson.ts';
import { isWrapper } from './wrappers.ts';

/** Options that hold documents or values; the driver reads the others itself. */
const VALUES = new Set(
  [
    'projection let min max arrayFilters comment partialFilterExpression weights',
    'wildcardProjection validator pipeline storageEngine clusteredIndex timeseries',
    'changeStreamPreAndPostImages indexOptionDefaults encryptedFields',
  ]
    .join(' ')
    .split(' '),
);

/** The database of a request. */
export function databaseOf({ client, settings }: Execution, { database }: MongoRequest): Db {
  return client.db(database ?? settings.database);
}

/** The collection of a request. */
export function collectionOf(execution: Execution, request: MongoRequest): Collection<Document> {
  // Their schema has it wherever it is asked for.
  return databaseOf(execution, request).collection(request.collection ?? '');
}

/** A member that is a document; an empty one without it. @throws GatewayError BAD_REQUEST */
export function documentIn(
  { substitute }: Execution,
  value: JsonObject | undefined,
  path: string,
): BsonDocument {
  if (value === undefined) return {};
  if (isWrapper(value)) {
    throw badRequest(path, 'is a value and no document');
  }
  return documentToBson(value, path, substitute);
}

/** A member that is a list of documents. @throws GatewayError BAD_REQUEST */
export function documentsIn(
  execution: Execution,
  values: readonly JsonObject[] | undefined,
  path: string,
): BsonDocument[] {
  return (values ?? []).map((each, index) => documentIn(execution, each, `${path}.${index}`));
}

/** An update: a document of operators, or a pipeline. @throws GatewayError BAD_REQUEST */
export function updateIn(
  execution: Execution,
  update: JsonObject | JsonObject[] | undefined,
  path = 'update',
): BsonDocument | BsonDocument[] {
  if (Array.isArray(update)) return documentsIn(execution, update, path);
  return documentIn(execution, update, path);
}

/** Options for the driver, with the session and, where there is a time, what is left of it. @throws GatewayError BAD_REQUEST */
export function optionsIn(execution: Execution, request: MongoRequest, timed = true): Document {
  const options: Document = { session: execution.session };
  for (const [name, value] of Object.entries(request.options ?? {})) {
    if (name === 'cursorType') Object.assign(options, cursorTypeIn(value));
    else options[OPTION_NAMES[name] ?? name] = optionIn(execution, name, value);
  }
  if (timed) options.maxTimeMS = timeFor(execution, request, options.maxTimeMS);
  return options;
}

const OPTION_NAMES: Readonly<Record<string, string>> = { selectionCriteria: 'readPreference' };

/**
 * What the driver takes for each type of cursor. In the names, letter case and underscores do not count.
 * None awaits: a reply is what there is, and would never end where others keep writing.
 */
const CURSOR_TYPES: Readonly<Record<string, Document>> = {
  nontailable: {},
  tailable: { tailable: true },
  tailableawait: { tailable: true },
};

function cursorTypeIn(value: Json): Document {
  const type = typeof value === 'string' ? value.replaceAll('_', '').toLowerCase() : '';
  const found = Object.hasOwn(CURSOR_TYPES, type) ? CURSOR_TYPES[type] : undefined;
  if (found) return found;
  throw badRequest('options.cursorType', 'must be nonTailable, tailable or tailableAwait');
}

/** Whether a request's cursor stays open at the end of what there is. */
export function isTailable({ options }: MongoRequest): boolean {
  return options?.cursorType !== undefined && cursorTypeIn(options.cursorType).tailable === true;
}

function optionIn(execution: Execution, name: string, value: Json): unknown {
  const path = `options.${name}`;
  if (name === 'sort' || name === 'hint') return fieldsIn(execution, value, path);
  if (VALUES.has(name)) return toBson(value, path, execution.substitute);
  if (name === 'returnDocument' && typeof value === 'string') return value.toLowerCase();
  if (name === 'readConcern') return readConcernIn(value, path);
  if (name === 'writeConcern') return writeConcernIn(value, path);
  return toPlain(value, path);
}

/** Fields that are sorted by or hinted at, which may be texts: the driver makes names of them. @throws GatewayError BAD_REQUEST */
export function fieldsIn({ substitute }: Execution, value: Json, path: string): unknown {
  const fields = toBson(value, path, substitute);
  for (const each of partsOf(fields)) {
    if (String(each).includes('\0'))
      throw badRequest(path, 'names a field or direction that holds a NUL');
  }
  return fields;
}

function partsOf(fields: unknown): unknown[] {
  if (Array.isArray(fields)) return fields.flat();
  if (fields instanceof Map) return [...fields.values()];
  return typeof fields === 'object' && fields !== null ? Object.values(fields) : [fields];
}

function readConcernIn(value: Json, path: string): unknown {
  const plain = toPlain(value, path);
  if (typeof plain === 'string') return { level: plain };
  if (typeof plain === 'object') return plain;
  throw badRequest(path, 'must be a level, or an object with one');
}

/** @throws GatewayError BAD_REQUEST for one that asks for no answer: a reply says what the server has done */
function writeConcernIn(value: Json, path: string): unknown {
  const plain = toPlain(value, path);
  const concern: Document = typeof plain === 'object' && plain !== null ? plain : { w: plain };
  if (concern.w === 0) throw badRequest(`${path}.w`, 'must be at least 1');
  return concern;
}

/** Milliseconds that the server may take: what is left of the call, or less where the caller says so. */
function timeFor(execution: Execution, request: MongoRequest, asked?: unknown): number {
  const whole = request.timeout_ms ?? TIMEOUT_DEFAULT_MS;
  const left = serverMs(whole - (performance.now() - execution.startedAt)) ?? whole;
  const limit = typeof asked === 'number' && asked > 0 ? Math.min(asked, left) : left;
  return Math.max(1, Math.floor(limit));
}
