/** Which replies are held to be wrong, and how a request is told to be sent again. */
import { describe, expect, test } from 'vitest';
import { curlOf, type Exchange } from './exchange.ts';
import { faultsOf, type Knowledge, secretsIn } from './judge.ts';
import { operationsOf } from './operations.ts';

const DATABASE = 'postgresql://shop:p@127.0.0.1:5432/shop';
const known: Knowledge = {
  gateway: 'http://127.0.0.1:1',
  token: 't',
  database: DATABASE,
  marks: ['vault17', '0b0e8e24-5f0e-4f7c-9f9e-0b8c58e2d7a1'],
};

function exchange(more: {
  readonly status?: number;
  readonly reply?: unknown;
  readonly headers?: readonly string[];
  readonly body?: unknown;
  readonly ms?: number;
  readonly target?: string;
}): Exchange {
  const { status, reply = {}, headers = [], body, ms = 1, target = '/api/v1/endpoints' } = more;
  return {
    sent: { method: 'POST', target, headers: [], body: Buffer.from(JSON.stringify(body ?? {})) },
    answered:
      status === undefined
        ? undefined
        : { status, headers, body: Buffer.from(JSON.stringify(reply)) },
    ms,
  };
}

const config = (url: string) => ({ config: { write_conn: { url } } });

describe('a reply', () => {
  test.each<[string, Parameters<typeof exchange>[0], string[]]>([
    ['of a 200', { status: 200 }, []],
    ['of a refusal', { status: 404 }, []],
    ['of a 501', { status: 501, reply: { code: 'NOT_SUPPORTED' } }, []],
    ['of a 500', { status: 500, reply: { code: 'INTERNAL' } }, ['500 INTERNAL']],
    ['that never came', { ms: 40_000 }, ['no whole reply within 40.0 s']],
    ['that took too long', { status: 200, ms: 36_000 }, ['the reply took 36.0 s']],
    [
      'with a mark in its body',
      { status: 200, reply: { a: 'x-VAULT17-y' } },
      ['the reply tells of another organization'],
    ],
    [
      'with a mark in a header',
      { status: 200, headers: ['ETag', '"0B0E8E24-5F0E-4F7C-9F9E-0B8C58E2D7A1"'] },
      ['the reply tells of another organization'],
    ],
    [
      'of a backend that cannot be reached',
      {
        status: 502,
        reply: { code: 'CONNECTION_FAILED' },
        body: config('postgresql://u:p@127.0.0.1:1/d'),
      },
      [],
    ],
    [
      'of the backend that can, as if it could not',
      { status: 502, reply: { code: 'CONNECTION_FAILED' }, body: config(DATABASE) },
      ['502 CONNECTION_FAILED'],
    ],
    [
      'to a request that names no backend',
      { status: 503, reply: { code: 'SERVICE_UNAVAILABLE' } },
      ['503 SERVICE_UNAVAILABLE'],
    ],
    [
      'after the time that the request gave',
      { status: 504, reply: { code: 'TIMED_OUT' }, body: { timeout_ms: 100 }, ms: 104 },
      [],
    ],
    [
      'before the time that the request gave',
      { status: 504, reply: { code: 'TIMED_OUT' }, body: { timeout_ms: 5_000 }, ms: 104 },
      ['504 TIMED_OUT'],
    ],
  ])('%s', async (_what, more, faults) => {
    expect(await faultsOf(exchange(more), known)).toEqual(faults);
  });
});

test.each([
  ['POST', '/api/v1/endpoints/shop/read', 'POST /api/v1/endpoints/{endpoint}/read'],
  ['GET', '/api/v1/rbac/endpoints/subjects', 'GET /api/v1/rbac/endpoints/subjects'],
  ['GET', '/api/v1/rbac/endpoints/shop', 'GET /api/v1/rbac/endpoints/{endpoint}'],
  ['DELETE', '/api/v1/endpoints/shop/read', undefined],
  ['POST', '/api/v1/endpoints/shop/read/more', undefined],
])('%s %s is %s', (method, path, name) => {
  const operations = operationsOf({
    paths: {
      '/api/v1/endpoints/{endpoint}/read': { post: {}, parameters: [] },
      '/api/v1/rbac/endpoints/{endpoint}': { get: {} },
      '/api/v1/rbac/endpoints/subjects': { get: {} },
    },
  });
  expect(operations.of(method, path)).toBe(name);
  expect(operations.names).toHaveLength(3);
});

test('a log may hold neither secret nor token', () => {
  const log = 'plain\nwith p4ss\nwith eyJhbGci.eyJzdWIi.c2ln\n';
  expect(secretsIn(log, ['p4ss'])).toEqual(['with p4ss', 'with eyJhbGci.eyJzdWIi.c2ln']);
});

test('a line for a shell sends the same bytes, and names the token', () => {
  const sent = {
    method: 'POST',
    target: "/api/v1/endpoints?q='",
    headers: ['Host', 'x', 'Authorization', 'Bearer eyJa.b.c', 'Content-Length', '7'],
    body: Buffer.from('{"é\'\n'),
  };
  expect(curlOf(sent)).toBe(
    `curl -sS --path-as-is -X POST "$API"'/endpoints?q='\\''' -H 'Authorization: Bearer '"$TOKEN"'' --data-binary $'{"\\xc3\\xa9\\x27\\x0a'`,
  );
});
