/** What a stranger learns of an endpoint that speaks Redis, whichever way they ask, and where its secrets are never told. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { ownRedis, type RedisServer } from './servers/redis-server.ts';
import { startUpstash, type UpstashStandIn } from './stand-ins/upstash/server.ts';
import { ask } from './upstash/ask.ts';

const secretOf = (name: string) => `s3cr3t-${name}-${randomUUID()}`;
const PASSWORD = secretOf('password');
const HEADER = secretOf('header');

let gateway: OwnGateway;
let organization: Organization;
let stranger: Organization;
let server: RedisServer;
let upstash: UpstashStandIn;
const endpoint = `own-${randomUUID().slice(0, 8)}`;
beforeAll(async () => {
  gateway = await startGateway({ env: { HTTP_ALLOW_PRIVATE: 'true' } });
  organization = await newOrganization(gateway);
  stranger = await newOrganization(gateway);
  server = await ownRedis({ modules: false, password: PASSWORD });
  upstash = await startUpstash(server.url);
  expect(await create(endpoint, { write_conn: { url: server.url } })).toMatchObject({
    status: 200,
  });
});
afterAll(async () => {
  await upstash?.stop();
  await Promise.all([gateway?.stop(), server?.stop()]);
});

const create = (id: string, config: object, kind = 'redis') =>
  organization.call('POST', '/endpoints', { endpoint: id, kind, config });

describe('of another organization', () => {
  test.each<[method: string, path: string, body: object | undefined, headers: object]>([
    ['POST', 'read', { type: 'get', key: 'k' }, {}],
    ['POST', 'read', { pipeline: [{ type: 'ping' }] }, {}],
    ['POST', 'read', { type: 'subscribe', channels: ['c'] }, { Accept: 'text/event-stream' }],
    ['POST', 'read', { type: 'monitor' }, { Accept: 'text/event-stream' }],
    ['POST', 'write', { type: 'flushall' }, {}],
    ['POST', 'transaction', { operations: [{ type: 'ping' }] }, {}],
    ['POST', 'sessions', undefined, {}],
    ['DELETE', 'sessions/any', undefined, {}],
    ['GET', 'schema', undefined, {}],
    ['POST', 'test', undefined, {}],
  ])('%s %s of %j says no more than of no endpoint', async (method, path, body, headers) => {
    const told = async (id: string) => {
      const reply = await stranger.call(method, `/endpoints/${id}/${path}`, body, { ...headers });
      const text = JSON.stringify(reply).replaceAll(id, 'ID');
      return text.replace(/"request_id":"[^"]*"/, '');
    };
    const found = await told(endpoint);
    expect(found).toContain('"status":404');
    expect(found).toBe(await told('nowhere'));
  });

  test.each(['', '/get/k', '/pipeline', '/multi-exec', '/subscribe/c', '/monitor'])(
    'the facade with %j says no more than of no endpoint',
    async (path) => {
      for (const id of [endpoint, 'nowhere']) {
        const body = path.startsWith('/p') || path === '/multi-exec' ? '[["PING"]]' : '["PING"]';
        const { token } = stranger;
        expect(await ask(`${gateway.url}/upstash/${id}${path}`, { token, body })).toEqual({
          status: 404,
          body: JSON.stringify({ error: `Endpoint ${id} does not exist` }),
        });
      }
    },
  );

  test('a session is found by nobody else, in the same organization either', async () => {
    const opened = await organization.call('POST', `/endpoints/${endpoint}/sessions`);
    const { session_id } = (opened.body as { data: { session_id: string } }).data;
    const token = await organization.member('Admin');
    const headers = { Authorization: `Bearer ${token}`, 'X-Session-Id': session_id };
    const path = `/endpoints/${endpoint}/read`;
    const asked = await organization.call('POST', path, { type: 'ping' }, headers);
    expect(asked).toMatchObject({ status: 404, body: { code: 'SESSION_NOT_FOUND' } });
    expect(
      await organization.call('DELETE', `/endpoints/${endpoint}/sessions/${session_id}`),
    ).toMatchObject({ status: 200 });
  });
});

test.each([
  '%00',
  '%ff',
  'a%20b',
  '%2e%2e%2f',
  '..%2f..%2fapi',
  '%0d%0aX:y',
  'é',
  'a'.repeat(300),
  '__proto__',
  '%F0%9F%98%80',
  '*',
  "'",
])('the facade finds no endpoint called %s, and says so in its own form', async (name) => {
  for (const path of ['', '/get/k', '/pipeline']) {
    const { token } = organization;
    const url = `${gateway.url}/upstash/${name}${path}`;
    const { status, body } = await ask(url, { token, body: '[["PING"]]' });
    expect([status, Object.keys(JSON.parse(body))]).toEqual([
      expect.toBeOneOf([400, 404]),
      ['error'],
    ]);
  }
});

test('a body as large as may be comes through the facade, one byte more does not', async () => {
  const most = 10 * 1024 * 1024;
  const url = `${gateway.url}/upstash/${endpoint}`;
  const { token } = organization;
  for (const fill of ['x', '\xff']) {
    const value = Buffer.alloc(most, fill, 'latin1');
    expect(await ask(`${url}/set/big`, { token, body: value })).toEqual({
      status: 200,
      body: '{"result":"OK"}',
    });
    expect(await ask(`${url}/strlen/big`, { token })).toMatchObject({ body: `{"result":${most}}` });
  }
  const more = Buffer.alloc(most + 1, 'x');
  expect(await ask(`${url}/set/big`, { token, body: more })).toMatchObject({ status: 413 });
});

test('secrets are in no reply, no description and no line of the log', async () => {
  const told: unknown[] = [];
  const tell = async (...[method, path, body]: Parameters<Organization['call']>) => {
    told.push(await organization.call(method, path, body));
  };
  const bad = server.url.replace(PASSWORD, `${PASSWORD}x`);
  const gone = server.url.replace(String(server.port), '1');
  const { url, token } = upstash;
  const configs: [string, object, string?][] = [
    ['far', { write_conn: { url, auth: token }, transport: 'edge' }],
    ['far-wrong', { write_conn: { url, auth: `${token}x` }, transport: 'edge' }],
    ['wrong', { write_conn: { url: bad } }],
    ['gone', { write_conn: { url: gone } }],
    ['option', { write_conn: { url: `${server.url}?password_file=${PASSWORD}` } }],
    ['web', { write_conn: { url, headers: { 'X-Key': HEADER } } }, 'http'],
    ['web-bad', { write_conn: { url, headers: { 'X-Key': `${HEADER}\r\n` } } }, 'http'],
    [
      'web-gone',
      { write_conn: { url: 'http://127.0.0.1:1/', headers: { 'X-Key': HEADER } } },
      'http',
    ],
  ];
  for (const [id, config, kind] of configs) {
    told.push(await create(id, config, kind));
    await tell('GET', `/endpoints/${id}`);
    await tell('POST', `/endpoints/${id}/test`);
  }
  for (const body of [
    { type: 'acl whoami' },
    { type: 'acl list' },
    { type: 'nosuch', args: ['a'] },
    { type: 'get', key: 7, more: 1 },
  ]) {
    await tell('POST', `/endpoints/${endpoint}/write`, body);
    await tell('POST', '/endpoints/far/write', body);
  }
  await tell('POST', '/endpoints/web/read', { path: '/nowhere', fail_on_status: true });
  await upstash.stop();
  await server.stop();
  for (const id of [endpoint, 'far', 'web']) {
    await tell('POST', `/endpoints/${id}/read`, id === 'web' ? {} : { type: 'ping' });
    told.push(await ask(`${gateway.url}/upstash/${id}/ping`, { token: organization.token }));
    await tell('GET', `/endpoints/${id}`);
  }
  await tell('GET', '/audit');
  told.push(await ask(`${gateway.url}/openapi.json`));
  const all = `${JSON.stringify(told)}${gateway.output.stdout()}${gateway.output.stderr()}`;
  expect(all.length).toBeGreaterThan(100_000);
  for (const secret of [PASSWORD, HEADER, token]) expect(all.includes(secret)).toBe(false);
});
