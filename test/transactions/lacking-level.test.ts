/** Who may only read on an endpoint, and sends it a statement that writes in a transaction. Spec: transactions.md §1, contract §4. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { backend, type FreshDatabase, freshDatabase } from '../servers/backends.ts';

let organization: Organization;
let postgres: FreshDatabase;
let reader: string;

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  postgres = await freshDatabase();
  for (const [kind, url] of [
    ['postgres', postgres.url],
    ['mysql', (await backend('mysql')).url],
  ] as const) {
    const body = { endpoint: kind, kind, config: { write_conn: { url } } };
    expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
  }
  const made = { query: 'CREATE TABLE entries (name varchar(50))' };
  expect(await organization.call('POST', '/endpoints/postgres/write', made)).toMatchObject({
    status: 200,
  });
  reader = await organization.member('Read');
});
afterAll(() => postgres.drop());

test.each([
  ['postgres', "INSERT INTO entries VALUES ('a')"],
  ['postgres', 'SELECT * FROM entries FOR UPDATE'],
  ['postgres', 'SELECT pg_advisory_lock(1)'],
  ['mysql', 'INSERT INTO nowhere VALUES (1)'],
  ['mysql', 'SELECT 1 FOR UPDATE'],
])('is told on %s that Write is missing: %s', async (endpoint, query) => {
  const headers = { Authorization: `Bearer ${reader}` };
  const other = endpoint === 'mysql' ? 'postgres' : 'mysql';
  const operations = [
    { endpoint: other, query: 'SELECT 1' },
    { endpoint, query },
  ];
  const asked = await organization.call('POST', '/transactions', { operations }, headers);
  expect(asked).toMatchObject({
    status: 403,
    body: {
      code: 'FORBIDDEN',
      message: `This operation needs Write access on endpoint ${endpoint}`,
      details: [
        { needed: 'Write', operation: 1 },
        { message: expect.stringContaining('it needs Write access'), operation: 1 },
      ],
    },
  });
  expect(JSON.stringify(asked.body)).not.toContain('/write');
});
