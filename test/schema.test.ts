/** What a real PostgreSQL holds, told over sockets: pages, cursors, rights. */

import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization, refusal, success } from './organization.ts';
import { freshDatabase } from './servers/backends.ts';

const TABLES = 300;

interface Page {
  readonly namespaces: readonly {
    readonly name: string;
    readonly tables: readonly { readonly name: string }[];
  }[];
  readonly next_cursor?: string;
}

let organization: Organization;
let endpoint: string;

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  const { url } = await freshDatabase();
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `CREATE SCHEMA many;
     CREATE TABLE customers (id bigint PRIMARY KEY, name text NOT NULL, city character varying(40));
     CREATE INDEX customers_city ON customers (city);
     CREATE VIEW lisbon AS SELECT id, name FROM customers WHERE city = 'Lisbon';
     DO $$ BEGIN FOR n IN 1..${TABLES} LOOP
       EXECUTE format('CREATE TABLE many.t%s (a int)', lpad(n::text, 3, '0'));
     END LOOP; END $$`,
  );
  await client.end();
  endpoint = await organization.addPostgres(url);
});

async function page(query: string): Promise<Page> {
  const reply = await organization.call('GET', `/endpoints/${endpoint}/schema${query}`);
  expect(reply).toMatchObject({ status: 200 });
  return (reply.body as { data: Page }).data; // Its status says so.
}

const named = ({ namespaces }: Page) =>
  namespaces.flatMap(({ name, tables }) => tables.map((table) => `${name}.${table.name}`));

describe('the schema of a PostgreSQL endpoint', () => {
  test('has columns, keys and indexes', async () => {
    const { namespaces } = await page('');
    expect(namespaces.find(({ name }) => name === 'public')).toEqual({
      name: 'public',
      tables: [
        {
          name: 'customers',
          type: 'table',
          columns: [
            { name: 'id', type: 'bigint', nullable: false },
            { name: 'name', type: 'text', nullable: false },
            { name: 'city', type: 'character varying', nullable: true },
          ],
          primary_key: ['id'],
          indexes: [
            { name: 'customers_city', columns: ['city'], unique: false },
            { name: 'customers_pkey', columns: ['id'], unique: true },
          ],
        },
        {
          name: 'lisbon',
          type: 'view',
          columns: [
            { name: 'id', type: 'bigint', nullable: true },
            { name: 'name', type: 'text', nullable: true },
          ],
          primary_key: [],
          indexes: [],
        },
      ],
    });
  });

  test(`tells each of ${TABLES} tables once, page by page`, async () => {
    const found: string[] = [];
    let pages = 0;
    for (let query = '?limit=70'; ; ) {
      const told = await page(query);
      pages += 1;
      found.push(...named(told));
      if (told.next_cursor === undefined) break;
      query = `?limit=70&cursor=${told.next_cursor}`;
    }
    expect(pages).toBe(Math.ceil((TABLES + 2) / 70));
    const numbers = Array.from({ length: TABLES }, (_, at) => String(at + 1).padStart(3, '0'));
    expect(found).toEqual([
      ...numbers.map((number) => `many.t${number}`),
      'public.customers',
      'public.lisbon',
    ]);
  });

  test("does not take another organization's cursor", async () => {
    const { next_cursor } = await page('?limit=1');
    const stranger = await newOrganization(organization.gateway);
    const { url } = await freshDatabase();
    const theirs = await stranger.addPostgres(url);
    const path = `/endpoints/${theirs}/schema`;
    expect(await stranger.call('GET', path)).toEqual(success({ namespaces: [] }));
    expect(await stranger.call('GET', `${path}?cursor=${next_cursor}`)).toEqual(
      refusal('BAD_REQUEST', 'cursor: is not one of this list', [
        { path: 'cursor', message: 'is not one of this list' },
      ]),
    );
  });
});
