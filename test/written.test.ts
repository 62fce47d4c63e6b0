/** What a request only passes on reaches the backend as its client wrote it. Contract §1, "Numbers in a body". */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { backend, freshDatabase } from './servers/backends.ts';

let organization: Organization;
const endpoints = { postgres: '', mysql: 'my', redis: 'red' };

beforeAll(async () => {
  const [gateway, server, mysql, redis] = await Promise.all([
    sharedGateway(),
    backend('postgres'),
    backend('mysql'),
    backend('redis'),
  ]);
  organization = await newOrganization(gateway);
  endpoints.postgres = await organization.addPostgres((await freshDatabase(server)).url);
  for (const [kind, { url }] of Object.entries({ mysql, redis })) {
    const endpoint = kind === 'mysql' ? endpoints.mysql : endpoints.redis;
    const body = { endpoint, kind, config: { write_conn: { url } } };
    expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
  }
});

/** The reply's `data`; of its values all that are looked at are texts. */
async function data(endpoint: string, operation: string, body: string): Promise<unknown> {
  const reply = await organization.send('POST', `/endpoints/${endpoint}/${operation}`, body);
  const parsed = (await reply.json()) as { data?: unknown };
  return parsed.data ?? parsed;
}

const firstValue = (of: unknown): unknown => {
  const { rows } = of as { rows: readonly Record<string, unknown>[] };
  return Object.values(rows[0] ?? {})[0];
};

async function valueAt(key: string): Promise<unknown> {
  const reply = await data(endpoints.redis, 'read', `{"type":"get","key":"${key}"}`);
  return (reply as { result: unknown }).result;
}

/** The text that a value arrives as. */
const WAYS: Record<string, (value: string, filler: string) => Promise<unknown>> = {
  'json of PostgreSQL': async (value, filler) =>
    firstValue(
      await data(
        endpoints.postgres,
        'read',
        `{"query":"select $1::json::text, length($2::text)","params":[{"Json":${value}},"${filler}"]}`,
      ),
    ),
  'json of PostgreSQL, in an array': async (value, filler) =>
    firstValue(
      await data(
        endpoints.postgres,
        'read',
        `{"query":"select ($1::json[])[1]::text, length($2::text)","params":[[${value}],"${filler}"]}`,
      ),
    ),
  'json of PostgreSQL, in a transaction': async (value, filler) => {
    const operation = `{"query":"select $1::json::text, length($2::text)","params":[{"Json":${value}},"${filler}"]}`;
    const results = await data(
      endpoints.postgres,
      'transaction',
      `{"operations":[{"query":"select 1"},${operation}]}`,
    );
    return firstValue((results as unknown[])[1]);
  },
  'a text of MySQL': async (value, filler) =>
    firstValue(
      await data(
        endpoints.mysql,
        'read',
        `{"query":"select concat('', ?), length(?)","params":[${value},"${filler}"]}`,
      ),
    ),
  'a value of Redis': async (value, filler) => {
    const key = randomUUID();
    const set = `{"type":"pipeline","pipeline":[{"type":"set","key":"${key}","value":${value}},{"type":"set","key":"${key}2","value":"${filler}"}]}`;
    await data(endpoints.redis, 'write', set);
    return valueAt(key);
  },
};

const DOCUMENTS = [
  '{"p":1.10}',
  '{"b":1,"10":2,"2":[{"3":1.0,"1":2}],"a":-0}',
  '{"large":1000000000000000000000,"small":0.0000001,"e":1E+2,"text":" 1.10,"}',
  '[19.90,1e400,{"x":1.000}]',
];

describe.each(Object.keys(WAYS))('%s', (way) => {
  test.each([
    ['small', 10],
    ['large', 40_000],
    ['larger', 200_000],
  ])('has the digits and the order that a %s request has', async (_, size) => {
    for (const document of DOCUMENTS) {
      expect(await WAYS[way]?.(document, 'x'.repeat(size))).toBe(document);
    }
  });
});

test('a number keeps its text where it is one, and is whole where an integer is wanted', async () => {
  const query =
    'select $1::numeric::text || $2::text || ($3::int)::text || ($4::bigint[])::text || $5::float8::text';
  const body = `{"query":"${query}","params":[19.90,1e21,1.0,[2.0,1e3],1.50]}`;
  expect(firstValue(await data(endpoints.postgres, 'read', body))).toBe('19.901e211{2,1000}1.5');
  const typed = `{"type":"query_typed_read_only","query":"select $1::text || $2::text","params":[[3.0,"int4"],[1.10,"numeric"]]}`;
  expect(firstValue(await data(endpoints.postgres, 'read', typed))).toBe('31.10');
  const key = randomUUID();
  await data(endpoints.redis, 'write', `{"type":"set","key":"${key}","value":1.10,"ex":1e2}`);
  expect(await valueAt(key)).toBe('1.10');
  const expiring = `{"type":"expire","key":"${key}","seconds":60.0}`;
  expect(await data(endpoints.redis, 'write', expiring)).toEqual({ result: 1 });
});

test('a deadline is a number, however it is written', async () => {
  const body = '{"query":"select $1::text","params":[1.0],"timeout_ms":1e4}';
  expect(firstValue(await data(endpoints.postgres, 'read', body))).toBe('1.0');
});
