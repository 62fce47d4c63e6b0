/** What the suite of every driver needs to know of this one. */
import type { RedisRequest } from '../../../kinds/redis/command.ts';
import { CHANGE_OPERATIONS } from '../../../proto/changes.ts';
import { ownRedis, type RedisServer } from '../../../test/servers/redis-server.ts';
import type { DriverContract } from '../contract.ts';
import type { ChangedCase } from '../contract-changes.ts';
import { redis } from './index.ts';
import { DirectClient } from './test/direct-client.ts';

const PASSWORD = 'a-password-of-tests';
let server: RedisServer;
let outside: DirectClient;

const request = (type: string, ...args: string[]): RedisRequest => ({ type, args });

/** Ids of the clients that are not this suite's own. */
async function clients(): Promise<string[]> {
  const own = (await outside.send('CLIENT', 'ID')).text?.toString();
  const list = (await outside.send('CLIENT', 'LIST')).text?.toString() ?? '';
  return [...list.matchAll(/^id=(\d+)/gm)].map(([, id = '']) => id).filter((id) => id !== own);
}

/** Numbers by key, whose changes are told. */
const changed: ChangedCase<RedisRequest> = {
  collections: [{ name: 'changed:*', operations: CHANGE_OPERATIONS }],
  set: (key, value) => request('set', `changed:${key}`, String(value)),
  add: (from, count) =>
    request(
      'mset',
      ...Array.from({ length: count }, (_, at) => [
        `changed:${from + at}`,
        `${from + at}${'x'.repeat(500)}`,
      ]).flat(),
    ),
  read: (key) => request('get', `changed:${key}`),
  readText: (result) => /^\{"result":(.*)\}$/.exec(result)?.[1] ?? '',
  told: ({ key, after }) => ({
    key: Number(/\d+/.exec(Buffer.from(key).toString())?.[0]),
    value: Number(JSON.parse(Buffer.from(after ?? []).toString())),
  }),
  keeps: false,
  longest: 20_000,
};

/** What the suite is run with. */
export const redisContract: DriverContract<RedisRequest> = [
  'redis',
  async () => {
    server = await ownRedis({ password: PASSWORD, modules: false });
    outside = await DirectClient.connect(server.url);
    await outside.send('CONFIG', 'SET', 'notify-keyspace-events', 'KEA');
    const rows = Array.from({ length: 1_000 }, (_, at) => `${at}${'x'.repeat(95)}`);
    await outside.send('RPUSH', 'rows', ...rows);
    const wrong = server.url.replace(PASSWORD, 'not-the-password');
    return {
      driver: redis,
      connections: {
        right: { url: server.url },
        wrongPassword: { url: wrong },
        password: PASSWORD,
      },
      invalid: [
        { connection: { url: 'http://127.0.0.1' }, message: /redis/ },
        { connection: { url: 'redis://127.0.0.1/x' }, message: /database|number/i },
      ],
      add: (name) => request('rpush', `entries:${name}`, 'x'),
      count: (name) => request('llen', `entries:${name}`),
      counted: (result) => (result as { result: number }).result,
      slow: request('xread', 'BLOCK', '30000', 'STREAMS', 'nothing', '$'),
      refused: { request: request('get', 'one', 'too many'), code: 'ERR' },
      rows: (count) => request('lrange', 'rows', '0', String(count - 1)),
      events: {
        watch: request('subscribe', 'news'),
        cause: request('publish', 'news', 'hello'),
        event: { channel: 'news', message: 'hello' },
      },
      changed,
      once: {
        place: 'causeway_once',
        big: (name) => ({
          operations: [
            request('rpush', `entries:${name}`, 'x'),
            request('echo', 'x'.repeat(70_000)),
          ],
        }),
        failing: (name) => ({
          operations: [request('rpush', `entries:${name}`, 'x'), request('get', 'one', 'too many')],
        }),
      },
      backendConnections: async () => (await clients()).length,
      async dropIdle() {
        for (const id of await clients()) await outside.send('CLIENT', 'KILL', 'ID', id);
      },
    };
  },
  async () => {
    outside.close();
    await server.stop();
  },
  {
    conflict: 'Redis has no constraints',
    running: 'its protocol cannot cancel: a command that waits is told beforehand for how long',
    state: 'what leaves something on a connection is taken in sessions alone',
    inspect: 'it has no tables',
    join: 'what was done stays, whatever fails after it',
    prepare: 'what was done stays, whatever fails after it',
    warnings: 'nothing about a credential is known to deserve one',
    stream: 'a reply is one value, whose length the server says first',
  },
];
