/** Files of GridFS through the driver, compared with what the official client's own GridFS sees. */
import { Binary, GridFSBucket, type ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mode } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { callOf, jsonOf, openClient } from '../test/host.ts';
import { type MongoBackend, mongo } from './index.ts';
import { request, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let session: MongoBackend;
beforeAll(async () => {
  database = await TestDatabase.create();
  session = await openClient(mongo, { connection: { url: database.url }, mode: 'write' });
});
afterAll(async () => {
  await session?.close();
  await database?.drop();
});

/** A request on GridFS; answers its result. */
async function ask(
  type: string,
  members: object = {},
  { mode = 'write' as Mode, resultMaxBytes = 10_485_760 } = {},
): Promise<unknown> {
  const body = request({ type: `database.gridfs_bucket.${type}`, ...members });
  return jsonOf(await session.run(body, callOf(mode, { resultMaxBytes })));
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  const thrown: unknown = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(thrown instanceof GatewayError)) throw thrown ?? new Error('It did not fail');
  const { code, message, details } = thrown;
  return { code, message, details };
}

const missing = {
  code: 'REQUEST_FAILED',
  message: 'No file of the bucket has this id, name or revision',
  details: [
    {
      source: 'mongo',
      code: 'FileNotFound',
      message: 'No file of the bucket has this id, name or revision',
    },
  ],
};
const refused = (path: string, message: string) => ({
  code: 'BAD_REQUEST',
  message: `${path}: ${message}`,
  details: [{ path, message }],
});
const bytes = (content: Uint8Array | string) => ({
  $bytes: Buffer.from(content).toString('base64'),
});

test('text comes back as bytes, and as text where it is asked for', async () => {
  const content = 'Paid. 🐫\n';
  const { inserted_id: id } = (await ask('upload', { filename: 'a', content })) as {
    inserted_id: unknown;
  };
  expect(id).toEqual({ $oid: expect.stringMatching(/^[0-9a-f]{24}$/) });
  expect(await ask('download', { id }, { mode: 'read' })).toEqual({ value: bytes(content) });
  expect(await ask('download', { filename: 'a', encoding: 'text' })).toEqual({ value: content });
});

test('a file of many pieces is what the official client reads, and the other way round', async () => {
  const content = Buffer.from(Array.from({ length: 10_001 }, (_, at) => at % 251));
  await ask('upload', {
    bucket_name: 'pieces',
    id: 7,
    filename: 'many',
    content: bytes(content),
    metadata: { big: { $numberLong: '9007199254740993' }, z: 1, a: 2 },
    chunk_size_bytes: 1_000,
  });
  const bucket = new GridFSBucket(database.db, { bucketName: 'pieces' });
  const found = bucket.openDownloadStream(7 as unknown as ObjectId); // Its types know ObjectIds alone.
  expect(Buffer.concat(await found.toArray())).toEqual(content);
  expect(await database.db.collection('pieces.chunks').countDocuments()).toBe(11);
  expect(await ask('find', { bucket_name: 'pieces', filter: { filename: 'many' } })).toEqual({
    documents: [
      {
        _id: 7,
        length: 10_001,
        chunkSize: 1_000,
        uploadDate: { $date: expect.any(String) },
        filename: 'many',
        metadata: { big: { $numberLong: '9007199254740993' }, z: 1, a: 2 },
      },
    ],
  });
  const theirs = bucket.openUploadStream('theirs', { chunkSizeBytes: 64 });
  await new Promise((resolve) => theirs.end(content, () => resolve(undefined)));
  expect(await ask('download', { bucket_name: 'pieces', filename: 'theirs' })).toEqual({
    value: bytes(content),
  });
});

test.each([
  [0, 1],
  [0, 100],
  [99, 101],
  [150, 151],
  [250, 1_000],
  [0, 1_000],
])('the bytes from %i to %i are read alone', async (start, end) => {
  const content = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256));
  const id = `part-${start}-${end}`;
  await ask('upload', { id, filename: id, content: bytes(content), chunk_size_bytes: 100 });
  expect(await ask('download', { id, start, end })).toEqual({
    value: bytes(content.subarray(start, end)),
  });
});

test('an empty file is a file', async () => {
  await ask('upload', { id: 'empty', filename: 'empty', content: '' });
  expect(await ask('download', { id: 'empty', encoding: 'text' })).toEqual({ value: '' });
});

test('of files with one name the revision tells which, the last when left out', async () => {
  for (const content of ['first', 'second', 'third']) {
    await ask('upload', { filename: 'again', content });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const read = (revision?: number) =>
    ask('download', { filename: 'again', encoding: 'text', revision });
  expect([await read(), await read(0), await read(1), await read(-2)]).toEqual(
    ['third', 'first', 'second', 'second'].map((value) => ({ value })),
  );
  expect(await failureOf(read(3))).toEqual(missing);
});

test('a file has another name, is gone, and its bucket is gone', async () => {
  const own = { bucket_name: 'gone' };
  await ask('upload', { ...own, id: 1, filename: 'old', content: 'x' });
  expect(await ask('rename', { ...own, id: 1, new_filename: 'new' })).toEqual({ value: null });
  expect(await ask('find_one', { ...own, filter: { filename: 'new' } })).toMatchObject({
    document: { _id: 1, length: 1 },
  });
  expect(await ask('delete', { ...own, id: 1 })).toEqual({ value: null });
  expect(await database.db.collection('gone.chunks').countDocuments()).toBe(0);
  expect(await ask('drop', own)).toEqual({ value: null });
  const names = (await database.db.listCollections().toArray()).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('gone.'))).toEqual([]);
});

describe('what is refused', () => {
  test.each([
    ['download', { id: 'nobody' }],
    ['download', { filename: 'nobody' }],
    ['rename', { id: 'nobody', new_filename: 'x' }],
    ['delete', { id: { $oid: '65a1b2c3d4e5f60718293a4b' } }],
  ])('%s of a file that is not there', async (type, members) => {
    expect(await failureOf(ask(type, members))).toEqual(missing);
  });

  test('an id that another file has, which stays as it is', async () => {
    await ask('upload', { id: 'taken', filename: 'a', content: 'first' });
    expect(
      await failureOf(ask('upload', { id: 'taken', filename: 'b', content: 'second' })),
    ).toMatchObject({ code: 'CONSTRAINT_VIOLATED', details: [{ code: '11000' }] });
    expect(await ask('download', { id: 'taken', encoding: 'text' })).toEqual({ value: 'first' });
  });

  test.each(['upload', 'rename', 'delete', 'drop'])('%s on /read', async (type) => {
    const members = {
      upload: { filename: 'a', content: '' },
      rename: { id: 1, new_filename: 'b' },
    };
    const given = {
      ...(members as Record<string, object>)[type],
      ...(type === 'delete' ? { id: 1 } : {}),
    };
    const whole = `database.gridfs_bucket.${type}`;
    const message = `Requests of type ${whole} write; send them to /write`;
    expect(await failureOf(ask(type, given, { mode: 'read' }))).toEqual({
      code: 'BAD_REQUEST',
      message,
      details: [{ path: 'type', message }],
    });
  });

  test('code in a filter on /read', async () => {
    const asked = ask('find', { filter: { $where: 'true' } }, { mode: 'read' });
    expect(await failureOf(asked)).toMatchObject({ code: 'BAD_REQUEST' });
  });

  test.each([
    [{}, 'id', 'is given, or else filename'],
    [{ id: 1, filename: 'a' }, 'id', 'is given, or else filename'],
    [{ id: 1, revision: 0 }, 'revision', 'goes with filename'],
    [{ id: '' }, 'id', 'must be the _id of a file, and not empty'],
  ])('a download of %j', async (members, path, message) => {
    expect(await failureOf(ask('download', members))).toEqual(refused(path, message));
  });

  test('text of a file that is none', async () => {
    await database.db.collection('fs.files').deleteMany({ _id: 'raw' as unknown as ObjectId }); // As above.
    await ask('upload', { id: 'raw', filename: 'raw', content: bytes(new Uint8Array([255])) });
    expect(await failureOf(ask('download', { id: 'raw', encoding: 'text' }))).toEqual(
      refused('encoding', 'is text, and the file is not UTF-8'),
    );
  });

  test('a file larger than a result may be, while it is read', async () => {
    await ask('upload', { id: 'large', filename: 'large', content: 'x'.repeat(3_000) });
    const asked = ask('download', { id: 'large' }, { resultMaxBytes: 3_000 });
    expect(await failureOf(asked)).toEqual({
      code: 'RESULT_TOO_LARGE',
      message: 'The file is larger than a result may be; read it in parts with start and end',
      details: [],
    });
    const part = await ask('download', { id: 'large', end: 1_000 }, { resultMaxBytes: 3_000 });
    expect(part).toEqual({ value: bytes('x'.repeat(1_000)) });
  });

  test('a file in a transaction, which GridFS takes no part in', async () => {
    const body = { type: 'gridfs.upload', filename: 'a', content: 'x' };
    const asked = session.transact([request(body)], callOf('write'));
    const message = 'Files of GridFS take no part in transactions';
    expect(await failureOf(asked)).toEqual({
      code: 'BAD_REQUEST',
      message,
      details: [{ path: 'type', message, operation: 0 }],
    });
  });
});

test('pieces whose file was never finished by another client are told, not guessed', async () => {
  const files = database.db.collection<{ _id: string }>('fs.files');
  await files.insertOne({ _id: 'torn', length: 4, chunkSize: 2, filename: 'torn' } as {
    _id: string;
  });
  const chunks = database.db.collection('fs.chunks');
  await chunks.insertOne({ files_id: 'torn', n: 1, data: new Binary(Buffer.from('cd')) });
  expect(await failureOf(ask('download', { id: 'torn' }))).toMatchObject({
    code: 'REQUEST_FAILED',
    details: [{ code: 'MongoGridFSChunkError' }],
  });
});
