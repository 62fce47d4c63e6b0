/** What a request may not hold is refused with its place before anything is sent, and never as a failure of the node. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf, jsonOf, openClient } from '../test/host.ts';
import { type MongoBackend, mongo } from './index.ts';
import { entries, request, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let session: MongoBackend;

beforeAll(async () => {
  database = await TestDatabase.create();
  session = await openClient(mongo, { connection: { url: database.url }, mode: 'write' });
});
afterAll(async () => {
  await session.close();
  await database.drop();
});

const run = (asked: ReturnType<typeof request>) => session.run(asked, callOf('write'));
const at = (path: string, message: string) => ({
  code: 'BAD_REQUEST',
  details: [{ path, message }],
});

/** Where each type may have a value. */
const PLACES: readonly [type: string, members: (value: object) => object, path: string][] = [
  ['insert_one', (v) => ({ document: { v } }), 'document.v'],
  ['insert_many', (v) => ({ documents: [{}, { v }] }), 'documents.1.v'],
  ['find', (v) => ({ filter: { v } }), 'filter.v'],
  ['update_one', (v) => ({ filter: {}, update: { $set: { v } } }), 'update.$set.v'],
  ['aggregate', (v) => ({ pipeline: [{ $match: { v } }] }), 'pipeline.0.$match.v'],
  ['distinct', (v) => ({ field: 'a', filter: { v } }), 'filter.v'],
  [
    'bulk_write',
    (v) => ({ operations: [{ delete_one: { filter: { v } } }] }),
    'operations.0.delete_one.filter.v',
  ],
];

describe.each([
  [
    'a regular expression with another option',
    { $regularExpression: { pattern: 'a', options: 'ig' } },
    '$regularExpression has the options i, l, m, s, u and x alone',
  ],
  [
    'a regular expression with half of a pair',
    { $regularExpression: { pattern: 'a\ud800', options: '' } },
    'holds half of a surrogate pair',
  ],
  [
    'a vector that is none',
    { $binary: { base64: 'AwE=', subType: '09' } },
    expect.stringContaining('$binary is no vector: '),
  ],
  ['code with half of a pair', { $code: '\udc00' }, 'holds half of a surrogate pair'],
  ['a symbol with half of a pair', { $symbol: '\udc00' }, 'holds half of a surrogate pair'],
])('%s', (_, value, message) => {
  test.each(PLACES)('in %s', async (type, members, path) => {
    const failure = await failureOf(run(entries(type, members(value))));
    expect(failure).toMatchObject(at(path, message));
  });

  test('in a command', async () => {
    const command = { find: 'entries', filter: { v: value } };
    const failure = await failureOf(run(request({ type: 'run_command', command })));
    expect(failure).toMatchObject(at('command.filter.v', message));
  });

  test('in a change stream', async () => {
    const asked = entries('watch', { pipeline: [{ $match: { v: value } }] });
    const events = session.watch(asked, callOf('read'), undefined)[Symbol.asyncIterator]();
    const failure = await failureOf(events.next()).finally(() => events.return?.(undefined));
    expect(failure).toMatchObject(at('pipeline.0.$match.v', message));
  });

  test('in a transaction, which names the operation', async () => {
    const operations = [
      entries('insert_one', { document: { _id: 'undone' } }),
      entries('insert_one', { document: { v: value } }),
    ];
    const failure = await failureOf(session.transact(operations, callOf('write')));
    expect(failure).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ path: 'document.v', message, operation: 1 }],
    });
    expect(await database.db.collection('entries').countDocuments()).toBe(0);
  });
});

test.each(['ilmsux', 'xusmli', 'ii', ''])('the options %j are taken', async (options) => {
  const value = { $regularExpression: { pattern: 'a', options } };
  const asked = request({
    type: 'insert_one',
    collection: 'taken',
    document: { _id: options, value },
  });
  expect(jsonOf(await run(asked))).toEqual({ inserted_id: options });
});

describe('fields as text', () => {
  const NUL = 'names a field or direction that holds a NUL';

  test.each([['\0'], [['a\0b']], [['a\0', 'asc']], [[['a\0', 1]]]])('%j', async (fields) => {
    for (const [type, members, option] of [
      ['find', {}, 'sort'],
      ['find_one', {}, 'sort'],
      ['find_one_and_update', { filter: {}, update: { $set: { a: 1 } } }, 'sort'],
      ['find', {}, 'hint'],
    ] as const) {
      const asked = entries(type, { ...members, options: { [option]: fields } });
      expect(await failureOf(run(asked))).toMatchObject(at(`options.${option}`, NUL));
    }
    const files = request({ type: 'gridfs.find', options: { sort: fields } });
    expect(await failureOf(run(files))).toMatchObject(at('options.sort', NUL));
  });

  test('a direction that is none is refused in the words of the driver', async () => {
    const asked = entries('find', { options: { sort: { a: { toString: 1 } } } });
    const failure = await failureOf(run(asked));
    expect(failure).toMatchObject({ code: 'REQUEST_FAILED', details: [{ source: 'mongo' }] });
  });

  test.each([['a'], [['a', 'b']], [[['a', 1]]], [{ toString: -1 }], [['a', 'desc']]])(
    '%j is taken',
    async (sort) => {
      const found = await run(entries('find', { options: { sort } }));
      expect(jsonOf(found)).toEqual({ documents: [] });
    },
  );
});

test.each([[5], [true], [1.5]])('%j is no read concern', async (readConcern) => {
  const failure = await failureOf(run(entries('find', { options: { readConcern } })));
  const message = 'must be a level, or an object with one';
  expect(failure).toMatchObject(at('options.readConcern', message));
});

test('members that mean something to the library are kept as they are', async () => {
  const document = { _id: 1, v: { _bsontype: 'Long', toString: 1, valueOf: 2 } };
  await run(request({ type: 'insert_one', collection: 'special', document }));
  const found = await run(request({ type: 'find_one', collection: 'special' }));
  expect(jsonOf(found)).toEqual({ document });
});

test('what the driver cannot write as text is no failure of the node', async () => {
  const projection = [['a', { toString: 1 }]];
  const asked = entries('find', { options: { projection } });
  const failure = await run(asked).catch((thrown: unknown) => thrown);
  expect(failure).not.toBeInstanceOf(TypeError);
});

describe('half of a surrogate pair', () => {
  const LONE = 'a\ud800';
  const upload = { type: 'gridfs.upload', filename: 'a', content: 'a' };

  test.each<[object, string]>([
    [{ ...upload, content: LONE }, 'content'],
    [{ ...upload, filename: LONE }, 'filename'],
    [{ ...upload, bucket_name: LONE }, 'bucket_name'],
    [{ type: 'gridfs.rename', id: 1, new_filename: LONE }, 'new_filename'],
    [{ type: 'insert_one', collection: LONE, document: {} }, 'collection'],
    [{ type: 'ping', database: LONE }, 'database'],
    [{ type: 'rename', collection: 'a', name: LONE }, 'name'],
    [{ type: 'distinct', collection: 'a', field: LONE }, 'field'],
  ])('in %j', (asked, path) => {
    expect(() => request(asked)).toThrow(`${path}: holds half of a surrogate pair`);
  });

  test.each<[object, string]>([
    [{ type: 'create_collection', name: 'v', options: { viewOn: LONE } }, 'options.viewOn'],
    [
      {
        type: 'client.bulk_write',
        operations: [{ insert_one: { namespace: `a.${LONE}`, document: {} } }],
      },
      'operations.0.insert_one.namespace',
    ],
  ])('in %j, which is read as it runs', async (asked, path) => {
    const failure = await failureOf(run(request(asked)));
    expect(failure).toMatchObject(at(path, 'holds half of a surrogate pair'));
  });
});

test('members named like indexes keep their order where structure is listed', async () => {
  const inOrder = '{"2":1,"1":-1}';
  await run(request(`{"type":"create_index","collection":"ordered","model":{"key":${inOrder}}}`));
  await run(
    request(`{"type":"create_collection","name":"valid","options":{"validator":${inOrder}}}`),
  );
  const indexes = await run(request({ type: 'list_indexes', collection: 'ordered' }));
  expect(Buffer.from(indexes).toString()).toContain(`"key":${inOrder}`);
  const listed = await run(request({ type: 'list_collections', filter: { name: 'valid' } }));
  expect(Buffer.from(listed).toString()).toContain(`"validator":${inOrder}`);
});
