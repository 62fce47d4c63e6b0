/** Retries with an Idempotency-Key over real sockets, against a real database. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { asResponse, checkedReply } from './openapi/checked-fetch.ts';
import { newOrganization, type Organization, type Reply, refusal } from './organization.ts';
import { freshDatabase } from './servers/backends.ts';

let organization: Organization;
let path: string;
let database: pg.Client;

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  const { url } = await freshDatabase();
  path = `/endpoints/${await organization.addPostgres(url)}/write`;
  database = new pg.Client({ connectionString: url });
  await database.connect();
  await database.query('create table t (key text)');
});
afterAll(() => database?.end());

const insert = (key: string, seconds = 0) => ({
  query: 'insert into t select $1 from pg_sleep($2) returning key, gen_random_uuid() as id',
  params: [key, seconds],
});
/** The call that inserts a row for the key. */
async function call(key: string, seconds = 0) {
  const init = { headers: { 'Idempotency-Key': key } };
  const response = await organization.send('POST', path, insert(key, seconds), init);
  const replayed = response.headers.get('Idempotent-Replayed');
  return { status: response.status, replayed, body: (await response.json()) as unknown };
}
async function rowsOf(key: string): Promise<number> {
  const { rows } = await database.query('select count(*)::int as n from t where key = $1', [key]);
  return rows[0].n;
}
const RUNNING = {
  ...refusal('IDEMPOTENCY_KEY_RUNNING', expect.any(String)),
  replayed: null,
};

test('two hundred calls at once with one key write one row, and tell of no other', async () => {
  const key = randomUUID();
  const replies = await Promise.all(Array.from({ length: 200 }, () => call(key, 0.05)));
  const first = replies.filter(({ status, replayed }) => status === 200 && replayed === null);
  expect(first).toHaveLength(1);
  const again = { ...first[0], replayed: 'true' };
  for (const reply of replies) expect([first[0], again, RUNNING]).toContainEqual(reply);
  expect(await call(key, 0.05)).toEqual(again);
  expect(await rowsOf(key)).toBe(1);
});

test('a client that goes away finds the reply when they ask again', async () => {
  const key = randomUUID();
  const leaving = new AbortController();
  const init = { headers: { 'Idempotency-Key': key }, signal: leaving.signal };
  const left = organization.send('POST', path, insert(key, 3), init);
  const running =
    "select 1 from pg_stat_activity where datname = current_database() and state = 'active' and query like 'insert into t%'";
  await expect.poll(async () => (await database.query(running)).rowCount).toBe(1);
  leaving.abort();
  await expect(left).rejects.toThrow();
  expect(await call(key, 3)).toEqual(RUNNING);
  await expect
    .poll(() => call(key, 3), { interval: 200 })
    .toMatchObject({ status: 200, replayed: 'true' });
  expect(await rowsOf(key)).toBe(1);
});

/** A POST with these values of the header, as they are. */
async function raw(keys: readonly string[]): Promise<Reply> {
  const headers = {
    Authorization: `Bearer ${organization.token}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': [...keys],
  };
  const url = `${organization.gateway.url}/api/v1${path}`;
  const sent = request(url, { method: 'POST', headers });
  sent.end(JSON.stringify(insert('never')));
  const [response] = await once(sent, 'response');
  const checked = await checkedReply(url, 'POST', asResponse(response));
  return { status: checked.status, body: await checked.json() };
}

test.each([
  ['empty', ['']],
  ['blank', ['  ']],
  ['of 256 characters', ['x'.repeat(256)]],
  ['of 5,000 characters', ['x'.repeat(5_000)]],
  ['with a space', ['a b']],
  ['with what is not ASCII', ['clé']],
  ['given twice', ['a', 'b']],
])('a key %s is 400, and nothing is written', async (_what, keys) => {
  const message = 'must be one key of 1 to 255 visible ASCII characters';
  expect(await raw(keys)).toEqual(
    refusal('BAD_REQUEST', `Idempotency-Key: ${message}`, [{ path: 'Idempotency-Key', message }]),
  );
  expect(await rowsOf('never')).toBe(0);
});
