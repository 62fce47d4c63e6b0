/** Bad input over real sockets: each has its reply, and nothing is changed by it. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnGateway, sharedGateway, startGateway } from './gateway.ts';
import { exchange, type Part } from './http/raw.ts';
import { ask, newOrganization, type Organization, refusal } from './organization.ts';
import { freshDatabase } from './servers/backends.ts';

let organization: Organization;
let databaseUrl: string;

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  databaseUrl = (await freshDatabase()).url;
});

const create = (url: string, of = organization) =>
  of.call('POST', '/endpoints', {
    endpoint: 'refused',
    kind: 'postgres',
    config: { write_conn: { url } },
  });
/** The test database's URL with parts replaced. */
const changed = (change: (url: URL) => void): string => {
  const url = new URL(databaseUrl);
  change(url);
  return url.href;
};
describe('a connection that does not come about', () => {
  test.each<[string, () => string, string]>([
    ['to a port that nothing listens on', () => changed((url) => (url.port = '1')), 'refused'],
    [
      'to a name that resolves to nothing',
      () => changed((url) => (url.hostname = 'nowhere.invalid')),
      'does not resolve',
    ],
    [
      'with a wrong password',
      () => changed((url) => (url.password = 'wrong-secret')),
      'authentication failed',
    ],
    [
      'to a database that is not there',
      () => changed((url) => (url.pathname = '/absent')),
      'does not exist',
    ],
    [
      'with TLS to a server without',
      () => changed((url) => url.searchParams.set('sslmode', 'require')),
      'TLS',
    ],
  ])('%s is 502 with the cause, without address or credential', async (_what, url, cause) => {
    const reply = await create(url());
    expect(reply).toMatchObject(refusal('CONNECTION_FAILED', expect.stringContaining(cause)));
    expect(JSON.stringify(reply)).not.toMatch(/127\.0\.0\.1|nowhere\.invalid|wrong-secret/);
  });

  test('because the server never answers is 502 or 504, in time', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    const port = await portOf(silent);
    const reply = await create(`postgresql://u:p@127.0.0.1:${port}/d`);
    silent.close();
    expect([502, 504]).toContain(reply.status);
  });

  test('leaves no endpoint behind', async () => {
    expect(await organization.call('GET', '/endpoints')).toMatchObject({
      body: { data: { endpoints: [] } },
    });
  });
});

describe('a configuration that is not one', () => {
  test.each([
    ['no URL', { config: { write_conn: {} } }, 'INVALID_CONFIGURATION'],
    ['no connection', { config: {} }, 'INVALID_CONFIGURATION'],
    [
      'a URL of another scheme',
      { config: { write_conn: { url: 'mysql://u:p@h/d' } } },
      'INVALID_CONFIGURATION',
    ],
    ['what is no URL', { config: { write_conn: { url: 'nonsense' } } }, 'INVALID_CONFIGURATION'],
    [
      'an option that reaches files',
      { config: { write_conn: { url: 'postgresql://u:p@h/d?sslkey=/etc/passwd' } } },
      'INVALID_CONFIGURATION',
    ],
    [
      'a path as a host',
      { config: { write_conn: { url: 'postgresql://u:p@h/d?host=/var/run' } } },
      'INVALID_CONFIGURATION',
    ],
    ['an unknown kind', { kind: 'oracle', config: { write_conn: { url: 'x' } } }, 'BAD_REQUEST'],
    [
      'an unknown member',
      { config: { write_conn: { url: 'postgresql://u:p@h/d' } }, colour: 'red' },
      'BAD_REQUEST',
    ],
    [
      'an id that is a UUID',
      {
        endpoint: '0b0e8e24-5f0e-4f7c-9f9e-0b8c58e2d7a1',
        config: { write_conn: { url: 'postgresql://u:p@h/d' } },
      },
      'BAD_REQUEST',
    ],
  ] as const)('%s is 400', async (_what, body, code) => {
    const reply = await organization.call('POST', '/endpoints', {
      endpoint: 'refused',
      kind: 'postgres',
      ...body,
    });
    expect([reply.status, (reply.body as { code: string }).code]).toEqual([400, code]);
  });
});

let strict: OwnGateway;
let inside: Organization;
beforeAll(async () => {
  const env = { RELAY_ALLOW: '192.0.2.1', BODY_IDLE_S: '2', BODY_TOTAL_S: '5' };
  strict = await startGateway({ env });
  inside = await newOrganization(strict);
});
afterAll(() => strict?.stop());

describe('a body that is sent slowly', () => {
  const path = '/api/v1/organizations';
  const begin = (body: readonly Part[]) =>
    exchange(strict.url, {
      method: 'PATCH',
      path,
      head: [`Authorization: Bearer ${inside.token}`, 'Content-Length: 100000'],
      body: ['{"description":"', ...body],
    });
  const byteByByte = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? 'x' : 200));

  test.each<[what: string, body: readonly Part[], message: string]>([
    ['and stops', [], 'Nothing of the body arrived for 2 s'],
    ['without a pause', byteByByte, 'The body did not arrive within 5 s'],
  ])('%s is 408, and its connection ends', async (_what, body, message) => {
    const { status, headers, text } = await begin(body);
    expect({ status, body: JSON.parse(text) }).toEqual(refusal('REQUEST_TIMEOUT', message));
    expect(headers.get('Connection')).toBe('close');
  });

  test('but arrives in time is taken', async () => {
    const sent = '{"description":"slow"}';
    const reply = await exchange(strict.url, {
      method: 'PATCH',
      path,
      head: [`Authorization: Bearer ${inside.token}`, `Content-Length: ${sent.length}`],
      body: [sent.slice(0, 5), 1_000, sent.slice(5, 10), 1_000, sent.slice(10)],
    });
    expect(reply.status).toBe(200);
    const { body: after } = await inside.call('GET', '/organizations');
    expect(after).toMatchObject({ description: 'slow' });
  });
});

/** The rule, and the connection whose address it is. */
const REFUSED = [
  { rule: 'address' },
  { path: 'config.write_conn', message: expect.stringContaining('address') },
];

describe('an address that the relay may not reach', () => {
  test.each([
    ['by number', '127.0.0.1'],
    ['as one number', '2130706433'],
    ['in hexadecimal', '0x7f.0.0.1'],
    ['in octal', '0177.0.0.1'],
    ['shortened', '127.1'],
    ['by IPv6', '[::1]'],
    ['mapped into IPv6', '[::ffff:127.0.0.1]'],
    ['by a name that resolves to it', 'localhost'],
    ['of the private networks', '10.0.0.1'],
    ['of link-local, where metadata is served', '169.254.169.254'],
  ])('%s is 400', async (_what, host) => {
    expect(await create(`postgresql://u:p@${host}:5432/d`, inside)).toEqual(
      refusal('ADDRESS_REFUSED', expect.not.stringContaining(host), REFUSED),
    );
  });
});

test.each([
  ['the metadata address', '169.254.169.254', 80],
  ['the gateway itself', '127.0.0.1', 'gateway'],
])('%s is refused even where every address is allowed', async (_what, host, port) => {
  const ours = new URL(organization.gateway.url).port;
  const reply = await create(`postgresql://u:p@${host}:${port === 'gateway' ? ours : port}/d`);
  expect(reply).toEqual(refusal('ADDRESS_REFUSED', expect.any(String), REFUSED));
});

describe('a request that is not one', () => {
  const path = '/endpoints/any/read';

  test('whose body is not JSON is 400, on an endpoint that exists', async () => {
    const endpoint = await organization.addPostgres(databaseUrl);
    const reply = await organization.call('POST', `/endpoints/${endpoint}/read`, '{"query":');
    const message = 'it ends at line 1, column 10, where a value is expected';
    expect(reply).toEqual(
      refusal('BAD_REQUEST', `The body is not JSON: ${message}`, [{ path: 'body', message }]),
    );
    await organization.call('DELETE', `/endpoints/${endpoint}`);
  });

  test.each<[string, Record<string, string>, string]>([
    ['without a token', {}, 'Authentication token required'],
    [
      'with a forged token',
      { Authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' },
      'Invalid token format',
    ],
  ])('%s is 401', async (_what, headers, message) => {
    const reply = await ask(organization.gateway, 'POST', path, {}, headers);
    expect([reply.status, (reply.body as { message: string }).message]).toEqual([401, message]);
  });

  test('to an endpoint that does not exist is 404', async () => {
    expect(await organization.call('POST', path, {})).toEqual(
      refusal('ENDPOINT_NOT_FOUND', 'Endpoint any does not exist'),
    );
  });
});

async function portOf(server: Server): Promise<number> {
  if (!server.listening) await once(server, 'listening');
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('The server does not listen');
}
