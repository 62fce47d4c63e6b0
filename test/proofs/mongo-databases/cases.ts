/** Requests of every type, with names of databases put wherever a text or a member may be. */

import { EXAMPLES } from '../../../kinds/mongo/describe/examples.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';

/** Numbers below a bound. */
type Random = (below: number) => number;

const NAMES = ['admin', 'config', 'local', 'Admin', 'shop'];
const PLACES = ['db', 'database', 'ns', 'into', 'to', 'coll', 'out', '$db', 'namespace', 'viewOn'];

/** Commands that name databases in members of their own, or write. */
const COMMANDS: readonly JsonObject[] = [
  { aggregate: 'customers', pipeline: [{ $match: {} }], cursor: { batchSize: 1 } },
  { aggregate: 1, pipeline: [{ $documents: [{ n: 1 }] }], cursor: {} },
  { explain: { aggregate: 'customers', pipeline: [{ $match: {} }], cursor: {} } },
  { create: 'a_view', viewOn: 'customers', pipeline: [{ $match: {} }] },
  { collMod: 'a_view', viewOn: 'customers', pipeline: [] },
  { bulkWrite: 1, ops: [{ insert: 0, document: { n: 1 } }], nsInfo: [{ ns: 'shop.customers' }] },
  { renameCollection: 'shop.carts', to: 'shop.old_carts' },
  { mapReduce: 'customers', map: 'x', reduce: 'y', out: { replace: 'x', db: 'shop' } },
  { insert: 'customers', documents: [{ n: 1 }] },
  { update: 'customers', updates: [{ q: {}, u: { $set: { n: 2 } }, multi: true }] },
  { delete: 'customers', deletes: [{ q: { n: 1 }, limit: 0 }] },
  { findAndModify: 'customers', query: {}, update: { $set: { n: 3 } }, upsert: true },
  { createIndexes: 'customers', indexes: [{ key: { n: 1 }, name: 'n_1' }] },
  { dropIndexes: 'customers', index: '*' },
  { drop: 'nothing' },
  { dropDatabase: 1 },
  { find: 'customers', batchSize: 0, noCursorTimeout: true },
  { listCollections: 1, cursor: { batchSize: 0 } },
  { cloneCollectionAsCapped: 'customers', toCollection: 'x', size: 1000 },
  { distinct: 'customers', key: 'n' },
];
/** They wait for events, or need a session of a caller's own. */
const ASIDE = /watch$|_transaction$|gridfs/;

const BASES: readonly JsonObject[] = [
  ...Object.entries(EXAMPLES).flatMap(([type, example]) => (ASIDE.test(type) ? [] : [example])),
  ...COMMANDS.flatMap((command): JsonObject[] => [
    { type: 'run_command', database: 'shop', command },
    { type: 'run_cursor_command', database: 'shop', command },
    { type: 'raw_command', database: 'shop', command: JSON.stringify(command) },
  ]),
];

/** Pipelines can go anywhere: they are asked more often than the others. */
const WITH_PIPELINE = BASES.filter((each) => JSON.stringify(each).includes('pipeline'));

function any<Each>(list: readonly Each[], random: Random): Each {
  const [first] = list;
  return list[random(list.length)] ?? (first as Each); // Lists are never empty here.
}

/** A request, changed in a few places. */
export function made(random: Random): JsonObject {
  const base = any(random(2) === 0 ? WITH_PIPELINE : BASES, random);
  const { command } = base;
  const isText = typeof command === 'string';
  const content: JsonObject = isText ? { ...base, command: JSON.parse(command) as Json } : base;
  let request = content;
  for (let times = 1 + random(3); times > 0; times -= 1) request = changed(request, random);
  return isText ? { ...request, command: JSON.stringify(request.command) } : request;
}

function changed(request: JsonObject, random: Random): JsonObject {
  if (random(3) === 0) return { ...request, database: any(NAMES, random) };
  const { type, database, ...members } = request;
  const names = Object.keys(members);
  if (names.length === 0) return request;
  const at = any(names, random);
  return { ...request, [at]: within(members[at] ?? null, random) };
}

/** The value with one change somewhere in it. */
function within(value: Json, random: Random): Json {
  if (Array.isArray(value)) {
    if (value.length === 0 || random(3) === 0) return [...value, stage(random)];
    const at = random(value.length);
    return value.map((each, index) => (index === at ? within(each, random) : each));
  }
  if (isJsonObject(value)) {
    const names = Object.keys(value);
    if (names.length === 0 || random(4) === 0)
      return { ...value, [any(PLACES, random)]: name(random) };
    const at = any(names, random);
    return { ...value, [at]: within(value[at] ?? null, random) };
  }
  return typeof value === 'string' ? name(random) : value;
}

function name(random: Random): string {
  const database = any(NAMES, random);
  return random(2) === 0 ? database : `${database}.stolen`;
}

function stage(random: Random): JsonObject {
  const target = { db: any(NAMES, random), coll: 'stolen' };
  const into = any<Json>([target, 'stolen', name(random)], random);
  const writing = any<JsonObject>([{ $out: target }, { $out: into }, { $merge: { into } }], random);
  const inner = [writing];
  return any<JsonObject>(
    [
      writing,
      writing,
      { $facet: { a: inner } },
      { $lookup: { from: 'customers', pipeline: inner, as: 'a' } },
      { $unionWith: { coll: 'customers', pipeline: inner } },
    ],
    random,
  );
}
