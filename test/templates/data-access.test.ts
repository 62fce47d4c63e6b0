/** Data-access templates over a socket, with a real PostgreSQL: rights, binding, transactions, caching. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization, type Reply, refusal } from '../organization.ts';
import { freshDatabase } from '../servers/backends.ts';
import { addPerson, grant, type Person } from './person.ts';

let organization: Organization;
let endpoint: string;
let database: pg.Client;
let reader: Person;

beforeAll(async () => {
  const [gateway, { url }] = await Promise.all([sharedGateway(), freshDatabase()]);
  organization = await newOrganization(gateway);
  endpoint = await organization.addPostgres(url);
  database = new pg.Client(url);
  await database.connect();
  await database.query(
    "create table customers (id bigint primary key, name text, balance int not null default 10 check (balance >= 0)); insert into customers values (1, 'Ada'), (2, 'Grace')",
  );
  reader = await addPerson(organization, 'Read');
  await make('customer', 'Read', {
    endpoint,
    query: 'select name from customers where id = {{id: Integer}}',
  });
  await make('named', 'Read', {
    endpoint,
    query: 'select id::int from customers where name = {{name}}',
  });
  await make('rename', 'Write', {
    endpoint,
    query: 'update customers set name = {{name: String}} where id = {{id: Integer}}',
  });
  await make('move', 'Transaction', {
    endpoint,
    operations: [
      {
        query:
          'update customers set balance = balance + {{amount: Integer}} where id = {{to: Integer}}',
      },
      {
        query:
          'update customers set balance = balance - {{amount: Integer}} where id = {{from: Integer}}',
      },
    ],
  });
  await transform('order', [
    { target: 'number', source: 'number' },
    { target: 'customer', template: 'customer', input: { id: 'customer_id' } },
  ]);
});
afterAll(() => database?.end());

async function make(id: string, request: string, template: object): Promise<void> {
  const reply = await organization.call('POST', '/templates', { id, request, template });
  expect(reply).toMatchObject({ status: 200 });
}

async function transform(id: string, rules: readonly object[], more: object = {}): Promise<void> {
  const body = { id, name: id, transformationRules: rules, ...more };
  expect(await organization.call('POST', '/templates', body)).toMatchObject({ status: 200 });
}

const rowsOf = (name: string, type: string, rows: readonly object[]) => ({
  columns: [{ name, type }],
  rows,
  row_count: rows.length,
});
const ADA = rowsOf('name', 'text', [{ name: 'Ada' }]);
const ok = (body: unknown): Reply => ({ status: 200, body });
const FORBIDDEN = refusal('FORBIDDEN', expect.any(String), expect.any(Array));

async function nameOf(id: number): Promise<string> {
  const { rows } = await database.query<{ name: string }>(
    'select name from customers where id = $1',
    [id],
  );
  return rows[0]?.name ?? '';
}

describe('a caller that has Read, and no more', () => {
  test('runs a Read template, by itself and nested', async () => {
    expect(await reader.call('POST', '/templates/customer', { id: 1 })).toEqual(ok(ADA));
    expect(await reader.call('POST', '/templates/order', { number: 7, customer_id: 1 })).toEqual(
      ok({ number: 7, customer: ADA }),
    );
  });

  test('runs neither a Write template nor one that nests it, and changes nothing', async () => {
    await transform('outer-rename', [{ target: 'done', template: 'rename', input: '$' }]);
    for (const id of ['rename', 'outer-rename', 'move']) {
      const input = { id: 1, name: 'Eve', amount: 1, from: 1, to: 2 };
      expect(await reader.call('POST', `/templates/${id}`, input)).toEqual(FORBIDDEN);
    }
    expect(await nameOf(1)).toBe('Ada');
  });

  test('renders a Write template: what would be sent is shown, and not sent', async () => {
    expect(
      await reader.call('POST', '/templates/rename/render', { id: 1, name: 'Eve' }),
    ).toMatchObject(
      ok({
        success: true,
        output: null,
        transformationSteps: [
          {
            request: {
              endpoint,
              operation: 'write',
              request: {
                query: 'update customers set name = $1 where id = $2',
                params: ['Eve', 1],
              },
            },
          },
        ],
      }),
    );
    expect(await nameOf(1)).toBe('Ada');
  });
});

test('a Write template needs Write on the template and on the endpoint', async () => {
  const writer = await addPerson(organization, 'Read');
  const rename = () => writer.call('POST', '/templates/rename', { id: 2, name: 'Hopper' });
  await grant(organization, writer, { template_id: 'rename' }, 'Write');
  expect(await rename()).toEqual(FORBIDDEN);
  await grant(organization, writer, { endpoint_id: endpoint }, 'Write');
  expect(await rename()).toEqual(ok({ columns: [], rows: [], row_count: 0, rows_affected: 1 }));
  expect(await nameOf(2)).toBe('Hopper');
});

test('a transaction happens as a whole, or not at all', async () => {
  const balances = async () => {
    const { rows } = await database.query('select balance from customers order by id');
    return rows.map(({ balance }) => balance);
  };
  const move = (amount: number) =>
    organization.call('POST', '/templates/move', { amount, from: 1, to: 2 });
  expect(await move(4)).toMatchObject({ status: 200 });
  expect(await balances()).toEqual([6, 14]);
  // The second operation violates a constraint after the first one was done.
  expect(await move(7)).toMatchObject({ status: 409, body: { code: 'CONSTRAINT_VIOLATED' } });
  expect(await balances()).toEqual([6, 14]);
});

test('a two-phase transaction is rendered, and runs as a transaction over its endpoints', async () => {
  await make('both', 'TwoPhaseTransaction', {
    operations: [{ endpoint, query: 'update customers set name = {{name}} where id = 1' }],
  });
  expect(await organization.call('POST', '/templates/both/render', { name: 'x' })).toMatchObject(
    ok({ success: true, transformationSteps: [{ request: { operation: 'transaction' } }] }),
  );
  expect(await organization.call('POST', '/templates/both', { name: 'Grace' })).toMatchObject({
    status: 200,
    body: { sequence: expect.any(Number), status: 'committed', results: [{ rows_affected: 1 }] },
  });
  expect(await nameOf(1)).toBe('Grace');
  await organization.call('POST', '/templates/both', { name: 'Ada' });
  expect(await nameOf(1)).toBe('Ada');
});

describe('a value is a value', () => {
  test.each([
    "' or 'a' = 'a",
    "'; drop table customers; --",
    '{{id}}',
    '$1',
    '\\',
    'Ada\u0000',
    'Ada"',
  ])('%o', async (name) => {
    const reply = await organization.call('POST', '/templates/named', { name });
    expect([200, 400]).toContain(reply.status);
    if (reply.status === 200) expect(reply.body).toEqual(rowsOf('id', 'integer', []));
    expect(await nameOf(1)).toBe('Ada');
  });

  test('of the declared type, or all that is wrong is told', async () => {
    expect(await organization.call('POST', '/templates/rename', { id: '1 or true' })).toEqual(
      refusal('BAD_REQUEST', expect.any(String), [
        { path: 'name', message: 'is required' },
        { path: 'id', message: 'must be of type integer' },
      ]),
    );
  });
});

describe('caching', () => {
  const performanceSettings = { caching: { enabled: true, ttl: 60 } };

  test('answers again what was answered, to callers with the right, for the same input alone', async () => {
    await transform('cached', [{ target: 'customer', template: 'customer', input: '$' }], {
      performanceSettings,
    });
    const own = await addPerson(organization, 'Read');
    const run = (id: number) => own.call('POST', '/templates/cached', { id });
    await database.query("insert into customers values (3, 'Mary')");
    expect(await run(3)).toMatchObject(ok({ customer: { rows: [{ name: 'Mary' }] } }));
    await database.query("update customers set name = 'Shelley' where id = 3");
    expect(await run(3)).toMatchObject(ok({ customer: { rows: [{ name: 'Mary' }] } }));
    expect(await run(1)).toMatchObject(ok({ customer: { rows: [{ name: 'Ada' }] } }));
    await grant(organization, own, { endpoint_id: endpoint }, 'None');
    expect(await run(3)).toEqual(FORBIDDEN);
  });

  test('is never of what writes', async () => {
    await transform('not-cached', [{ target: 'done', template: 'rename', input: '$' }], {
      performanceSettings,
    });
    const run = () => organization.call('POST', '/templates/not-cached', { id: 3, name: 'Mary' });
    await run();
    await database.query("update customers set name = 'Shelley' where id = 3");
    await run();
    expect(await nameOf(3)).toBe('Mary');
  });
});

test('nested reads side by side keep the order of the rules', async () => {
  const slow = 'select {{n: Integer}}::int as n from pg_sleep({{seconds: Number}})';
  await make('slow', 'Read', { endpoint, query: slow });
  const each = { target: 'n', template: 'slow', input: { n: 'item.n', seconds: 'item.s' } };
  await transform(
    'side-by-side',
    [{ forEach: { array: 'items', as: 'item' }, target: 'all', rules: [each] }],
    {
      performanceSettings: { parallelization: { enabled: true, maxWorkers: 4 } },
    },
  );
  const items = [2.3, 2.2, 2.1, 2].map((s, n) => ({ n, s }));
  const running = organization.call('POST', '/templates/side-by-side', { items });
  const busy = `select from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep(%' and pid <> pg_backend_pid()`;
  await expect.poll(async () => (await database.query(busy)).rowCount).toBeGreaterThan(1);
  const reply = await running;
  const all = items.map(({ n }) => ({ n: rowsOf('n', 'integer', [{ n }]) }));
  expect(reply).toEqual(ok({ all }));
});

describe('what the requests of one run answer', () => {
  const lengths = (count: number) =>
    Array.from({ length: count }, (_, index) => [
      { template: 'long', input: { n: 'n' }, as: `each${index}` },
      { target: `lengths[${index}]`, expression: `results.each${index}.rows[0].text.length` },
    ]).flat();

  beforeAll(async () => {
    await make('long', 'Read', { endpoint, query: "select repeat('x', {{n: Integer}}) as text" });
    await transform('three', lengths(3));
    await transform('five', lengths(5));
  });

  test('may be larger together than one of them, and is bounded', async () => {
    const call = (id: string) => reader.call('POST', `/templates/${id}`, { n: 9_000_000 });
    expect(await call('three')).toEqual({
      status: 200,
      body: { lengths: [9_000_000, 9_000_000, 9_000_000] },
    });
    expect(await call('five')).toMatchObject({
      status: 400,
      body: { code: 'RESULT_TOO_LARGE' },
    });
    expect(await call('three')).toMatchObject({ status: 200 });
  });
});
