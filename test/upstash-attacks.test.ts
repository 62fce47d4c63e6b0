/** Where Redis is reached by Upstash's protocol, and where clients of it reach Redis, nobody who only reads changes anything. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRequest } from '../kinds/index.ts';
import type { RedisCommand, RedisRequest } from '../kinds/redis/command.ts';
import { ATTACKS } from '../node-relay/drivers/redis/test/attacks.ts';
import { type Gateway, sharedGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { onRedis, ownRedis, type RedisServer } from './servers/redis-server.ts';
import { startUpstash, type UpstashStandIn } from './stand-ins/upstash/server.ts';
import { ask } from './upstash/ask.ts';

let gateway: Gateway;
let organization: Organization;
let server: RedisServer;
let upstash: UpstashStandIn;
let endpoint: string;
/** Of a member who may read. */
let token: string;
let before: unknown;
let sent: number;
beforeAll(async () => {
  gateway = await sharedGateway('private');
  organization = await newOrganization(gateway);
  server = await ownRedis();
  upstash = await startUpstash(server.url);
  endpoint = `redis-${randomUUID().slice(0, 8)}`;
  const config = { write_conn: { url: upstash.url, auth: upstash.token }, transport: 'edge' };
  await organization.call('POST', '/endpoints', { endpoint, kind: 'redis', config });
  token = await organization.member('Read');
  await onRedis(
    server.url,
    ['SET', 'victim', 'as it was'],
    ['SET', 'volatile', 'x', 'EX', '100000'],
    ['RPUSH', 'victims', 'b', 'a'],
    ['GEOADD', 'places', '13.3', '38.1', 'Palermo'],
    ['HSET', 'hash', 'f', 'v'],
    ['XADD', 'stream', '1-1', 'f', 'v'],
  );
  before = await state();
  sent = upstash.seen.length;
});
afterAll(async () => {
  await upstash?.stop();
  await server?.stop();
});

/** All keys with their values and ends, functions, users and settings. */
function state(): Promise<unknown> {
  return onRedis(
    server.url,
    ['DEBUG', 'DIGEST'],
    ['EXPIRETIME', 'volatile'],
    ['FUNCTION', 'LIST'],
    ['ACL', 'LIST'],
    ['CONFIG', 'GET', 'maxmemory*'],
  );
}

/** The commands of a request, as clients of Upstash write them; none where it is no request. */
function rowsOf(request: (typeof ATTACKS)[number]['request']): unknown[][] {
  try {
    // The kind's own reader has made it a request of Redis.
    const parsed = parseRequest('redis', JSON.parse(JSON.stringify(request)))
      .request as RedisRequest;
    const commands: readonly RedisCommand[] = 'pipeline' in parsed ? parsed.pipeline : [parsed];
    return commands.map(({ type, args }) => [
      ...type.split(' '),
      ...args.map((word) => (typeof word === 'string' ? word : atob(word.$bytes))),
    ]);
  } catch {
    return [];
  }
}

describe.each(ATTACKS)('$name', ({ request }) => {
  test('is refused on /read', async () => {
    const reply = await organization.call('POST', `/endpoints/${endpoint}/read`, request);
    expect(reply.status).toBeOneOf([400, 403, 501]);
  });

  test('is refused to who may read and speaks as a client of Upstash', async () => {
    const rows = rowsOf(request);
    const url = `${gateway.url}/upstash/${endpoint}`;
    const ways = [
      ...rows.map((row) => ask(url, { token, body: JSON.stringify(row) })),
      ask(`${url}/pipeline`, { token, body: JSON.stringify(rows) }),
      ask(`${url}/multi-exec`, { token, body: JSON.stringify(rows) }),
    ];
    // Of several commands, some read by themselves.
    const told = (await Promise.all(ways)).slice(rows.length > 1 ? rows.length : 0);
    for (const { status } of told) expect(status).toBeOneOf([400, 403, 501]);
  });
});

test('a read whose words would be a path to a write is refused', async () => {
  const events = { Accept: 'text/event-stream' };
  const url = `${gateway.url}/upstash/${endpoint}`;
  const at = `/endpoints/${endpoint}/read`;
  const asReader = { Authorization: `Bearer ${token}` };
  for (const channels of [['..', 'set', 'victim'], ['.', '..', 'del', 'victim'], ['..'], ['']]) {
    const body = JSON.stringify(['SUBSCRIBE', ...channels]);
    expect(await ask(url, { token, headers: events, body })).toMatchObject({ status: 501 });
    const request = { type: 'subscribe', channels };
    expect(await organization.call('POST', at, request, { ...asReader, ...events })).toMatchObject({
      status: 501,
    });
  }
  const words = { type: 'mget', args: ['..', 'set', 'victim', { $bytes: '/w==' }] };
  expect(await organization.call('POST', at, words, asReader)).toMatchObject({ status: 501 });
});

test('and nothing has changed', async () => {
  expect(await state()).toEqual(before);
});

test('no attempt was sent to the vendor, but what of them is a read by itself', () => {
  const paths = upstash.seen.slice(sent).map(({ path }) => path);
  expect(paths.filter((path) => path !== '/')).toEqual([]);
});
