/** Changes of keys of a Redis server: what is told of each type, and what is said where the server does not notify. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf, testHost } from '../test/host.ts';
import { all, Reading } from '../test/reading.ts';
import { TestClient } from './test/client.ts';

let redis: TestClient;
let reading: Reading | undefined;
beforeAll(async () => {
  redis = await TestClient.open({ modules: false }, testHost(40));
  await redis.say('CONFIG SET notify-keyspace-events KEAn');
});
afterEach(async () => {
  await reading?.end();
});
afterAll(() => redis.close());

const reader = () => ({ client: redis.session, slot: 'causeway_test' });

/** Watches from now on. */
async function watching(collections: ReturnType<typeof all>): Promise<Reading> {
  reading = await Reading.standing(reader(), collections);
  return reading;
}

test('a key is told from its first value to its end', async () => {
  const told = await watching(all('order:*'));
  await redis.say('SET order:1 new');
  expect(await told.changes(1)).toEqual([
    {
      collection: 'order:1',
      watched: ['order:*'],
      operation: 'insert',
      key: 'order:1',
      after: 'new',
    },
  ]);
  await redis.say('SET order:1 paid');
  await redis.say('SET other 1');
  expect(await told.changes(1)).toEqual([
    {
      collection: 'order:1',
      watched: ['order:*'],
      operation: 'update',
      key: 'order:1',
      after: 'paid',
    },
  ]);
  await redis.say('EXPIRE order:1 1000');
  await redis.say('RENAME order:1 order:2');
  expect((await told.changes(2)).map(({ operation, key }) => [operation, key])).toEqual([
    ['delete', 'order:1'],
    ['insert', 'order:2'],
  ]);
  await redis.say('DEL order:2');
  expect(await told.changes(1)).toEqual([
    { collection: 'order:2', watched: ['order:*'], operation: 'delete', key: 'order:2' },
  ]);
});

test.each([
  ['HSET typed a 1 b two', 'HGETALL typed'],
  ['RPUSH typed a b c', 'LRANGE typed 0 -1'],
  ['SADD typed a', 'SMEMBERS typed'],
  ['ZADD typed 1.5 a 2 b', 'ZRANGE typed 0 -1 WITHSCORES'],
  ['XADD typed 1-1 field value', 'XRANGE typed - +'],
  ['SET typed 9007199254740993', 'GET typed'],
])('%s is told as %s reads it', async (write, read) => {
  await redis.say('DEL typed');
  const told = await watching(all('typed'));
  await redis.say(write);
  const [change] = await told.changes(1);
  expect({ result: change?.after }).toEqual(await redis.run(read, 'read'));
});

test('a key that is no text is told by its bytes', async () => {
  const told = await watching(all('*'));
  await redis.outside.send('SET', Buffer.from([255, 0, 254]), 'x');
  expect(await told.changes(1)).toMatchObject([{ key: { $bytes: '/wD+' }, after: 'x' }]);
});

test('each name that watches is told of its own operations', async () => {
  await redis.say('DEL both');
  const told = await watching([
    { name: 'both', operations: ['delete'] },
    { name: 'bo*', operations: ['insert'] },
  ]);
  await redis.say('SET both 1');
  await redis.say('SET both 2');
  await redis.say('DEL both');
  expect((await told.changes(2)).map(({ operation, watched }) => [operation, watched])).toEqual([
    ['insert', ['bo*']],
    ['delete', ['both']],
  ]);
});

test('what the server does not notify of is named with its setting', async () => {
  const asked = { slot: 'causeway_test', collections: all('a') };
  await redis.say('CONFIG SET notify-keyspace-events Ex');
  try {
    expect(await failureOf(redis.session.prepareChanges(asked, callOf('write')))).toMatchObject({
      code: 'BAD_REQUEST',
      details: [
        {
          path: 'endpoint',
          message: expect.stringMatching(
            /^notify-keyspace-events of the server is "xE", and must be KEA: /,
          ),
        },
      ],
    });
    await redis.say('CONFIG SET notify-keyspace-events Kg$lshzxet');
    expect(await redis.session.prepareChanges(asked, callOf('write'))).toEqual({
      position: '',
      mark: '',
    });
    const inserts = { ...asked, collections: [{ name: 'a', operations: ['insert' as const] }] };
    expect(await failureOf(redis.session.prepareChanges(inserts, callOf('write')))).toMatchObject({
      details: [{ path: 'collections[0]', message: expect.stringMatching(/must be KEAn: /) }],
    });
  } finally {
    await redis.say('CONFIG SET notify-keyspace-events KEAn');
  }
});

test('a reader ends with the signal of its call, and with its connection', async () => {
  const left = await watching(all('left'));
  const rest = failureOf(left.changes(1));
  const reason = new Error('left');
  left.leaving.abort(reason);
  expect(await rest).toBe(reason);
  const lost = await watching(all('lost'));
  await redis.say('CLIENT KILL TYPE pubsub');
  expect(await failureOf(lost.changes(1))).toMatchObject({ code: 'CONNECTION_FAILED' });
});

test('a connection that is lost while its batch is being stored ends the reader, and nothing else', async () => {
  const lost = await watching(all('stored'));
  await redis.say('CLIENT KILL TYPE pubsub');
  await expect.poll(() => redis.say('PUBSUB NUMPAT')).toBe('0');
  // A rejection that nobody holds would have ended the process by now.
  await new Promise(setImmediate);
  expect(await failureOf(lost.changes(1))).toMatchObject({ code: 'CONNECTION_FAILED' });
});
