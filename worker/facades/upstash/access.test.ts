/** Who may speak Upstash's protocol, and how others are refused. */
import { beforeAll, describe, expect, test } from 'vitest';
import { BY_USER, countCaller } from '../../limits/caller.ts';
import { contextOf } from '../../test/audit.ts';
import { insertEndpoint, startGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;
let other: TestGateway;
let endpoint: string;
beforeAll(async () => {
  [gateway, other] = [await startGateway('SuperAdmin'), await startGateway('SuperAdmin')];
  endpoint = await insertEndpoint(gateway);
});

/** A call next to the API. */
async function call(path: string, init: RequestInit & { token?: string } = {}) {
  const { token = await gateway.token(), ...rest } = init;
  const response = await gateway.send(`/../../upstash/${path}`, {
    method: 'POST',
    ...rest,
    headers: { ...(token === '' ? {} : { Authorization: `Bearer ${token}` }), ...rest.headers },
  });
  const text = await response.text();
  const body: unknown = text === '' ? text : JSON.parse(text);
  return { status: response.status, body };
}

describe.each(['', '/', '/get/x', '/get/a%0D%0Ab%E2%80%A8c', '/pipeline', '/subscribe/chat'])(
  '%s',
  (path) => {
    test('is refused without a token', async () => {
      expect(await call(endpoint + path, { token: '', body: '["GET","x"]' })).toEqual({
        status: 401,
        body: { error: 'Authentication token required' },
      });
    });

    test('says no more of another organization’s endpoint than of none', async () => {
      const foreign = await insertEndpoint(other);
      for (const id of [foreign, 'nowhere']) {
        expect(await call(id + path, { body: '["GET","x"]' })).toEqual({
          status: 404,
          body: { error: `Endpoint ${id} does not exist` },
        });
      }
    });

    test('is refused to who may not read', async () => {
      const token = await gateway.token(await gateway.addUser('None'));
      expect(await call(endpoint + path, { token, body: '["GET","x"]' })).toEqual({
        status: 403,
        body: { error: `This operation needs Read access on endpoint ${endpoint}` },
      });
    });

    test('is not for endpoints of another kind', async () => {
      expect(await call(endpoint + path, { body: '["GET","x"]' })).toEqual({
        status: 501,
        body: {
          error: 'This endpoint is of kind Postgres: clients of Upstash reach those of kind Redis',
        },
      });
    });
  },
);

test.each(['_token', '_TOKEN', 'token', 'access_token'])(
  'a token in the URL as %s is refused, whatever the headers have',
  async (name) => {
    expect(await call(`${endpoint}/get/x?${name}=${await gateway.token()}`)).toEqual({
      status: 401,
      body: {
        error: `${name}: a token in the URL is not taken, send it as Authorization: Bearer`,
      },
    });
  },
);

test('other methods are refused, and named', async () => {
  for (const [path, methods] of [
    ['', 'POST, PUT'],
    ['/get/x', 'GET, HEAD, POST, PUT'],
  ]) {
    expect(await call(endpoint + path, { method: 'DELETE' })).toEqual({
      status: 405,
      body: {
        error: `DELETE is not a method of /upstash/${endpoint}${path}: it takes ${methods}`,
      },
    });
  }
});

test('bodies of any type are taken, none that is encoded, and none that is too large', async () => {
  const sent = (headers: Record<string, string>) =>
    call(`${endpoint}/set/x`, { body: 'text', headers }).then(({ status }) => status);
  expect(await sent({ 'Content-Type': 'image/png' })).toBe(501);
  expect(await sent({ 'Content-Encoding': 'gzip' })).toBe(415);
  const large = new Uint8Array(gateway.settings.BODY_MAX_BYTES + 1);
  expect((await call(`${endpoint}/set/x`, { body: large })).status).toBe(413);
});

test('pages of listed origins may speak so, with all that the vendor’s client sends', async () => {
  const bindings = { CORS_ORIGINS: 'https://app.example.com' };
  const shared = await startGateway('Read', { bindings });
  const asked = await shared.send('/../../upstash/cache/pipeline', {
    method: 'OPTIONS',
    headers: { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' },
  });
  const allowed = asked.headers.get('Access-Control-Allow-Headers')?.toLowerCase().split(', ');
  expect([asked.status, allowed]).toEqual([
    204,
    expect.arrayContaining([
      ...['authorization', 'content-type', 'upstash-encoding', 'upstash-sync-token'],
      ...['platform', 'runtime', 'sdk'].map((each) => `upstash-telemetry-${each}`),
    ]),
  ]);
});

test('calls are limited as those of the API are, and told so in one line', async () => {
  const limited = await startGateway('Read', { bindings: { RATE_LIMITS: 'on' } });
  const ctx = { ...contextOf(limited), afterReply: () => {} };
  for (let nth = 0; nth < BY_USER.quota; nth += 1) countCaller(ctx);
  const headers = { Authorization: `Bearer ${await limited.token()}` };
  const reply = await limited.send('/../../upstash/cache/get/x', { headers });
  expect([reply.status, reply.headers.get('Retry-After'), await reply.json()]).toEqual([
    429,
    '60',
    { error: 'Too many requests: try again later' },
  ]);
});
