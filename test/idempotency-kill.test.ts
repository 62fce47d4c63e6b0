/** What becomes of a call with an Idempotency-Key when the gateway or its relay is killed meanwhile. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataFolder, type OwnGateway, startGateway } from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';
import { newOrganization, type Organization, refusal } from './organization.ts';
import { childrenOf, killRelay, processes, stillRunning } from './processes.ts';
import { freshDatabase } from './servers/backends.ts';

/** Milliseconds that a call is given beyond its own time: worker/idempotency/once.ts. */
const SLACK_MS = 5_000;
/** Short enough to be waited for, and long enough to be killed in. */
const SHORT_MS = 8_000;
/** Longer than any restart takes. */
const LONG_MS = 120_000;
/** Longer than the short one: nothing ends by itself before. */
const SLEEP_S = 12;

let data: string;
let gateway: OwnGateway;
let organization: Organization;
let path: string;
let database: pg.Client;

beforeAll(async () => {
  data = await dataFolder();
  gateway = await startGateway({ data });
  organization = await newOrganization(gateway);
  const { url } = await freshDatabase();
  path = `/endpoints/${await organization.addPostgres(url)}/write`;
  database = new pg.Client({ connectionString: url, application_name: 'watcher' });
  await database.connect();
  await database.query('create table t (key text)');
});

afterAll(async () => {
  await gateway?.stop();
  await database?.end();
  await rm(data, { recursive: true, force: true });
});

/** Inserts a row for the key, some time after it was asked to. */
async function call(key: string, seconds = SLEEP_S, timeout_ms = SHORT_MS) {
  const query = 'insert into t select $1 from pg_sleep($2)';
  const body = { query, params: [key, seconds], timeout_ms };
  const headers = { Authorization: `Bearer ${organization.token}`, 'Idempotency-Key': key };
  const response = await checkedFetch(`${gateway.url}/api/v1${path}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    replayed: response.headers.get('Idempotent-Replayed'),
    retryAfter: response.headers.get('Retry-After'),
    body: (await response.json()) as unknown,
  };
}

async function count(query: string, params: readonly string[] = []): Promise<number> {
  const { rows } = await database.query(`select count(*)::int as n from ${query}`, [...params]);
  return rows[0].n;
}
const running = () =>
  count(
    "pg_stat_activity where datname = current_database() and state = 'active' and query like 'insert into t%'",
  );
const rowsOf = (key: string) => count('t where key = $1', [key]);

const unknown = (message: unknown, replayed: string | null) => ({
  ...refusal('OUTCOME_UNKNOWN', message),
  replayed,
  retryAfter: null,
});

test('killed while a call runs, the gateway tells after a restart that it may have taken effect, and never runs it again', async () => {
  const [short, long] = [randomUUID(), randomUUID()];
  const callLong = () => call(long, SLEEP_S, LONG_MS);
  const lost = [call(short), callLong()];
  const outcomes = Promise.allSettled(lost);
  await expect.poll(running).toBe(2);
  const began = Date.now();
  const family = [gateway.pid, ...childrenOf(gateway.pid).map(({ pid }) => pid)];
  const rows = processes().filter(({ pid }) => family.includes(pid));
  for (const pid of family) process.kill(pid, 'SIGKILL');
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect.poll(() => stillRunning(rows)).toEqual([]);
  gateway = await startGateway({ data });

  const stillRuns = {
    ...refusal('IDEMPOTENCY_KEY_RUNNING', expect.any(String)),
    replayed: null,
    retryAfter: expect.stringMatching(/^\d+$/),
  };
  expect(await callLong()).toEqual(stillRuns);
  const another = randomUUID();
  expect(await call(another, 0)).toMatchObject({ status: 200, replayed: null });
  await expect.poll(async () => (await call(short)).status).not.toBe(409);
  expect(Date.now() - began).toBeGreaterThan(SLACK_MS);
  const told = unknown(expect.stringContaining('look, and take a new key'), null);
  expect([await call(short), await call(short)]).toEqual([told, told]);
  expect(await callLong()).toEqual(stillRuns);

  await expect.poll(running).toBe(0);
  for (const key of [short, long]) expect(await rowsOf(key)).toBeLessThanOrEqual(1);
  expect(await rowsOf(another)).toBe(1);
});

test('a relay that is killed while a call runs leaves an outcome that is unknown from then on', async () => {
  const key = randomUUID();
  const answer = call(key);
  await expect.poll(running).toBe(1);
  await killRelay(gateway.pid);
  const message = expect.stringContaining('may have taken effect');
  expect(await answer).toEqual(unknown(message, null));
  expect(await call(key)).toEqual(unknown(message, 'true'));
  const another = randomUUID();
  await expect.poll(async () => (await call(another, 0)).status).toBe(200);
  expect(await call(key)).toEqual(unknown(message, 'true'));
  await expect.poll(running).toBe(0);
  expect(await rowsOf(key)).toBeLessThanOrEqual(1);
  expect(await rowsOf(another)).toBe(1);
});
