/** Decided transactions whose commit is lost on its way to the relay, in it, or to a database: both sides end committed. Spec: transactions.md §3. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestDatabase as MysqlDatabase } from '../../node-relay/drivers/mysql/test/database.ts';
import { dataFolder, type OwnGateway, startGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { killRelay } from '../processes.ts';
import { POINTS, type Point } from '../proofs/once/line.ts';
import { type FreshDatabase, freshDatabase } from '../servers/backends.ts';
import { HeldLine } from './held-line.ts';

let data: string;
let gateway: OwnGateway;
let organization: Organization;
let fresh: FreshDatabase;
let outside: pg.Client;
let other: MysqlDatabase;
let line: HeldLine;
let otherLine: HeldLine;

beforeAll(async () => {
  data = await dataFolder();
  [gateway, fresh, other] = await Promise.all([
    startGateway({ data }),
    freshDatabase(),
    MysqlDatabase.create('CREATE TABLE entries (name varchar(100))'),
  ]);
  line = await HeldLine.open(fresh.url, /COMMIT PREPARED/);
  otherLine = await HeldLine.open(other.url, /XA COMMIT/);
  outside = new pg.Client(fresh.url);
  await outside.connect();
  await outside.query('CREATE TABLE entries (name text)');
  organization = await newOrganization(gateway);
  for (const [endpoint, kind, url] of [
    ['pg', 'postgres', line.url],
    ['my', 'mysql', otherLine.url],
  ]) {
    const body = { endpoint, kind, config: { write_conn: { url } } };
    expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
  }
});
afterAll(async () => {
  await gateway?.stop('SIGKILL');
  line?.close();
  otherLine?.close();
  await other?.drop();
  await outside?.end();
  await fresh?.drop();
  await rm(data, { recursive: true, force: true });
});

const send = (name: string) =>
  organization.call('POST', '/transactions', {
    operations: [
      { endpoint: 'pg', query: 'INSERT INTO entries VALUES ($1)', params: [name] },
      { endpoint: 'my', query: 'INSERT INTO entries VALUES (?)', params: [name] },
    ],
    timeout_ms: 60_000,
  });

/** The client was told of the commit, and it is there, once, on both sides. */
async function demandCommitted(name: string, reply: { status: number; body: unknown }) {
  const status = expect.stringMatching(/^committ(?:ed|ing)$/);
  expect(reply).toMatchObject({ status: 200, body: { guarantee: 'atomic', status } });
  const effects = async () => [
    (await outside.query('SELECT 1 FROM entries WHERE name = $1', [name])).rows.length,
    (await other.look(`SELECT 1 FROM entries WHERE name = '${name}'`)).length,
  ];
  await expect.poll(effects, { timeout: 10_000 }).toEqual([1, 1]);
  const { transaction_id: id } = reply.body as { transaction_id: string };
  const shown = async () => (await organization.call('GET', `/transactions/${id}`)).body;
  await expect.poll(shown, { timeout: 10_000 }).toMatchObject({
    status: 'committed',
    participants: [{ status: 'committed' }, { status: 'committed' }],
  });
}

/** Both serve: a killed relay has one after it, and connections that were cut are known to be gone. */
async function serving(): Promise<void> {
  const sent = async () => (await send(`before-${randomUUID()}`)).status;
  await expect.poll(sent, { timeout: 20_000 }).toBe(200);
}

beforeEach(serving);

/** Sends what is held at a point of its commit on a line. */
async function holding(line: HeldLine, name: string, point: Point) {
  const held = line.hold(name, point);
  const sent = send(name);
  const early = sent.then((reply) => {
    throw new Error(`It was answered before: ${JSON.stringify(reply)}`);
  });
  early.catch(() => {}); // Told where it comes first.
  return { reached: await Promise.race([held, early]), sent };
}

describe.each(POINTS)('a commit that is held %s', (point) => {
  describe.each([
    ['PostgreSQL', () => line],
    ['MariaDB', () => otherLine],
  ])('on its way to %s', (_, to) => {
    test('and whose relay is killed, with the answers of both', async () => {
      const name = `relay-${randomUUID()}`;
      const { reached, sent } = await holding(to(), name, point);
      const killed = killRelay(gateway.pid);
      reached.cut();
      await killed;
      await demandCommitted(name, await sent);
    });

    test('and whose connection is cut', async () => {
      const name = `line-${randomUUID()}`;
      const { reached, sent } = await holding(to(), name, point);
      reached.cut();
      await demandCommitted(name, await sent);
    });
  });
});
