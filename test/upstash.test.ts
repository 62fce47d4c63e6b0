/** The facade for clients of Upstash: its own client finds no difference between it and the vendor's protocol. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from '@upstash/redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, sharedGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { onRedis, ownRedis, type RedisServer } from './servers/redis-server.ts';
import { startUpstash, type UpstashStandIn } from './stand-ins/upstash/server.ts';
import { type Asking, ask } from './upstash/ask.ts';
import { runProgram } from './upstash/program.ts';

let gateway: Gateway;
let organization: Organization;
/** Behind the relay; behind the stand-in that an endpoint is at; behind the one that is the measure. */
let servers: readonly [near: RedisServer, far: RedisServer, twin: RedisServer];
let far: UpstashStandIn;
let measure: UpstashStandIn;
const endpoints = { relay: '', edge: '' };
beforeAll(async () => {
  gateway = await sharedGateway('private');
  organization = await newOrganization(gateway);
  servers = await Promise.all([ownRedis(), ownRedis(), ownRedis()]);
  far = await startUpstash(servers[1].url);
  measure = await startUpstash(servers[2].url);
  endpoints.relay = await add({ write_conn: { url: servers[0].url } });
  endpoints.edge = await add({
    write_conn: { url: far.url, auth: far.token },
    transport: 'edge',
  });
});
afterAll(async () => {
  await Promise.all([far?.stop(), measure?.stop()]);
  await Promise.all((servers ?? []).map((each) => each.stop()));
});
beforeEach(async () => {
  for (const { url } of servers) await onRedis(url, ['FLUSHALL']);
});

async function add(config: object): Promise<string> {
  const endpoint = `redis-${randomUUID().slice(0, 8)}`;
  const reply = await organization.call('POST', '/endpoints', { endpoint, kind: 'redis', config });
  expect(reply).toMatchObject({ status: 200 });
  return endpoint;
}

const facade = (way: 'relay' | 'edge', options: object = {}) =>
  new Redis({
    url: `${gateway.url}/upstash/${endpoints[way]}`,
    token: organization.token,
    retry: false,
    ...options,
  });
const vendor = (options: object = {}) =>
  new Redis({ url: measure.url, token: measure.token, retry: false, ...options });
const send = (path: string, asking: Asking = {}, way: 'relay' | 'edge' = 'relay') =>
  ask(`${gateway.url}/upstash/${endpoints[way]}${path}`, {
    token: organization.token,
    ...asking,
  });
const result = (value: unknown) => ({ status: 200, body: JSON.stringify({ result: value }) });
const refused = (status: number, error: string) => ({ status, body: JSON.stringify({ error }) });

describe.each(['relay', 'edge'] as const)('an endpoint that the %s serves', (way) => {
  test.each([
    ['as it comes', {}],
    ['without base64', { responseEncoding: false }],
    ['one command at a time', { enableAutoPipelining: false }],
    ['without reading of its own', { automaticDeserialization: false, readYourWrites: false }],
  ])('answers a program alike, %s', async (_how, options) => {
    expect(await runProgram(facade(way, options))).toEqual(await runProgram(vendor(options)));
  });

  test('answers 5,000 commands of one pipeline in their order', async () => {
    const commands = Array.from({ length: 5_000 }, () => ['INCR', 'count']);
    const { status, body } = await send('/pipeline', { body: JSON.stringify(commands) }, way);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual(commands.map((_, at) => ({ result: at + 1 })));
  });

  test('answers raw requests alike', async () => {
    const asked: [string, Asking][] = [
      ['/set/b%2Fc?EX=1000', { body: '{"a":1}' }],
      ['/get/b%2Fc', {}],
      ['/get/b%2Fc', { method: 'HEAD' }],
      ['/SET/caf%C3%A9/x', { method: 'PUT' }],
      ['/set/typed', { body: 'plain', headers: { 'Content-Type': 'text/plain' } }],
      ['/mget/caf%C3%A9/typed/nothing', { headers: { 'Upstash-Encoding': 'base64' } }],
      ['/set/bytes', { body: Buffer.from([0xff, 0, 0x80]) }],
      ['/get/bytes', { headers: { 'Upstash-Encoding': 'base64' } }],
      ['/get/bytes', {}],
      ['/get/bytes', { headers: { 'Upstash-Response-Format': 'resp2' } }],
      ['/get/nothing', { headers: { 'Upstash-Response-Format': 'resp2' } }],
      ['/set/a/1', { headers: { 'Upstash-Response-Format': 'resp2' } }],
      ['/', { body: '["INCRBY","n",9223372036854775807]' }],
      ['/', { body: '["GET","n"]', headers: { 'Upstash-Response-Format': 'resp2' } }],
      ['/', { body: '["LPUSH","n","x"]' }],
      ['/pipeline', { body: '[["SET","p","x"],["INCR","p"],["GET","p"]]' }],
      ['/multi-exec', { body: '[["SET","t","x"],["INCR","t"],["GET","t"]]' }],
      [
        '/pipeline',
        {
          body: '[["SET","p",1],["LPUSH","p",1],["HGETALL","h"]]',
          headers: { 'Upstash-Response-Format': 'resp2' },
        },
      ],
    ];
    for (const [path, asking] of asked) {
      const expected = await ask(measure.url + path, { token: measure.token, ...asking });
      expect([path, await send(path, asking, way)]).toEqual([path, expected]);
    }
  });

  test('tells its client what is published, to a channel and to a pattern', async () => {
    const client = facade(way);
    const [channel, pattern] = [client.subscribe('chat'), client.psubscribe('ch*')];
    const heard = Promise.all([
      new Promise((resolve) => channel.on('message', resolve)),
      new Promise((resolve) => pattern.on('pmessage', resolve)),
    ]);
    await Promise.all([
      new Promise((resolve) => channel.on('subscribe', resolve)),
      new Promise((resolve) => pattern.on('psubscribe', resolve)),
    ]);
    await client.publish('chat', { hello: 'world, all' });
    expect(await heard).toEqual([
      { channel: 'chat', message: { hello: 'world, all' } },
      { pattern: 'ch*', channel: 'chat', message: { hello: 'world, all' } },
    ]);
    await channel.unsubscribe();
    await pattern.unsubscribe();
  });
});

test('its connections are within the cap of the endpoint', async () => {
  const own = `redis-${randomUUID().slice(0, 8)}`;
  const made = await organization.call('POST', '/endpoints', {
    endpoint: own,
    kind: 'redis',
    config: { write_conn: { url: servers[0].url } },
    backend_pool_limits: { total_max_connections: 1, production_max_connections: 1 },
  });
  expect(made).toMatchObject({ status: 200 });
  for (let turn = 0; turn < 2; turn += 1) {
    const read = await organization.call('POST', `/endpoints/${own}/read`, { type: 'PING' });
    expect(read).toMatchObject({ status: 200 });
    const { token } = organization;
    expect(await ask(`${gateway.url}/upstash/${own}/ping`, { token })).toEqual(result('PONG'));
    expect(await ask(`${gateway.url}/upstash/${own}/set/x/1`, { token })).toEqual(result('OK'));
  }
});

test("the page's example prints what the page shows", async () => {
  const page = await readFile(join(import.meta.dirname, '../docs/upstash.md'), 'utf8');
  const [, program = '', shown] = /```js\n(.*?)```\n\n```text\n(.*?)```/s.exec(page) ?? [];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program],
    {
      cwd: join(import.meta.dirname, '..'),
      env: {
        UPSTASH_REDIS_REST_URL: `${gateway.url}/upstash/${endpoints.relay}`,
        UPSTASH_REDIS_REST_TOKEN: organization.token,
      },
    },
  );
  expect(stdout).toBe(shown);
});

test.each(['relay', 'edge'] as const)('%s: MONITOR tells an administrator', async (way) => {
  const leave = new AbortController();
  const told = new Promise<string>((resolve, reject) => {
    const { token } = organization;
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
    const url = `${gateway.url}/upstash/${endpoints[way]}/monitor`;
    const sent = request(url, { method: 'POST', headers, signal: leave.signal }, (response) => {
      let text = '';
      let sets = false;
      response.on('error', () => resolve(text));
      response.on('data', (piece) => {
        text += piece;
        if (!sets && text.includes('data: "OK"\n\n')) {
          sets = true;
          void send('/set/monitored/x%22y', {}, way);
        }
        if (response.statusCode !== 200 || /monitored.*\n\n/.test(text)) resolve(text);
      });
    });
    sent.on('error', reject);
    sent.end();
  });
  const shown = await told;
  leave.abort();
  expect(shown.replace(/^:\n\n/gm, '')).toMatch(
    /^data: "OK"\n\n(?:data: .*\n\n)*data: \d+\.\d{6} \[0 0\.0\.0\.0:0\] "set" "monitored" "x\\"y"\n\n$/i,
  );
});

test('replies that are not decoded are for the facade alone', async () => {
  for (const [query, body] of [
    ['?reply_form=json', { type: 'GET', key: 'x' }],
    ['', { type: 'GET', key: 'x', reply_form: 'json' }],
    ['', { type: 'GET', key: 'x', replyForm: 'json' }],
  ] as const) {
    const path = `/endpoints/${endpoints.relay}/read${query}`;
    expect(await organization.call('POST', path, body)).toMatchObject({ status: 400 });
  }
});

describe('a caller', () => {
  const tokens: Record<string, string> = {};
  beforeAll(async () => {
    for (const level of ['Read', 'Write'] as const)
      tokens[level] = await organization.member(level);
  });
  const as = (level: string, path: string, body?: string) =>
    send(path, { token: tokens[level] ?? '', ...(body === undefined ? {} : { body }) });
  const needs = (level: string) =>
    refused(403, `This operation needs ${level} access on endpoint ${endpoints.relay}`);

  test('needs for each command what its request needs', async () => {
    expect(await as('Read', '/get/x')).toEqual(result(null));
    expect(await as('Read', '/pipeline', '[["GET","x"],["TTL","x"]]')).toEqual({
      status: 200,
      body: '[{"result":null},{"result":-2}]',
    });
    expect(await as('Read', '/set/x/1')).toEqual(needs('Write'));
    expect(await as('Read', '/', '["EVAL","return 1",0]')).toEqual(needs('Write'));
    expect(await as('Read', '/pipeline', '[["GET","x"],["SET","x",1]]')).toEqual(needs('Write'));
    expect(await as('Read', '/multi-exec', '[["GET","x"]]')).toEqual(needs('Write'));
    expect(await as('Write', '/set/x/1')).toEqual(result('OK'));
    expect(await as('Write', '/flushall')).toEqual(needs('Admin'));
    expect(await as('Write', '/pipeline', '[["CONFIG","GET","port"]]')).toEqual(needs('Admin'));
    expect(await as('Write', '/multi-exec', '[["FLUSHDB"]]')).toEqual(needs('Admin'));
    expect(await onRedis(servers[0].url, ['GET', 'x'])).toEqual(['1']);
  });

  test('who is refused is in the audit', async () => {
    const requestId = randomUUID();
    const headers = { 'X-Request-Id': requestId };
    // Of one who was not refused before: repeats are told later.
    await send('/set/x/1', { token: await organization.member('Read'), headers });
    const found = async () => {
      const { body } = await organization.call('GET', '/audit?limit=1000');
      const entries: { request_id: string }[] = Object(body).entries;
      return entries.find((each) => each.request_id === requestId);
    };
    await expect.poll(found, { timeout: 60_000 }).toMatchObject({
      action: 'upstash.command',
      resource: expect.stringMatching(/^endpoint:/),
      outcome: 'denied',
    });
  });

  test('needs Admin to hear what others send', async () => {
    const headers = { Accept: 'text/event-stream' };
    const monitor = await send('/monitor', { method: 'POST', token: tokens.Write ?? '', headers });
    expect(monitor).toEqual(needs('Admin'));
  });

  test('may not name a connection that commands would hold to', async () => {
    const told = await send('/', { body: '["SELECT",1]' });
    expect([told.status, told.body]).toEqual([400, expect.stringContaining('needs a session')]);
    const atEdge = await send('/', { body: '["SELECT",1]' }, 'edge');
    expect([atEdge.status, atEdge.body]).toEqual([501, expect.stringContaining('relay')]);
  });

  test('is told in one line what is wrong, and by whom', async () => {
    expect(await send('/lpush/x/1')).toEqual(result(1));
    expect(await send('/get/x')).toEqual(
      refused(400, 'WRONGTYPE Operation against a key holding the wrong kind of value'),
    );
    expect(
      await ask(`${gateway.url}/upstash/nowhere/get/x`, { token: organization.token }),
    ).toEqual(refused(404, 'Endpoint nowhere does not exist'));
    expect(await send(`/get/x?_token=${organization.token}`)).toEqual(
      refused(401, '_token: a token in the URL is not taken, send it as Authorization: Bearer'),
    );
  });

  test('is counted with what they did', async () => {
    const own = await add({ write_conn: { url: servers[0].url } });
    const ways = ['/get/x', '/ttl/x', '/set/x/1', '/lpush/x/1'];
    for (const way of ways) {
      await ask(`${gateway.url}/upstash/${own}${way}`, { token: organization.token });
    }
    const counted = async () => {
      const { body } = await organization.call('GET', `/endpoints/${own}`);
      return Object(body).data.usage;
    };
    const usage = { reads: 2, writes: 2, errors: 1 };
    await expect.poll(counted).toEqual(usage);
  });
});
