/** Every type and member by which a database is named: who writes to one of the server's own needs Admin. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../proto/json.ts';
import { kindSpec, parseRequest } from '../index.ts';
import { EXAMPLES } from './describe/examples.ts';
import { namesOfOperation, OPERATIONS, type OperationName } from './operations.ts';

function levelOf(body: Json): string | undefined {
  const { request } = parseRequest('mongo', body);
  return kindSpec('mongo').needs?.(request);
}

const SYSTEM = ['admin', 'config', 'local', 'Admin', 'CONFIG', 'loCal'];
const OTHERS = ['shop', 'administration', 'configs', 'locale', 'my-local'];
const system = fc.constantFrom(...SYSTEM);
const other = fc.constantFrom(...OTHERS);

const types = Object.keys(OPERATIONS) as OperationName[];
/** They write, but not to the database that they run in. */
const ELSEWHERE = [
  'start_transaction',
  'commit_transaction',
  'abort_transaction',
  'client.bulk_write',
];

describe.each(types)('%s', (type) => {
  const { database: _, ...example } = EXAMPLES[type];
  const isWrite =
    OPERATIONS[type].mode === 'write' && !ELSEWHERE.includes(type) && !type.startsWith('raw_');

  test.each(namesOfOperation(type))('as %s, by either name of the member', (name) => {
    for (const member of ['database', 'db']) {
      for (const each of SYSTEM) {
        const level = levelOf({ ...example, type: name, [member]: each });
        expect([each, level]).toEqual([each, isWrite ? 'Admin' : undefined]);
      }
      for (const each of OTHERS) {
        expect(levelOf({ ...example, type: name, [member]: each })).toBeUndefined();
      }
    }
  });
});

/** A stage that writes to a database, in each form in which a server takes it. */
function writing(database: string): fc.Arbitrary<JsonObject> {
  const target = { db: database, coll: 'x' };
  return fc.constantFrom<JsonObject>(
    { $out: target },
    { $out: { coll: 'x', db: database } },
    { $out: { ...target, timeseries: { timeField: 't' } } },
    { $merge: target },
    { $merge: { into: target } },
    { $merge: { whenMatched: 'replace', into: target } },
    { $merge: { into: target, on: ['_id'], whenNotMatched: 'insert' } },
  );
}

/** The stage last, or within the stages that have pipelines of their own. */
function within(stage: JsonObject): fc.Arbitrary<JsonObject[]> {
  const { pipelines } = fc.letrec<{ pipelines: JsonObject[] }>((tie) => ({
    pipelines: fc.oneof(
      { maxDepth: 3 },
      fc.constant<JsonObject[]>([{ $match: { n: 1 } }, stage]),
      tie('pipelines').map((pipeline): JsonObject[] => [{ $facet: { a: [], b: pipeline } }]),
      tie('pipelines').map((pipeline): JsonObject[] => [
        { $lookup: { from: 'y', pipeline, as: 'z' } },
      ]),
      tie('pipelines').map((pipeline): JsonObject[] => [{ $unionWith: { coll: 'y', pipeline } }]),
    ),
  }));
  return pipelines;
}

/** Requests that hold a pipeline, by every way. */
function holding(pipeline: JsonObject[]): fc.Arbitrary<JsonObject> {
  const command = { aggregate: 'x', pipeline, cursor: {} };
  const commands: JsonObject[] = [
    command,
    { AGGREGATE: 'x', pipeline, cursor: {} },
    { explain: command, verbosity: 'executionStats' },
    { create: 'view', viewOn: 'x', pipeline },
    { collMod: 'view', viewOn: 'x', pipeline },
  ];
  return fc.constantFrom<JsonObject>(
    { type: 'aggregate', collection: 'x', pipeline },
    { type: 'collection.aggregate', coll: 'x', pipeline },
    { type: 'database.aggregate', pipeline },
    { type: 'create_collection', name: 'view', options: { viewOn: 'x', pipeline } },
    ...commands.flatMap((each) => [
      { type: 'run_command', command: each },
      { type: 'run_cursor_command', command: each },
      { type: 'raw_command', command: JSON.stringify(each) },
    ]),
  );
}

const requestTo = (names: fc.Arbitrary<string>) =>
  names.chain(writing).chain(within).chain(holding);

describe('a pipeline that writes', () => {
  test("to one of the server's databases needs Admin, wherever it stands", () => {
    fc.assert(
      fc.property(requestTo(system), (request) => {
        expect(levelOf({ database: 'shop', ...request })).toBe('Admin');
      }),
      { numRuns: 5_000, seed: 7 },
    );
  });

  test('to any other does not', () => {
    fc.assert(
      fc.property(requestTo(other), (request) => {
        expect(levelOf({ database: 'shop', ...request })).toBeUndefined();
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });

  test.each<JsonObject>([
    { $out: 'x' },
    { $merge: 'x' },
    { $merge: { into: 'x' } },
    { $merge: { into: { coll: 'x' } } },
  ])('by %j goes to the database that it runs in', (stage) => {
    const request = { type: 'aggregate', collection: 'y', pipeline: [stage] };
    expect(levelOf({ ...request, database: 'admin' })).toBe('Admin');
    expect(levelOf({ ...request, database: 'shop' })).toBeUndefined();
  });

  test.each<JsonObject>([
    { $out: { db: { $result: '[0].document.db' }, coll: 'x' } },
    { $out: { $result: '[0].document' } },
    { $merge: { into: { $result: '[0].document' } } },
    { $merge: { $result: '[0].document' } },
    { $result: '[0].document.stage' },
    { $out: { db: { $symbol: 'admin' }, coll: 'x' } },
  ])('to where only a run would tell needs Admin: %j', (stage) => {
    const command = { aggregate: 'x', pipeline: [stage], cursor: {} };
    expect(levelOf({ type: 'run_command', database: 'shop', command })).toBe('Admin');
  });
});

const bulk = (ns: Json) => ({ bulkWrite: 1, ops: [{ insert: 0, document: {} }], nsInfo: [{ ns }] });
test.each<[command: JsonObject, level: string | undefined]>([
  [bulk('admin.x'), 'Admin'],
  [bulk('shop.admin'), undefined],
  [bulk({ $result: '[0].value' }), 'Admin'],
  [{ renameCollection: 'shop.a', to: 'config.a' }, 'Admin'],
  [{ renameCollection: 'local.a', to: 'shop.a' }, 'Admin'],
  [{ renameCollection: 'shop.a', to: 'shop.config' }, undefined],
  [{ mapReduce: 'config', map: 'x', reduce: 'y', out: { replace: 'x', db: 'local' } }, 'Admin'],
  [{ mapReduce: 'config', map: 'x', reduce: 'y', out: { inline: 1 } }, undefined],
  [{ drop: 'config' }, undefined],
  [{ insert: 'local', documents: [{ db: 'admin', ns: 'admin.x' }] }, undefined],
  [{ createIndexes: 'x', indexes: [{ key: { db: 1 }, name: 'admin' }] }, undefined],
  [{ somethingNew: 'x', target: { db: 'admin' } }, 'Admin'],
  [{ somethingNew: 'x', target: 'local.oplog.rs' }, 'Admin'],
  [{ pipeline: { $result: '[0].p' }, aggregate: 'x' }, 'Admin'],
  [{ find: 'x', '1': 1 }, 'Admin'],
  [{ createUser: 'x', '0': 1 }, 'Admin'],
  [{ _configsvrAddShard: 'x' }, 'Admin'],
  [{ getMore: 1, collection: 'x' }, undefined],
])('the command %j in shop needs %s', (command, level) => {
  expect(levelOf({ type: 'run_command', database: 'shop', command })).toBe(level);
});

test.each([
  [{ ping: 1 }, undefined],
  [{ find: 'system.users' }, undefined],
  [{ hello: 1 }, undefined],
  [{ insert: 'x', documents: [] }, 'Admin'],
  [{ createSearchIndexes: 'x', indexes: [] }, 'Admin'],
  [{ somethingNew: 1 }, 'Admin'],
  [{ killCursors: 'x', cursors: [] }, undefined],
])('the command %j in admin needs %s, as text too', (command, level) => {
  expect(levelOf({ type: 'run_command', database: 'admin', command })).toBe(level);
  const text = JSON.stringify(command);
  expect(levelOf({ type: 'raw_command', database: 'admin', command: text })).toBe(level);
});
