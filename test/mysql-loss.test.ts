/** A relay that is killed takes its MySQL sessions along: what they left open is undone, and calls go on. */
import { randomUUID } from 'node:crypto';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { killRelay } from './processes.ts';
import { backend } from './servers/backends.ts';

let gateway: OwnGateway;
let organization: Organization;
let outside: mysql.Connection;
const database = `test_${randomUUID().replaceAll('-', '')}`;

beforeAll(async () => {
  const [started, { url }] = await Promise.all([startGateway(), backend('mysql')]);
  gateway = started;
  const own = new URL(url);
  outside = await mysql.createConnection(own.href);
  await outside.query(`CREATE DATABASE ${database}`);
  await outside.query(`CREATE TABLE ${database}.t (v int PRIMARY KEY)`);
  own.pathname = `/${database}`;
  organization = await newOrganization(gateway);
  const body = { endpoint: 'my', kind: 'mysql', config: { write_conn: { url: own.href } } };
  expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
});
afterAll(async () => {
  await gateway?.stop();
  await outside.query(`DROP DATABASE ${database}`);
  await outside.end();
});

const write = (query: string, headers = {}) =>
  organization.call('POST', '/endpoints/my/write', { query }, headers);

test('a killed relay leaves no transaction open, and its sessions are gone', async () => {
  const opened = await organization.call('POST', '/endpoints/my/sessions');
  const { session_id } = (opened.body as { data: { session_id: string } }).data;
  const headers = { 'X-Session-Id': session_id };
  await write('BEGIN', headers);
  expect(await write('INSERT INTO t VALUES (1)', headers)).toMatchObject({ status: 200 });
  await killRelay(gateway.pid);
  await expect.poll(async () => (await write('SELECT count(*) AS n FROM t')).status).toBe(200);
  // The lock on the row is gone with the transaction.
  expect(await write('INSERT INTO t VALUES (1)')).toMatchObject({
    status: 200,
    body: { data: { rows_affected: 1 } },
  });
  expect((await write('COMMIT', headers)).status).toBe(404);
});
