/** Pages of other origins. */
import { describe, expect, test } from 'vitest';
import { settingsOf } from '../settings.ts';
import { failure, startGateway, type TestGateway } from '../test/gateway.ts';

const APP = 'https://app.example.com';
const LISTED = { bindings: { CORS_ORIGINS: `${APP}, http://localhost:5173` } };

/** The reply's headers for other origins. */
function shared({ headers }: Response): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'),
  );
}
const READABLE = {
  'access-control-expose-headers':
    'Allow, ETag, Idempotent-Replayed, Location, RateLimit-Policy, Retry-After, Server-Timing, X-Request-Id',
};

function preflight(gateway: TestGateway, origin: string, path = '/endpoints') {
  return gateway.send(path, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
      'X-Request-Id': 'mine',
    },
  });
}

describe('a preflight', () => {
  test('of a listed origin is answered, without a token and whole', async () => {
    const gateway = await startGateway('Read', LISTED);
    const response = await preflight(gateway, APP);
    expect([response.status, await response.text(), Object.fromEntries(response.headers)]).toEqual([
      204,
      '',
      {
        'access-control-allow-headers':
          'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, Upstash-Encoding, Upstash-Response-Format, Upstash-Sync-Token, Upstash-Telemetry-Platform, Upstash-Telemetry-Retry, Upstash-Telemetry-Runtime, Upstash-Telemetry-Sdk, X-Org-Id, X-Request-Id, X-Session-Id',
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-origin': APP,
        'access-control-max-age': '7200',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        vary: 'Origin',
        'x-content-type-options': 'nosniff',
        'x-request-id': 'mine',
      },
    ]);
  });

  test('is answered on any path, however often, with limits on', async () => {
    const bindings = {
      ...LISTED.bindings,
      RATE_LIMITS: 'on',
      LIMIT_NEW_BY_ADDRESS: { limit: () => Promise.resolve({ success: false }) },
    };
    const gateway = await startGateway('Read', { bindings });
    for (const path of ['/new', '/auth/login', '/nowhere']) {
      expect((await preflight(gateway, APP, path)).status).toBe(204);
    }
  });

  test.each([
    ['of an origin that is not listed', 'https://evil.example.com', LISTED],
    ['of a listed one with another scheme', 'http://app.example.com', LISTED],
    ['of a listed one with another port', `${APP}:8443`, LISTED],
    ['of a name that begins like a listed one', `${APP}.evil.net`, LISTED],
    ['of no origin', 'null', LISTED],
    ['of several', `${APP}, ${APP}`, LISTED],
    ['where no origins are listed', APP, {}],
  ])('%s is a method that the path does not have', async (_what, origin, setup) => {
    const response = await preflight(await startGateway('Read', setup), origin);
    expect([response.status, shared(response)]).toEqual([405, { vary: 'Origin' }]);
  });

  test('is nothing else: OPTIONS alone is a method that the path does not have', async () => {
    const gateway = await startGateway('Read', LISTED);
    const response = await gateway.send('/help', { method: 'OPTIONS', headers: { Origin: APP } });
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a reply to a page', () => {
  const origin = { 'access-control-allow-origin': APP, vary: 'Origin' };

  test.each([
    ['that succeeds', '/help', 200],
    ['that refuses', '/endpoints/nowhere', 404],
    ['of a path that there is not', '/nowhere', 404],
  ])('%s can be read by a listed origin', async (_what, path, status) => {
    const gateway = await startGateway('Read', LISTED);
    const headers = { Authorization: `Bearer ${await gateway.token()}`, Origin: APP };
    const response = await gateway.send(path, { headers });
    expect([response.status, shared(response)]).toEqual([status, { ...READABLE, ...origin }]);
  });

  test('without a token is a refusal that can be read', async () => {
    const gateway = await startGateway('Read', LISTED);
    const response = await gateway.send('/help', { headers: { Origin: 'http://localhost:5173' } });
    expect([shared(response), await response.json()]).toEqual([
      { ...READABLE, 'access-control-allow-origin': 'http://localhost:5173', vary: 'Origin' },
      failure('TOKEN_REQUIRED', 'Authentication token required'),
    ]);
  });

  test.each([
    ['of an origin that is not listed', 'https://evil.example.com', LISTED],
    ['where no origins are listed', APP, {}],
  ])('%s cannot be read', async (_what, from, setup) => {
    const gateway = await startGateway('Read', setup);
    const headers = { Authorization: `Bearer ${await gateway.token()}`, Origin: from };
    const response = await gateway.send('/help', { headers });
    expect([response.status, shared(response)]).toEqual([200, { vary: 'Origin' }]);
  });

  test('can be read by every origin where any may call', async () => {
    const gateway = await startGateway('Read', { bindings: { CORS_ORIGINS: '*' } });
    const response = await gateway.send('/help', { headers: { Origin: 'https://any.example' } });
    expect(shared(response)).toEqual({
      ...READABLE,
      'access-control-allow-origin': '*',
      vary: 'Origin',
    });
    expect((await preflight(gateway, 'https://any.example')).status).toBe(204);
  });

  test('carries nothing about this without an origin', async () => {
    const gateway = await startGateway('Read', LISTED);
    expect(shared(await gateway.send('/help'))).toEqual({});
  });
});

describe('the setting', () => {
  const read = (CORS_ORIGINS: string) =>
    settingsOf({
      JWT_SECRET: 'x'.repeat(32),
      INSTALLATION_KEY: 'x'.repeat(43),
      GATEWAY_KEY: '{"kty":"OKP"}',
      RELAY_NODE_PUBLIC_KEY: '{"kty":"EC"}',
      CORS_ORIGINS,
    }).CORS_ORIGINS;

  test.each([
    ['', []],
    ['*', ['*']],
    [
      `${APP},http://[::1]:8080 , capacitor://localhost`,
      [APP, 'http://[::1]:8080', 'capacitor://localhost'],
    ],
  ])('%j is taken', (text, origins) => expect(read(text)).toEqual(origins));

  test.each([
    `${APP}/`,
    `${APP}/path`,
    `${APP}:443`,
    'https://App.example.com',
    'app.example.com',
    '*.example.com',
    'https://*.example.com',
    `*, ${APP}`,
    'null',
    'https://user@app.example.com',
  ])('%j is refused', (text) => {
    expect(() => read(text)).toThrow('CORS_ORIGINS: is neither * nor a list of origins');
  });
});
