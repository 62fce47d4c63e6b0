/** `config.allow`: what commands may name, on each way into a real server. Spec: keys-and-doors.md §4. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRequest } from '../../../kinds/index.ts';
import type { RedisRequest } from '../../../kinds/redis/index.ts';
import type { Json } from '../../../proto/json.ts';
import { backend } from '../../../test/servers/backends.ts';
import { callOf, jsonOf, openClient, testHost } from '../test/host.ts';
import { verdictOn } from '../test/verdict.ts';
import { type RedisClient, redis } from './index.ts';

let client: RedisClient;
let outside: RedisClient;

beforeAll(async () => {
  const { url } = await backend('redis');
  const open = (settings: { [member: string]: Json }) =>
    openClient(redis, { connection: { url }, mode: 'write', host: testHost(2), settings });
  client = await open({ allow: { keys: ['allow:cart:*', 'allow:stock', 'allow:a.*'] } });
  outside = await open({});
  await outside.run(request('set allow:secret s3cret'), callOf('write'));
  await outside.run(request('set allow:stock 7'), callOf('write'));
});
afterAll(async () => {
  await outside.run(request('del allow:secret allow:stock allow:cart:1'), callOf('write'));
  await Promise.all([client.close(), outside.close()]);
});

function request(command: Json): RedisRequest {
  // Of the kind that was named.
  return parseRequest('redis', { type: 'raw_command', command }).request as RedisRequest;
}

const verdict = async (command: Json) => verdictOn(client.run(request(command), callOf('write')));

describe('a command', () => {
  test.each([
    'ping',
    'GET allow:stock',
    'set allow:cart:1 x',
    'mset allow:cart:1 x allow:stock 8',
    'exists allow:stock allow:cart:2',
    'scan 0 match allow:cart:* count 10',
    'scan 0 match allow:cart:1? type string',
    'sort allow:cart:list limit 0 1 store allow:cart:sorted',
    'zunionstore allow:cart:z 2 allow:cart:x allow:cart:y',
    'xread count 1 streams allow:cart:s allow:stock2x 0 0'.replace('allow:stock2x', 'allow:cart:t'),
    'publish allow:cart:news hello',
    'object encoding allow:stock',
    'memory usage allow:stock',
    'rename allow:cart:1 allow:cart:2',
    'copy allow:cart:2 allow:cart:1',
    'get allow:a.b',
  ])('that names only what is open is taken: %s', async (command) => {
    expect(await verdict(command)).toBe('taken');
  });

  test.each<[Json, string]>([
    ['GET allow:secret', 'allow:secret'],
    ['get allow:cart', 'allow:cart'],
    ['get allow:cart:a.b', 'allow:cart:a.b'],
    ['get allow:a.b.c', 'allow:a.b.c'],
    ['mget allow:stock allow:secret', 'allow:secret'],
    ['mset allow:stock 1 allow:secret 2', 'allow:secret'],
    ['rename allow:stock allow:secret', 'allow:secret'],
    ['copy allow:secret allow:stock', 'allow:secret'],
    ['sort allow:cart:list store allow:secret', 'allow:secret'],
    ['zunionstore allow:cart:z 2 allow:cart:x allow:secret', 'allow:secret'],
    ['xread streams allow:cart:s allow:secret 0 0', 'allow:secret'],
    ['lmpop 2 allow:cart:x allow:secret left', 'allow:secret'],
    ['bitop and allow:stock allow:secret', 'allow:secret'],
    ['georadius allow:cart:g 1 1 1 km store allow:secret', 'allow:secret'],
    ['publish other x', 'other'],
    ['scan 0 match allow:*', 'allow:*'],
    ['scan 0 match *', '*'],
    ['scan 0 match allow:cart:* match *', '*'],
    ['scan 0 match allow:secret', 'allow:secret'],
    ['object encoding allow:secret', 'allow:secret'],
    [['get', { $bytes: Buffer.from('allow:secret').toString('base64') }], 'allow:secret'],
    [['get', { $bytes: '/w==' }], '(binary)'],
  ])('that names more is refused: %j', async (command, name) => {
    expect(await verdict(command)).toBe(`allow ${name}`);
  });

  test.each([
    'keys *',
    'keys allow:cart:*',
    'scan 0',
    'randomkey',
    'eval \'return redis.call("get", "allow:secret")\' 0',
    "eval 'return 1' 1 allow:stock",
    'evalsha abc 1 allow:stock',
    'eval_ro x 1 allow:stock',
    'fcall f 1 allow:stock',
    'function list',
    'script load x',
    'ft.search allow:stock *',
    'ft._list',
    'flushall',
    'flushdb',
    'swapdb 0 1',
    'move allow:stock 1',
    'copy allow:stock allow:cart:1 db 1',
    'migrate 127.0.0.1 6379 allow:stock 0 10',
    'sort allow:cart:list by allow:secret*',
    'sort allow:cart:list get allow:secret*',
    'config get *',
    'client list',
    'client tracking on bcast',
    'pubsub channels',
    'debug object allow:stock',
    'acl list',
    'ts.mget filter a=b',
    'georadius allow:cart:g 1 1 1 km store allow:stock store allow:secret',
    'nobodyknows allow:stock',
  ])('whose keys cannot be known is refused: %s', async (command) => {
    expect(await verdict(command)).toBe('allow_undecided');
  });
});

describe('each way in refuses', () => {
  const FORBIDDEN = { code: 'FORBIDDEN' };
  const bad = 'get allow:secret';

  test('a pipeline, naming the command', async () => {
    const pipeline = {
      type: 'pipeline',
      pipeline: [{ type: 'ping' }, { type: 'get', args: ['allow:secret'] }],
    };
    const parsed = parseRequest('redis', pipeline).request as RedisRequest; // As above.
    await expect(client.run(parsed, callOf('write'))).rejects.toMatchObject({
      ...FORBIDDEN,
      details: [{ rule: 'allow', path: 'pipeline.1.type', name: 'allow:secret' }],
    });
  });

  test('a transaction, a session, raw replies', async () => {
    const set = request('set allow:stock 99');
    await expect(client.transact([set, request(bad)], callOf('write'))).rejects.toMatchObject(
      FORBIDDEN,
    );
    expect(jsonOf(await outside.run(request('get allow:stock'), callOf('read')))).not.toEqual({
      value: '99',
    });
    const raw = callOf('write', { replyForm: 'json' });
    await expect(client.run(request(bad), raw)).rejects.toMatchObject(FORBIDDEN);
    const lease = await client.lease(callOf('write'));
    await lease.run(request('multi'), callOf('write'));
    await expect(lease.run(request(bad), callOf('write'))).rejects.toMatchObject(FORBIDDEN);
    for (const command of ['select 1', 'monitor']) {
      await expect(lease.run(request(command), callOf('write'))).rejects.toMatchObject(FORBIDDEN);
    }
    await lease.close();
  });

  test.each([
    'subscribe other',
    'psubscribe *',
    'monitor',
    'subscribe __keyspace@0__:allow:secret',
  ])('events: %s', async (command) => {
    const events = async () => {
      for await (const _ of client.watch(request(command), callOf('read'))) return;
    };
    await expect(events()).rejects.toMatchObject(FORBIDDEN);
  });

  test('changes of keys that are not open', async () => {
    const collections = [{ name: 'allow:*', operations: ['insert' as const] }];
    await expect(
      client.prepareChanges({ slot: 'allow', collections }, callOf('write')),
    ).rejects.toMatchObject({ ...FORBIDDEN, details: [{ path: 'collections[0]' }] });
  });
});
