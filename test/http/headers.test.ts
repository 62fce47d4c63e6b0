/** What every reply carries, over real sockets: whatever was asked, and however it ends. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { freshDatabase } from '../servers/backends.ts';
import { exchange } from './raw.ts';

let gateway: Gateway;
let organization: Organization;
let endpoint: string;

beforeAll(async () => {
  gateway = await sharedGateway();
  organization = await newOrganization(gateway);
  endpoint = await organization.addPostgres((await freshDatabase()).url);
});

/** What is asked of the gateway; paths are below its origin. */
interface Asked {
  readonly method?: string;
  readonly path: () => string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without a token. */
  readonly stranger?: true;
  readonly status: number;
}

const api = (path: string) => () => `/api/v1${path}`;
const onEndpoint = (path: string) => () => `/api/v1/endpoints/${endpoint}${path}`;
const post = { method: 'POST' };
const query = (text: string) => JSON.stringify({ query: text });
const ROWS = 'SELECT generate_series(1, 3) AS n';
const LINES = { Accept: 'application/x-ndjson' };

const REPLIES: readonly [what: string, asked: Asked][] = [
  ['a result', { ...post, path: onEndpoint('/read'), body: query(ROWS), status: 200 }],
  ['rows', { ...post, path: onEndpoint('/read'), body: query(ROWS), headers: LINES, status: 200 }],
  [
    'a failed statement',
    { ...post, path: onEndpoint('/read'), body: query('SELECT x'), status: 400 },
  ],
  ['a resource', { path: onEndpoint(''), status: 200 }],
  ['the head of a resource', { method: 'HEAD', path: onEndpoint(''), status: 200 }],
  [
    'a resource that the client has',
    { path: onEndpoint(''), headers: { 'If-None-Match': '*' }, status: 304 },
  ],
  ['a list', { path: api('/endpoints?limit=1'), status: 200 }],
  ['a stranger refused', { path: api('/endpoints'), stranger: true, status: 401 }],
  ['what is not there', { path: api('/endpoints/nowhere'), status: 404 }],
  ['bad input', { path: api('/endpoints?colour=red'), status: 400 }],
  [
    'a failed precondition',
    { method: 'DELETE', path: onEndpoint(''), headers: { 'If-Match': '"1"' }, status: 412 },
  ],
  [
    'a body that is too large',
    { ...post, path: api('/new'), body: 'x'.repeat(10 * 2 ** 20 + 1), status: 413 },
  ],
  [
    'a body of another type',
    {
      ...post,
      path: api('/new'),
      body: '{}',
      headers: { 'Content-Type': 'text/plain' },
      status: 415,
    },
  ],
  ['a route that there is not', { path: api('/nowhere'), status: 404 }],
  ['a path outside of the API', { path: () => '/', status: 404 }],
  ['a method that the path has not', { method: 'PUT', path: api('/help'), status: 405 }],
  ['OPTIONS that ask for no page', { method: 'OPTIONS', path: api('/help'), status: 405 }],
  ['TRACE', { method: 'TRACE', path: api('/help'), status: 405 }],
  ['whether it is there', { path: () => '/healthz', stranger: true, status: 200 }],
  ['the head of that', { method: 'HEAD', path: () => '/healthz', stranger: true, status: 200 }],
  ['another method of that', { ...post, path: () => '/healthz', stranger: true, status: 405 }],
  ['the documentation', { path: () => '/docs', stranger: true, status: 200 }],
  ['the description', { path: () => '/openapi.json', stranger: true, status: 200 }],
];

/** The reply over a socket of its own. */
function ask({ method = 'GET', path, body, headers = {}, stranger }: Asked, id?: string) {
  const lines = Object.entries({
    ...(stranger ? {} : { Authorization: `Bearer ${organization.token}` }),
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': `${body.length}` }),
    ...headers,
    ...(id === undefined ? {} : { 'X-Request-Id': id }),
  });
  return exchange(gateway.url, {
    method,
    path: path(),
    head: lines.map(([name, value]) => `${name}: ${value}`),
    body: body === undefined ? [] : [body],
  });
}

describe('the reply that is', () => {
  test.each(REPLIES)('%s tells its request, and says how it may be used', async (what, asked) => {
    const id = `of-${what.replaceAll(' ', '-')}`;
    const { status, headers } = await ask(asked, id);
    expect([status, Object.fromEntries(headers)]).toEqual([
      asked.status,
      expect.objectContaining({
        'x-request-id': id,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      }),
    ]);
    const named = [...headers.keys()];
    expect(named).not.toContain('server');
    expect(named).not.toContain('x-powered-by');
    expect(named.filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

test('the reply to HEAD is that to GET without a body', async () => {
  const asked = { path: onEndpoint(''), status: 200 };
  const [get, head] = [await ask(asked), await ask({ ...asked, method: 'HEAD' })];
  expect([
    head.status,
    head.text,
    head.headers.get('ETag'),
    head.headers.get('Content-Type'),
  ]).toEqual([get.status, '', get.headers.get('ETag'), get.headers.get('Content-Type')]);
});

describe('a request id', () => {
  const MADE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  const healthz = { path: () => '/healthz', stranger: true, status: 200 } as const;
  const visible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join('');

  test.each([
    ['of one character', 'x'],
    ['of every visible character', visible],
    ['of 128 characters', 'x'.repeat(128)],
  ])('%s is told again', async (_what, id) => {
    for (const asked of [healthz, { path: api('/nowhere'), status: 404 }]) {
      expect((await ask(asked, id)).headers.get('X-Request-Id')).toBe(id);
    }
  });

  test.each([
    ['that is not there', undefined],
    ['that is empty', ''],
    ['of 129 characters', 'x'.repeat(129)],
    ['with a space', 'a b'],
    ['with a tab', 'a\tb'],
    ['beyond ASCII', 'caf\u00e9'],
    ['that comes twice', 'a\r\nX-Request-Id: b'],
  ])('%s is made again', async (_what, id) => {
    const { headers } = await ask(healthz, id);
    expect(headers.get('X-Request-Id')).toMatch(MADE);
  });

  test('stands in the error too', async () => {
    const { text } = await ask({ path: api('/nowhere'), status: 404 }, 'mine');
    expect(JSON.parse(text)).toMatchObject({ request_id: 'mine' });
  });
});

describe('Server-Timing', () => {
  const DURATION = /;dur=[\d.]+$/;
  const measured = async (asked: Asked) => {
    const { headers } = await ask(asked);
    const parts = headers.get('Server-Timing')?.split(', ') ?? [];
    for (const part of parts) expect(part).toMatch(DURATION);
    return parts.map((part) => part.replace(DURATION, '')).toSorted();
  };
  const run = { ...post, path: onEndpoint('/read'), status: 200 };

  test.each<[what: string, asked: Asked, told: readonly string[]]>([
    ['a result', { ...run, body: query(ROWS) }, ['authorize', 'backend', 'node']],
    ['a failed statement', { ...run, body: query('SELECT x') }, ['authorize', 'backend', 'node']],
    ['rows that begin', { ...run, body: query(ROWS), headers: LINES }, ['authorize', 'node']],
    [
      'rows that do not begin',
      { ...run, body: query('SELECT x'), headers: LINES },
      ['authorize', 'backend', 'node'],
    ],
    ['what was not sent', { ...run, body: '{"query":1}' }, ['authorize']],
    [
      'an endpoint that there is not',
      { path: api('/endpoints/nowhere'), status: 404 },
      ['authorize'],
    ],
    ['a stranger refused', { path: onEndpoint(''), stranger: true, status: 401 }, []],
  ])('tells of %s what was measured', async (_what, asked, told) => {
    expect(await measured(asked)).toEqual(told);
  });
});
