/** Cursors that commands open end with their call, those of a session with it: the server's own count says. Contract §6. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { type StartedBackend, startBackend } from '../../../test/servers/backends.ts';
import { failureOf } from '../contract.ts';
import { callOf, jsonOf, openClient } from '../test/host.ts';
import { type MongoBackend, mongo } from './index.ts';
import { request, TestDatabase } from './test/database.ts';

const COUNT = 250;
const IDS = Array.from({ length: COUNT }, (_, n) => ({ _id: n }));

let server: StartedBackend;
let database: TestDatabase;
let session: MongoBackend;

beforeAll(async () => {
  // The count is a whole server's.
  server = await startBackend('mongo');
  database = await TestDatabase.create(server);
  const many = database.db.collection<{ _id: number }>('many');
  await many.insertMany(IDS.map((each) => ({ ...each })));
  await database.db.createCollection('capped', { capped: true, size: 1_000_000 });
  await database.db
    .collection<{ _id: number }>('capped')
    .insertMany(IDS.map((each) => ({ ...each })));
  for (let n = 0; n < 5; n += 1) await database.db.createCollection(`more_${n}`);
  session = await openClient(mongo, { connection: { url: database.url }, mode: 'write' });
});
afterAll(async () => {
  await session?.close();
  await database?.drop();
  await server?.stop();
});

async function openCursors(): Promise<number> {
  const { metrics } = await database.outside.db('admin').command({ serverStatus: 1 });
  return Number(metrics.cursor.open.total);
}

const command = (content: object) => request({ type: 'run_command', command: content });

interface Answer {
  readonly document: { readonly cursor: { id: number; ns: string; firstBatch: object[] } };
}

const small = { batchSize: 2 };
const COMMANDS: readonly [name: string, content: object, documents?: number][] = [
  ['find', { find: 'many', ...small }],
  ['find without a time', { find: 'many', ...small, noCursorTimeout: true }],
  ['find as it is', { find: 'many' }],
  ['find of nothing at first', { find: 'many', batchSize: 0 }],
  ['find without a time, of nothing', { find: 'many', batchSize: 0, noCursorTimeout: true }],
  ['find of one batch', { find: 'many', ...small, singleBatch: true, limit: 2 }, 2],
  ['find with a limit', { find: 'many', ...small, limit: 7 }, 7],
  ['a tailable find', { find: 'capped', ...small, tailable: true }],
  ['a tailable find that waits', { find: 'capped', ...small, tailable: true, awaitData: true }],
  ['aggregate', { aggregate: 'many', pipeline: [], cursor: small }],
  ['aggregate of nothing at first', { aggregate: 'many', pipeline: [], cursor: { batchSize: 0 } }],
  ['listCollections', { listCollections: 1, cursor: small }, 7],
  ['listIndexes', { listIndexes: 'many', cursor: { batchSize: 0 } }, 1],
];

describe.each(['read', 'write'] as const)('on /%s', (mode) => {
  test.each(COMMANDS)(
    '%s answers all and leaves no cursor',
    async (_name, content, count = COUNT) => {
      const before = await openCursors();
      const answer = jsonOf(await session.run(command(content), callOf(mode))) as Answer;
      expect(answer.document.cursor).toMatchObject({ id: 0, ns: expect.stringContaining('.') });
      expect(answer.document.cursor.firstBatch).toHaveLength(count);
      expect(await openCursors()).toBe(before);
    },
  );

  test('the documents are those of the collection, in their order', async () => {
    const asked = command({ find: 'many', ...small, sort: { _id: 1 } });
    const answer = jsonOf(await session.run(asked, callOf(mode))) as Answer;
    expect(answer.document.cursor.firstBatch).toEqual(IDS);
  });

  test('explain leaves no cursor', async () => {
    const before = await openCursors();
    await session.run(command({ explain: { find: 'many', batchSize: 2 } }), callOf(mode));
    expect(await openCursors()).toBe(before);
  });

  test('what is too large leaves no cursor', async () => {
    const before = await openCursors();
    const call = callOf(mode, { resultMaxBytes: 500 });
    const failure = await failureOf(session.run(command({ find: 'many', ...small }), call));
    expect(failure).toMatchObject({ code: 'RESULT_TOO_LARGE' });
    expect(await openCursors()).toBe(before);
  });

  test.each([0, 1, 2, 5, 10, 20, 50])(
    'a call that is left after %i ms leaves no cursor',
    async (ms) => {
      const before = await openCursors();
      const left = new AbortController();
      const reason = new GatewayError('TIMED_OUT', 'left');
      setTimeout(() => left.abort(reason), ms);
      const content = { find: 'many', batchSize: 1, noCursorTimeout: true };
      const call = callOf(mode, { signal: left.signal });
      await session.run(command(content), call).catch((thrown: unknown) => {
        expect(thrown).toBeInstanceOf(GatewayError);
      });
      await expect.poll(openCursors, { timeout: 5_000 }).toBe(before);
    },
  );
});

test('a failure of the next batch leaves no cursor', async () => {
  const before = await openCursors();
  const data = { failCommands: ['getMore'], errorCode: 96, appName: 'causeway' };
  const failPoint = { configureFailPoint: 'failCommand', mode: { times: 1 }, data };
  await database.outside.db('admin').command(failPoint);
  const failure = await failureOf(session.run(command({ find: 'many', ...small }), callOf('read')));
  expect(failure).toMatchObject({ code: 'REQUEST_FAILED' });
  expect(await openCursors()).toBe(before);
});

test('a session goes on with a cursor from call to call, and ends it', async () => {
  const before = await openCursors();
  const lease = await session.lease(callOf('write'));
  try {
    const run = async (content: object, mode: 'read' | 'write') =>
      jsonOf((await lease?.run(command(content), callOf(mode))) ?? new Uint8Array()) as Answer;
    const first = await run({ find: 'many', ...small }, 'read');
    const { id: getMore, firstBatch } = first.document.cursor;
    expect(firstBatch).toHaveLength(2);
    const next = await run({ getMore, collection: 'many', ...small }, 'write');
    expect(next.document.cursor).toMatchObject({ nextBatch: [{ _id: 2 }, { _id: 3 }] });
    expect(await openCursors()).toBe(before + 1);
  } finally {
    await lease?.close();
  }
  expect(await openCursors()).toBe(before);
});

describe('run_cursor_command', () => {
  const cursor = (content: object, options?: object) =>
    request({ type: 'run_cursor_command', command: content, ...(options ? { options } : {}) });

  test.each([
    [cursor({ find: 'many', sort: { _id: 1 } })],
    [cursor({ find: 'many', sort: { _id: 1 }, batchSize: 2 })],
    [cursor({ find: 'many', sort: { _id: 1 }, batchSize: 0 }, { batchSize: 3 })],
    [cursor({ aggregate: 'many', pipeline: [{ $sort: { _id: 1 } }], cursor: { batchSize: 2 } })],
  ])('answers as lines what it answers as one: %j', async (asked) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of session.stream(asked, callOf('read'))) pieces.push(piece);
    const lines = Buffer.concat(pieces).toString().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(IDS);
    expect(jsonOf(await session.run(asked, callOf('read')))).toEqual({ documents: IDS });
  });

  test.each([
    [{ find: 'capped', tailable: true, batchSize: 100 }],
    [{ find: 'capped', tailable: true, awaitData: true, batchSize: 100 }],
  ])('answers what there is of a cursor that stays open: %j', async (content) => {
    const before = await openCursors();
    const asked = cursor(content, { batchSize: 100 });
    expect(jsonOf(await session.run(asked, callOf('read')))).toEqual({ documents: IDS });
    let lines = '';
    for await (const piece of session.stream(asked, callOf('read'))) lines += Buffer.from(piece);
    expect(lines.trimEnd().split('\n')).toHaveLength(COUNT);
    await expect.poll(openCursors, { timeout: 5_000 }).toBe(before);
  });

  const told = { path: 'command', message: 'answers no cursor: use run_command' };

  test.each([[{ ping: 1 }], [{ dbStats: 1 }]])('%j answers none', async (content) => {
    const failure = await failureOf(session.run(cursor(content), callOf('read')));
    expect(failure).toMatchObject({ code: 'BAD_REQUEST', details: [told] });
    const lines = session.stream(cursor(content), callOf('read'))[Symbol.asyncIterator]();
    expect(await failureOf(lines.next())).toMatchObject({ code: 'BAD_REQUEST', details: [told] });
  });

  test('of a write that answers none it is told that it was made', async () => {
    const insert = cursor({ insert: 'written', documents: [{ _id: 1 }] });
    const failure = await failureOf(session.run(insert, callOf('write')));
    expect(failure).toMatchObject({
      code: 'BAD_REQUEST',
      details: [told, { source: 'mongo', message: 'The write took effect', applied: true }],
    });
    expect(await database.db.collection('written').countDocuments()).toBe(1);
    const none = cursor({ delete: 'written', deletes: [{ q: { _id: 9 }, limit: 1 }] });
    const found = { findAndModify: 'written', query: { _id: 9 }, update: { $set: { a: 1 } } };
    for (const each of [none, cursor(found)]) {
      const nothing = await failureOf(session.run(each, callOf('write')));
      expect(nothing).toMatchObject({ code: 'BAD_REQUEST', details: [told] });
    }
  });

  test('what the server refuses is told in its words', async () => {
    const failure = await failureOf(
      session.run(cursor({ find: 'many', skip: -1 }), callOf('read')),
    );
    expect(failure).toMatchObject({ code: 'REQUEST_FAILED', details: [{ source: 'mongo' }] });
  });
});

describe('cursorType', () => {
  const find = (options: object, collection = 'capped') =>
    request({ type: 'find', collection, options });

  test.each([
    ['nonTailable', {}],
    ['NonTailable', { batchSize: 3 }],
    ['tailable', {}],
    ['Tailable', { batchSize: 3 }],
    ['tailableAwait', { limit: COUNT, batchSize: 100 }],
    ['tailable_await', {}],
  ])('%s with %j answers what there is, and leaves no cursor', async (cursorType, more) => {
    const before = await openCursors();
    const asked = find({ cursor_type: cursorType, ...more });
    expect(jsonOf(await session.run(asked, callOf('read')))).toEqual({ documents: IDS });
    let lines = '';
    for await (const piece of session.stream(asked, callOf('read'))) lines += Buffer.from(piece);
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(IDS);
    await expect.poll(openCursors, { timeout: 5_000 }).toBe(before);
  });

  test('a tailable one of an empty collection answers nothing', async () => {
    await database.db.createCollection('bare', { capped: true, size: 1_000 });
    const asked = find({ cursorType: 'tailable' }, 'bare');
    expect(jsonOf(await session.run(asked, callOf('read')))).toEqual({ documents: [] });
  });

  test('a tailable one needs a capped collection, as the server says', async () => {
    const failure = await failureOf(
      session.run(find({ cursorType: 'tailable' }, 'many'), callOf('read')),
    );
    expect(failure).toMatchObject({ code: 'REQUEST_FAILED', details: [{ source: 'mongo' }] });
  });

  test.each(['forever', 1, null, 'constructor'])('%j is refused', async (cursorType) => {
    const failure = await failureOf(session.run(find({ cursorType }), callOf('read')));
    const message = 'must be nonTailable, tailable or tailableAwait';
    expect(failure).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ path: 'options.cursorType', message }],
    });
  });
});

describe('options as members', () => {
  test('run_command takes selection_criteria', async () => {
    const asked = { type: 'run_command', command: { find: 'many', limit: 1 } };
    const answer = await session.run(
      request({ ...asked, selection_criteria: 'primaryPreferred' }),
      callOf('read'),
    );
    expect(jsonOf(answer)).toMatchObject({ document: { ok: 1 } });
    const failure = await failureOf(
      session.run(request({ ...asked, selection_criteria: 'nowhere' }), callOf('read')),
    );
    expect(failure).toMatchObject({
      code: 'REQUEST_FAILED',
      message: expect.stringContaining('nowhere'),
    });
  });

  test('list_search_indexes takes those of its pipeline', () => {
    const asked = { type: 'list_search_indexes', collection: 'many' };
    const both = { aggregation_options: { batchSize: 2 }, list_index_options: { comment: 'x' } };
    expect(request({ ...asked, ...both })).toEqual(
      request({ ...asked, options: { batchSize: 2, comment: 'x' } }),
    );
  });

  test.each([
    ['run_command', { selection_criteria: 'primary', options: { selectionCriteria: 'primary' } }],
    ['list_search_indexes', { aggregation_options: { comment: 1 }, options: { comment: 1 } }],
    ['list_search_indexes', { aggregation_options: 'x' }],
    ['find', { selection_criteria: 'primary' }],
  ])('%s does not take %j', (type, members) => {
    const whole = type === 'run_command' ? { command: { ping: 1 } } : { collection: 'many' };
    expect(() => request({ type, ...whole, ...members })).toThrow(GatewayError);
  });
});
