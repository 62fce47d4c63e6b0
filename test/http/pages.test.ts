/** Pages of other origins over real sockets: what a browser asks, and what it then lets them read. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnGateway, sharedGateway, startGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { freshDatabase } from '../servers/backends.ts';
import { type Exchanged, exchange } from './raw.ts';

const ORIGIN = 'https://app.example.com';
let gateway: OwnGateway;
let organization: Organization;
let endpoint: string;

beforeAll(async () => {
  gateway = await startGateway({ env: { CORS_ORIGINS: ORIGIN, RATE_LIMITS: 'on' } });
  organization = await newOrganization(gateway);
  endpoint = await organization.addPostgres((await freshDatabase()).url);
});
afterAll(() => gateway?.stop());

/** As a browser sends it for a page. */
function fromPage(
  method: string,
  path: string,
  head: readonly string[] = [],
  body = '',
): Promise<Exchanged> {
  const length =
    body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`];
  return exchange(gateway.url, {
    method,
    path: `/api/v1${path}`,
    head: [`Origin: ${ORIGIN}`, ...head, ...length],
    body: [body],
  });
}

const asks = (method: string) => [`Access-Control-Request-Method: ${method}`];
const authorization = () => `Authorization: Bearer ${organization.token}`;

describe('a page of a listed origin', () => {
  test('may ask whether it may call, more often than anybody may call', async () => {
    const asked = Array.from({ length: 70 }, () => fromPage('OPTIONS', '/new', asks('POST')));
    const statuses = new Set((await Promise.all(asked)).map(({ status }) => status));
    expect([...statuses]).toEqual([204]);
  });

  test.each<[what: string, send: () => Promise<Exchanged>, status: number]>([
    ['a result', () => fromPage('GET', `/endpoints/${endpoint}`, [authorization()]), 200],
    [
      'rows as they arrive',
      () =>
        fromPage(
          'POST',
          `/endpoints/${endpoint}/read`,
          [authorization(), 'Accept: application/x-ndjson'],
          '{"query":"SELECT 1"}',
        ),
      200,
    ],
    [
      'that it has the resource already',
      () => fromPage('GET', `/endpoints/${endpoint}`, [authorization(), 'If-None-Match: *']),
      304,
    ],
    ['that it lacks a token', () => fromPage('GET', '/endpoints'), 401],
    ['that there is nothing', () => fromPage('GET', '/nowhere'), 404],
    ['that there is no such method', () => fromPage('PUT', '/help'), 405],
    [
      'that its body is too large',
      () => fromPage('POST', '/new', [], 'x'.repeat(10 * 2 ** 20 + 1)),
      413,
    ],
  ])('may read %s', async (_what, send, status) => {
    const { headers, ...reply } = await send();
    expect([
      reply.status,
      headers.get('Access-Control-Allow-Origin'),
      headers.get('Vary'),
      headers.get('Access-Control-Expose-Headers')?.includes('X-Request-Id'),
      headers.get('Access-Control-Allow-Credentials'),
    ]).toEqual([status, ORIGIN, 'Origin', true, null]);
  });
});

test('where no origins are listed, pages are told nothing', async () => {
  const { url } = await sharedGateway();
  for (const method of ['OPTIONS', 'GET']) {
    const head = [`Origin: ${ORIGIN}`, ...asks('GET')];
    const { status, headers } = await exchange(url, { method, path: '/api/v1/help', head });
    expect(status).toBe(method === 'GET' ? 401 : 405);
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});
