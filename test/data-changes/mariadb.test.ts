/** Workflows that changes of a MariaDB table start, through a real gateway and relay. Spec: workflows.md §5, `dataChange`. */
import { randomUUID } from 'node:crypto';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization } from '../organization.ts';
import { backend } from '../servers/backends.ts';
import { Follower } from './follower.ts';

const database = `test_${randomUUID().replaceAll('-', '')}`;
let follower: Follower;
let outside: mysql.Connection;
let endpoint: string;

beforeAll(async () => {
  const { url } = await backend('mysql');
  outside = await mysql.createConnection(url);
  await outside.query(`CREATE DATABASE ${database}`);
  await outside.query(`USE ${database}`);
  const own = new URL(url);
  own.pathname = `/${database}`;
  const organization = await newOrganization(await sharedGateway());
  endpoint = `my-${randomUUID().slice(0, 8)}`;
  const body = { endpoint, kind: 'MariaDB', config: { write_conn: { url: own.href } } };
  expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
  follower = await Follower.of(organization);
});
afterAll(async () => {
  await follower.organization.call('DELETE', `/endpoints/${endpoint}?confirm=true`);
  await outside.query(`DROP DATABASE ${database}`);
  await outside.end();
});

test('a run has the change as its input, with what was and what is', async () => {
  await outside.query('CREATE TABLE orders (id int PRIMARY KEY, state varchar(10))');
  const trigger = { type: 'dataChange', endpoint, collection: 'orders' };
  const workflow = await follower.workflow(trigger);
  await outside.query("INSERT INTO orders VALUES (7, 'new')");
  await outside.query("UPDATE orders SET state = 'paid' WHERE id = 7");
  await outside.query('DELETE FROM orders WHERE id = 7');
  const runs = await follower.ended(workflow, 3);
  const of = { endpoint, collection: `${database}.orders`, key: { id: 7 } };
  const common = { ...of, id: expect.any(String), time: expect.any(String) };
  const [made, paid] = [
    { id: 7, state: 'new' },
    { id: 7, state: 'paid' },
  ];
  expect(runs.map(({ input }) => input)).toEqual([
    {
      ...{ ...common, operation: 'insert', before: null, after: made },
      changes: { id: { after: 7 }, state: { after: 'new' } },
    },
    {
      ...{ ...common, operation: 'update', before: made, after: paid },
      changes: { state: { before: 'new', after: 'paid' } },
    },
    {
      ...{ ...common, operation: 'delete', before: paid, after: null },
      changes: { id: { before: 7 }, state: { before: 'paid' } },
    },
  ]);
});
