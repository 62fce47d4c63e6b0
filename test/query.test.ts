/** A query travels from an HTTP client through worker and relay to a real PostgreSQL, and back. */
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization, refusal, success } from './organization.ts';
import { freshDatabase } from './servers/backends.ts';

let organization: Organization;
let endpoint: string;

beforeAll(async () => {
  const [gateway, database] = await Promise.all([sharedGateway(), freshDatabase()]);
  organization = await newOrganization(gateway);
  endpoint = await organization.addPostgres(database.url);
  await write('create table items (id bigint primary key, name text, price numeric)');
});

const read = (body: unknown, query = '') =>
  organization.call('POST', `/endpoints/${endpoint}/read${query}`, body);
const write = (query: string, params: unknown[] = []) =>
  organization.call('POST', `/endpoints/${endpoint}/write`, { type: 'query', query, params });

describe('rows', () => {
  test('travel with their types and digits, in and out', async () => {
    const big = '9223372036854775807';
    const price = '12345678901234567890.123456789';
    const body = `{"type":"query","query":"insert into items values ($1, $2, $3) returning *","params":[${big},"it's \\"quoted\\"",${price}]}`;
    expect(await organization.call('POST', `/endpoints/${endpoint}/write`, body)).toEqual(
      success({
        columns: [
          { name: 'id', type: 'bigint' },
          { name: 'name', type: 'text' },
          { name: 'price', type: 'numeric' },
        ],
        rows: [{ id: big, name: 'it\'s "quoted"', price }],
        row_count: 1,
        rows_affected: 1,
      }),
    );
  });

  test('are read by the bare form and by the wrapped one', async () => {
    const one = success({
      columns: [{ name: 'n', type: 'integer' }],
      rows: [{ n: 7 }],
      row_count: 1,
    });
    expect(await read({ query: 'select $1::int as n', params: [7] })).toEqual(one);
    expect(
      await read({ request: { kind: 'PostgreSQL', type: 'QUERY', query: 'select 7 as n' } }),
    ).toEqual(one);
  });

  test('keep columns of one name as arrays', async () => {
    expect(await read({ query: 'select 1 as n, 2 as n', row_format: 'array' })).toEqual(
      success({
        columns: [
          { name: 'n', type: 'integer' },
          { name: 'n', type: 'integer' },
        ],
        rows: [[1, 2]],
        row_count: 1,
      }),
    );
  });

  test('have 64-bit columns as text when asked', async () => {
    const reply = await read({ query: 'select 1::int8 as n' }, '?numbers=string');
    expect(reply).toMatchObject(success({ rows: [{ n: '1' }] }));
  });

  test('of a large result pass whole', async () => {
    const reply = await read({
      query: "select i, repeat('x', 1000) as text from generate_series(1, 2000) i",
    });
    const { data } = reply.body as { data: { row_count: number; rows: { i: number }[] } };
    expect([reply.status, data.row_count, data.rows.at(-1)?.i]).toEqual([200, 2000, 2000]);
  });

  test('over the limit are refused by name of the way out', async () => {
    expect(
      await read({ query: "select repeat('x', 1000) from generate_series(1, 11000)" }),
    ).toEqual(refusal('RESULT_TOO_LARGE', expect.stringContaining('application/x-ndjson')));
  });
});

test('a read tells where its time went, and carries the security headers', async () => {
  const response = await organization.send('POST', `/endpoints/${endpoint}/read`, {
    query: 'select 1 as one',
  });
  await response.arrayBuffer();
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'server-timing': expect.stringMatching(
      /^authorize;dur=[\d.]+, node;dur=[\d.]+, backend;dur=[\d.]+$/,
    ),
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

describe('a failed statement', () => {
  test("answers the server's own code and message", async () => {
    expect(await read({ query: 'select nonsense' })).toEqual(
      refusal('REQUEST_FAILED', expect.any(String), [
        {
          source: 'postgres',
          code: '42703',
          message: 'column "nonsense" does not exist',
          position: 8,
        },
      ]),
    );
  });

  test('of a constraint is a conflict', async () => {
    await write('insert into items values (1)');
    expect(await write('insert into items values (1)')).toEqual(
      refusal('CONSTRAINT_VIOLATED', expect.any(String), [
        {
          source: 'postgres',
          code: '23505',
          message: expect.stringContaining('duplicate key value'),
          constraint: 'items_pkey',
        },
      ]),
    );
  });
});

describe('/read', () => {
  test.each([
    ['insert into items values (2)'],
    ['with gone as (delete from items returning id) select * from gone'],
    ['commit; delete from items'],
    ["select pg_notify('a', 'b')"],
    ["copy items to program 'touch /tmp/never'"],
    ['select * from items for update'],
  ])('does not let %s through', async (query) => {
    expect((await read({ query })).status).toBe(400);
  });

  test('refuses a type that writes, naming the way', async () => {
    expect(await read({ type: 'execute', query: 'delete from items' })).toEqual(
      refusal('BAD_REQUEST', 'This request writes: send it to /write', expect.anything()),
    );
  });
});

describe('a transaction', () => {
  const transact = (operations: unknown[]) =>
    organization.call('POST', `/endpoints/${endpoint}/transaction`, { operations });

  test('feeds a result forward', async () => {
    const reply = await transact([
      { query: 'insert into items values (100, $1) returning id', params: ['first'] },
      {
        query: 'insert into items values ($1::bigint + 1, $2) returning id',
        params: [{ $result: '[0].rows[0].id' }, 'second'],
      },
    ]);
    expect(reply).toMatchObject(
      success([{ rows: [{ id: 100 }] }, { rows: [{ id: 101 }] }] as unknown[]),
    );
  });

  test('takes effect whole or not at all, and names the operation that failed', async () => {
    expect(
      await transact([
        { query: 'insert into items values (200)' },
        { query: 'insert into items values (200)' },
      ]),
    ).toEqual(
      refusal('CONSTRAINT_VIOLATED', expect.any(String), [
        expect.objectContaining({ code: '23505', operation: 1 }),
      ]),
    );
    expect(await read({ query: 'select count(*) as n from items where id = 200' })).toMatchObject(
      success({ rows: [{ n: 0 }] }),
    );
  });
});

describe('a session', () => {
  const open = async () => {
    const reply = await organization.call('POST', `/endpoints/${endpoint}/sessions`);
    return (reply.body as { data: { session_id: string } }).data.session_id;
  };
  const inSession = (session: string, query: string, operation = 'write') =>
    organization.call(
      'POST',
      `/endpoints/${endpoint}/${operation}`,
      { query },
      { 'X-Session-Id': session },
    );

  test('keeps its transaction until it ends, and nobody else sees it before', async () => {
    const session = await open();
    await inSession(session, 'begin');
    await inSession(session, 'insert into items values (300)');
    const seen = () => read({ query: 'select count(*) as n from items where id = 300' });
    expect(await seen()).toMatchObject(success({ rows: [{ n: 0 }] }));
    await inSession(session, 'commit');
    expect(await seen()).toMatchObject(success({ rows: [{ n: 1 }] }));
  });

  test('rolls back what was not committed when it is deleted, and is gone', async () => {
    const session = await open();
    await inSession(session, 'begin');
    await inSession(session, 'insert into items values (400)');
    const path = `/endpoints/${endpoint}/sessions/${session}`;
    expect((await organization.call('DELETE', path)).status).toBe(200);
    expect(await read({ query: 'select count(*) as n from items where id = 400' })).toMatchObject(
      success({ rows: [{ n: 0 }] }),
    );
    expect((await inSession(session, 'select 1')).status).toBe(404);
  });

  test('refuses a read inside an open write transaction', async () => {
    const session = await open();
    await inSession(session, 'begin');
    expect(await inSession(session, 'select 1', 'read')).toEqual(
      refusal('TRANSACTION_OPEN', expect.any(String)),
    );
  });

  test('is not for another organization', async () => {
    const session = await open();
    const other = await newOrganization(organization.gateway);
    const theirs = await other.addPostgres((await freshDatabase()).url);
    const reply = await other.call(
      'POST',
      `/endpoints/${theirs}/write`,
      { query: 'select 1' },
      { 'X-Session-Id': session },
    );
    expect(reply).toEqual(refusal('SESSION_NOT_FOUND', expect.any(String)));
  });

  test('is needed for BEGIN', async () => {
    expect(await write('begin')).toEqual(
      refusal('BAD_REQUEST', expect.stringContaining('session'), expect.anything()),
    );
  });
});
