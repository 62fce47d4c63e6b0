/** Servers that say what no server says: each ends its own call, and none of it is served as data. */
import { afterEach, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf, openClient, testHost } from '../test/host.ts';
import { heldBytes } from '../test/memory.ts';
import { type CassandraClient, cassandra } from './index.ts';
import { cql, run } from './test/database.ts';
import {
  type Answerer,
  cell,
  HostileServer,
  INT,
  ints,
  message,
  rows,
  string,
  TEXT,
} from './test/hostile.ts';

let server: HostileServer;
let session: CassandraClient;
const SELECT = cql('SELECT a FROM items');
const ONE = cell(ints(1));

afterEach(async () => {
  await session.close();
  server.stop();
});

async function open(answer: Answerer): Promise<void> {
  server = await HostileServer.start(answer);
  const connection = { url: `cassandra://127.0.0.1:${server.port}` };
  session = await openClient(cassandra, { connection, mode: 'read', host: testHost(1) });
}

async function streamed(): Promise<string> {
  let text = '';
  for await (const piece of session.stream(SELECT, callOf('read'))) {
    text += Buffer.from(piece).toString();
  }
  return text;
}

/** `list` in `list`, so many times. */
const deep = (levels: number) =>
  Buffer.concat([...Array<Buffer>(levels).fill(Buffer.from([0, 0x20])), INT]);
/** A type of a class's name. */
const custom = (name: string) => Buffer.concat([Buffer.from([0, 0]), string(name)]);
const LIST = Buffer.from([0, 0x20, 0, 9]);
const packed = (...parts: readonly Buffer[]) => cell(Buffer.concat(parts));

test('what a sound server says is taken', async () => {
  await open(() => message(rows(INT, [ONE])));
  expect((await run(session, SELECT, 'read')).rows).toEqual([{ a: 1 }]);
  expect(await streamed()).toBe('{"a":1}\n');
});

describe.each<[string, () => Buffer]>([
  ['a number of a question that nobody asked', () => message(rows(INT, [ONE]), { stream: 7 })],
  ['a number that no question has', () => message(rows(INT, [ONE]), { stream: -32_768 })],
  ['an event', () => message(string('STATUS_CHANGE'), { opcode: 0x0c, stream: -1 })],
  ['an opcode that there is not', () => message(rows(INT, [ONE]), { opcode: 0x55 })],
  ['a way to enter', () => message(Buffer.alloc(0), { opcode: 0x02 })],
  ['another version', () => message(rows(INT, [ONE]), { version: 0x83 })],
  ['what is compressed', () => message(rows(INT, [ONE]), { flags: 1 })],
  ['two answers', () => Buffer.concat([message(rows(INT, [ONE])), message(rows(INT, [ONE]))])],
  ['a result of no kind', () => message(ints(9))],
  ['nothing to a query', () => message(ints(1))],
  ['what is prepared', () => message(Buffer.concat([ints(4), string('x'), ints(0, 0, 0, 0, 0)]))],
  ['rows without columns', () => message(Buffer.concat([ints(2, 4, 1), ints(1), ONE]))],
  [
    'a row of no columns',
    () => message(Buffer.concat([ints(2, 1, 0), string('k'), string('t'), ints(1)])),
  ],
  ['two billion columns', () => message(ints(2, 0, 2 ** 31 - 1))],
  ['columns less than none', () => message(ints(2, 0, -1))],
  ['two billion rows', () => message(rows(INT, [ONE], { count: 2 ** 31 - 1 }))],
  ['rows less than none', () => message(rows(INT, [], { count: -1 }))],
  ['more than its rows', () => message(rows(INT, [ONE, ONE], { count: 1 }))],
  [
    'a name longer than its message',
    () => message(Buffer.concat([ints(2, 1, 1), Buffer.from([255, 255])])),
  ],
  ['a cell longer than its message', () => message(rows(TEXT, [cell(Buffer.from('abc'), 100)]))],
  ['a cell of -2 bytes', () => message(rows(TEXT, [ints(-2)]))],
  ['a number of three bytes', () => message(rows(INT, [cell(Buffer.alloc(3))]))],
  ['a number of eight bytes', () => message(rows(INT, [cell(Buffer.alloc(8))]))],
  ['a list that is longer than it says', () => message(rows(LIST, [packed(ints(1), ONE, ONE)]))],
  ['a list of two billion', () => message(rows(LIST, [packed(ints(2 ** 31 - 1), ONE)]))],
  ['a type that there is not', () => message(rows(Buffer.from([0, 0x99]), [ONE]))],
  ['types without end', () => message(rows(deep(5_000), [ONE]))],
  ['classes without end', () => message(rows(custom('ListType('.repeat(5_000)), [ONE]))],
  ['a vector of nothing', () => message(rows(custom('VectorType(FloatType, 0)'), [ONE]))],
  [
    'a vector of two billion',
    () => message(rows(custom('VectorType(FloatType, 2000000000)'), [ONE])),
  ],
])('%s', (_, answer) => {
  test('is no answer', async () => {
    await open(answer);
    const failure = { code: 'CONNECTION_FAILED' };
    expect(await failureOf(run(session, SELECT, 'read'))).toMatchObject(failure);
    expect(await failureOf(streamed())).toMatchObject(failure);
  });
});

test('the same page again is none, and pages without end stop with the result', async () => {
  const state = Buffer.from('there');
  await open(() => message(rows(INT, [ONE], { state })));
  expect(await failureOf(run(session, SELECT, 'read'))).toMatchObject({
    code: 'CONNECTION_FAILED',
  });
  await session.close();
  server.stop();
  await open((_, times) => message(rows(INT, [ONE], { state: ints(times) })));
  const failure = await failureOf(run(session, SELECT, 'read', { resultMaxBytes: 5_000 }));
  expect(failure).toMatchObject({ code: 'RESULT_TOO_LARGE' });
});

test('columns that change from page to page end a stream', async () => {
  await open((_, times) => message(rows(times === 1 ? INT : TEXT, [ONE], { state: ints(times) })));
  expect(await failureOf(streamed())).toMatchObject({ code: 'CONNECTION_FAILED' });
});

test.each([600_000_000, 2 ** 32 - 1])(
  'a body of %i bytes ends its call at its head',
  async (length) => {
    await open(() => message(Buffer.alloc(0), { length }));
    const before = await heldBytes();
    const tooLarge = { code: 'RESULT_TOO_LARGE' };
    expect(await failureOf(run(session, SELECT, 'read'))).toMatchObject(tooLarge);
    expect(await failureOf(streamed())).toMatchObject(tooLarge);
    expect((await heldBytes()) - before).toBeLessThan(16 * 1024 * 1024);
  },
);

test('a field that is too large is named', async () => {
  const body = rows(TEXT, [cell(Buffer.from('small')), cell(Buffer.from('x'), 70_000_000)]);
  await open(() => message(body, { length: 70_000_100 }));
  const told = 'The field a of a row is larger than 64 MiB';
  expect(await failureOf(streamed())).toMatchObject({ code: 'RESULT_TOO_LARGE', message: told });
});

test('of a page that is too large a stream asks for fewer rows', async () => {
  const large = message(Buffer.alloc(0), { length: 100_000_000 });
  // Its size is at the end of the message.
  const sizes: number[] = [];
  await open((body) => {
    sizes.push(body.readInt32BE(body.length - 4));
    return sizes.length < 3 ? large : message(rows(INT, [ONE]));
  });
  expect(await streamed()).toBe('{"a":1}\n');
  expect(sizes).toEqual([...sizes].sort((one, other) => other - one));
  expect(new Set(sizes).size).toBe(3);
});

test('a few bytes that would be endless text are too large', async () => {
  // Each empty tuple in the list is written with as many nulls as its type has members.
  const members = Buffer.concat([
    Buffer.from([0, 0x31, 0xc0, 0]),
    ...Array<Buffer>(0xc000).fill(INT),
  ]);
  const type = Buffer.concat([Buffer.from([0, 0x20]), members]);
  const list = packed(ints(100_000), Buffer.alloc(400_000));
  await open(() => message(rows(type, [list])));
  const tooLarge = { code: 'RESULT_TOO_LARGE' };
  expect(await failureOf(streamed())).toMatchObject(tooLarge);
});
