/** What a run of a template reports when a relay is lost below it, over a socket. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from '../gateway.ts';
import { newOrganization, type Organization, refusal } from '../organization.ts';
import { killRelay } from '../processes.ts';
import { freshDatabase } from '../servers/backends.ts';

let gateway: OwnGateway;
let organization: Organization;
let watcher: pg.Client;

beforeAll(async () => {
  const [started, { url }] = await Promise.all([startGateway(), freshDatabase()]);
  gateway = started;
  organization = await newOrganization(gateway);
  watcher = new pg.Client(url);
  await watcher.connect();
  await watcher.query('create table notes (id int, at timestamptz)');
  const endpoint = await organization.addPostgres(url);
  const make = (body: object) => organization.call('POST', '/templates', body);
  const query = 'select {{n: Integer}}::int as n from pg_sleep({{seconds: Number}})';
  await make({ id: 'wait', request: 'Read', template: { endpoint, query } });
  const insert =
    'insert into notes select {{n: Integer}}, now() from pg_sleep({{seconds: Number}})';
  await make({ id: 'note', request: 'Write', template: { endpoint, query: insert } });
  for (const [id, onError] of [
    ['outer', {}],
    ['lenient', { onError: { action: 'default', value: 'nobody knows' } }],
  ] as const) {
    const rule = { target: 'row', template: 'wait', input: '$', ...onError };
    await make({ id, name: id, transformationRules: [{ target: 'n', source: 'n' }, rule] });
  }
  const rule = { target: 'row', template: 'note', input: '$' };
  await make({ id: 'outer-note', name: 'Outer', transformationRules: [rule] });
});
afterAll(async () => {
  await watcher?.end();
  await gateway?.stop();
});

const run = (id: string, seconds: number) =>
  organization.call('POST', `/templates/${id}`, { n: 7, seconds });
const ROW = { columns: [{ name: 'n', type: 'integer' }], rows: [{ n: 7 }], row_count: 1 };
const LOST = expect.stringMatching(/^(NODE_UNAVAILABLE|SERVICE_UNAVAILABLE|CONNECTION_FAILED)$/);

/** Kills the relay once the database works on such a statement; waits until there is another. */
async function losing<Result>(begins: string, running: Promise<Result>): Promise<Result> {
  const busy = `select 1 from pg_stat_activity where datname = current_database() and state = 'active' and query like '${begins}%' and pid <> pg_backend_pid()`;
  await expect.poll(async () => (await watcher.query(busy)).rowCount).toBe(1);
  await killRelay(gateway.pid);
  const result = await running;
  await expect.poll(async () => (await run('wait', 0)).status).toBe(200);
  return result;
}

test('a relay lost during a nested read: the run says so, and the next one works', async () => {
  const reply = await losing('select', run('outer', 20));
  expect([502, 503]).toContain(reply.status);
  expect(reply.body).toMatchObject({ code: LOST });
  expect(await run('outer', 0)).toEqual({ status: 200, body: { n: 7, row: ROW } });
});

test('a rule with a default puts it when the relay below it is lost', async () => {
  const reply = await losing('select', run('lenient', 20));
  expect(reply).toEqual({ status: 200, body: { n: 7, row: 'nobody knows' } });
});

test('a relay lost during a nested write leaves its outcome unknown', async () => {
  const reply = await losing('insert', run('outer-note', 20));
  expect(reply).toEqual(refusal('OUTCOME_UNKNOWN', expect.any(String)));
});
