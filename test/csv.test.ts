/** What fails before its first row is a refusal in CSV, too, of each kind whose columns may come before. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { backend } from './servers/backends.ts';

const KINDS = ['postgres', 'mysql', 'clickhouse'] as const;

let organization: Organization;
const id = randomUUID().slice(0, 8);
beforeAll(async () => {
  const [gateway, ...servers] = await Promise.all([sharedGateway(), ...KINDS.map(backend)]);
  organization = await newOrganization(gateway);
  for (const [at, kind] of KINDS.entries()) {
    const config = { write_conn: { url: servers[at]?.url } };
    const made = await organization.call('POST', '/endpoints', endpoint(kind, config));
    expect(made.status).toBe(200);
  }
});

const endpoint = (kind: string, config: unknown) => ({ endpoint: `${kind}-${id}`, kind, config });

function csvOf(kind: string, request: unknown): Promise<Response> {
  const path = `/endpoints/${kind}-${id}/read`;
  return organization.send('POST', path, request, { headers: { Accept: 'text/csv' } });
}

const TOO_LONG = {
  postgres: "SELECT repeat('x', 67108870) AS a",
  clickhouse:
    "SELECT repeat('x', 1000000) AS b, arrayStringConcat(arrayMap(x -> b, range(68))) AS a",
};

describe.each([
  {
    kind: 'postgres',
    fails: 'SELECT 1/(x-1) AS a FROM generate_series(1,1) x',
    sleeps: 'SELECT pg_sleep(30) AS a',
  },
  {
    kind: 'mysql',
    fails: 'SELECT (SELECT 1 UNION SELECT 2) AS a',
    sleeps: 'SELECT SLEEP(30) AS a',
  },
  {
    kind: 'clickhouse',
    fails: 'SELECT throwIf(number = 0) AS a FROM numbers(1)',
    sleeps: 'SELECT sleepEachRow(3) AS a FROM numbers(1)',
  },
])('$kind', ({ kind, fails, sleeps }) => {
  test('a statement that fails before its first row is refused', async () => {
    const reply = await csvOf(kind, { query: fails });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ code: 'REQUEST_FAILED' });
  });

  test('a deadline before the first row is told', async () => {
    const reply = await csvOf(kind, { query: sleeps, timeout_ms: 300 });
    expect(reply.status).toBe(504);
    expect(await reply.json()).toMatchObject({ code: 'TIMED_OUT' });
  });

  test('of no rows there is the line of names', async () => {
    const reply = await csvOf(kind, {
      query: 'SELECT a, 2 AS b FROM (SELECT 1 AS a) t WHERE a > 1',
    });
    expect([reply.status, await reply.text()]).toEqual([200, 'a,b\r\n']);
  });
});

test.each(Object.entries(TOO_LONG))(
  'a first field that is too large is told: %s',
  async (kind, query) => {
    const reply = await csvOf(kind, { query });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ code: 'RESULT_TOO_LARGE' });
  },
);

test('a failure after the first row cuts the connection', async () => {
  const query = 'SELECT 1/(x-200000) AS a FROM generate_series(1,200000) x';
  const reply = await csvOf('postgres', { query });
  expect(reply.status).toBe(200);
  await expect(reply.text()).rejects.toThrow('terminated');
});
