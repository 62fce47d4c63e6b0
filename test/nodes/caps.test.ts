/** Pool caps, counted in the database itself: per node and profile, under 500 calls at once. Spec: nodes.md §4. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { backend, freshDatabase } from '../servers/backends.ts';
import { type RelayNode, startNode } from './node-process.ts';

const CAPS = {
  total_max_connections: 6,
  production_max_connections: 4,
  development_max_connections: 3,
};
const CALLS = 500;

let organization: Organization;
let nodes: RelayNode[];
let database: string;
let endpoint: string;
beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  database = (await freshDatabase(await backend('postgres'))).url;
  nodes = await Promise.all(['one', 'two'].map((name) => startNode(organization, name)));
  endpoint = await organization.addPostgres(named('production'), {
    config: {
      write_conn: { url: named('production') },
      development_conn: { url: named('development') },
    },
    backend_pool_limits: CAPS,
  });
  for (const { uuid } of nodes) {
    expect(
      await organization.call('PUT', `/endpoints/${endpoint}/nodes/${uuid}`, {}),
    ).toMatchObject({
      status: 200,
    });
  }
});
afterAll(() => Promise.all((nodes ?? []).map((node) => node.stop())));

/** The database under a name that its connections can be told by. */
function named(profile: string): string {
  const url = new URL(database);
  url.searchParams.set('application_name', `caps-${profile}`);
  return url.href;
}

async function count(client?: pg.Client): Promise<Record<string, number>> {
  const own = client ?? new pg.Client({ connectionString: database });
  if (client === undefined) await own.connect();
  const { rows } = await own.query<{ name: string; count: string }>(
    `select application_name as name, count(*) from pg_stat_activity
     where application_name like 'caps-%' and datname = current_database() group by 1`,
  );
  if (client === undefined) await own.end();
  return Object.fromEntries(rows.map(({ name, count }) => [name.slice(5), Number(count)]));
}

/** The most connections that the database saw at once while `work` went on, by profile and together. */
async function most(work: Promise<unknown>): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const seen: Record<string, number> = {};
  let on = true;
  void work.finally(() => {
    on = false;
  });
  while (on) {
    const now = await count(client);
    const all = Object.values(now).reduce((sum, each) => sum + each, 0);
    for (const [name, each] of Object.entries({ ...now, all })) {
      seen[name] = Math.max(seen[name] ?? 0, each);
    }
    await sleep(5);
  }
  await client.end();
  return seen;
}

const call = (query: string, more = {}) =>
  organization.call('POST', `/endpoints/${endpoint}/read`, { query, ...more });
const many = async (calls = CALLS) => {
  const replies = await Promise.all(
    Array.from({ length: calls }, () => call('select 1 as n from pg_sleep(0.01)')),
  );
  const refused = replies.flatMap(({ status, body }) =>
    status === 200 ? [] : JSON.stringify(body),
  );
  expect(refused[0]).toBeUndefined();
};

test('hold on each node, whichever profile', async () => {
  const two = nodes[1]?.uuid;
  // What tried the connections is closed.
  await expect.poll(() => count()).toEqual({});
  const profile = (backend_profile: string) =>
    organization.call('PATCH', `/endpoints/${endpoint}`, { backend_profile });
  await organization.call('POST', `/nodes/${two}/drain`);
  const alone = await most(many());
  expect(alone.production).toBeGreaterThan(1);
  expect(alone.production).toBeLessThanOrEqual(CAPS.production_max_connections);
  // Calls of both profiles at once: those of the one before are in flight when the profile is changed.
  const before = many();
  const mixed = await most(Promise.all([before, profile('development').then(() => many())]));
  expect(mixed.development).toBeGreaterThan(1);
  expect(mixed.development).toBeLessThanOrEqual(CAPS.development_max_connections);
  expect(mixed.production).toBeLessThanOrEqual(CAPS.production_max_connections);
  expect(mixed.all).toBeLessThanOrEqual(CAPS.total_max_connections);
  await profile('production');
  await organization.call('POST', `/nodes/${two}/resume`);
  const both = await most(many());
  expect(both.production).toBeGreaterThan(CAPS.production_max_connections);
  expect(both.production).toBeLessThanOrEqual(2 * CAPS.production_max_connections);
}, 120_000);

test('more calls than may wait on a node are 503 with Retry-After, at once', async () => {
  await organization.call('POST', `/nodes/${nodes[1]?.uuid}/drain`);
  const patch = {
    backend_pool_limits: {
      ...CAPS,
      total_max_connections: 1,
      production_max_connections: 1,
      development_max_connections: 1,
    },
  };
  expect(await organization.call('PATCH', `/endpoints/${endpoint}`, patch)).toMatchObject({
    status: 200,
  });
  // Once enough are refused the others need not end; none waits for its deadline, which is far off.
  const enough = new AbortController();
  const refused: (string | null)[] = [];
  const others: number[] = [];
  const body = { query: 'select pg_sleep(3)', timeout_ms: 100_000 };
  const asked = Array.from({ length: 1_100 }, async () => {
    const { signal } = enough;
    const sent = organization.send('POST', `/endpoints/${endpoint}/read`, body, { signal });
    const response = await sent.catch(() => undefined);
    if (response?.status === 503) refused.push(response.headers.get('Retry-After'));
    else if (response) others.push(response.status);
    if (refused.length >= 90) enough.abort();
    await response?.body?.cancel().catch(() => {});
  });
  await Promise.all(asked);
  expect(refused.length).toBeGreaterThanOrEqual(90);
  expect(refused.filter((after) => after === null)).toEqual([]);
  expect(others.filter((status) => status !== 200)).toEqual([]);
}, 120_000);
