/** Rights read from D1's replicas: only rights, never older than what this isolate changed, and nobody is refused by a replica that is behind. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { failure } from '../test/gateway.ts';
import { bytes, startRunning } from '../test/running.ts';

const QUERY = { type: 'query', query: 'select 1' };

/** A database whose sessions are counted; a replica answers with what it has. */
function replicated() {
  const seen = { sessions: [] as string[], reads: [] as string[] };
  const replica = { isEmpty: false };
  const withSession = (constraint: string) => {
    seen.sessions.push(constraint);
    const session = env.DB.withSession(constraint);
    let isPrimary = constraint === 'first-primary';
    return {
      prepare(sql: string) {
        seen.reads.push(sql);
        return session.prepare(sql);
      },
      async batch(statements: D1PreparedStatement[]) {
        const found = await session.batch(statements);
        const isBehind = replica.isEmpty && !isPrimary;
        isPrimary = false;
        return isBehind ? found.map((each) => ({ ...each, results: [] })) : found;
      },
      getBookmark: () => session.getBookmark(),
    };
  };
  const binding = new Proxy(env.DB, {
    get(target, name) {
      if (name === 'withSession') return withSession;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { binding, seen, replica };
}

async function start(settings: Readonly<Record<string, string>> = {}) {
  const { binding, seen, replica } = replicated();
  const relay = { run: () => ({ result: bytes('[]') }) };
  const bindings = { DB: binding, POLICY_FROM_REPLICAS: 'true', ...settings };
  const gateway = await startRunning(relay, { bindings });
  await gateway.settle();
  return { ...gateway, seen, replica };
}

test('nothing is read from replicas unless they are asked for, or where each request asks', async () => {
  for (const settings of [{ POLICY_FROM_REPLICAS: 'false' }, { POLICY_TTL_MS: '0' }]) {
    const { ask, seen } = await start(settings);
    expect((await ask('/read', QUERY)).status).toBe(200);
    expect(seen).toEqual({ sessions: [], reads: [] });
  }
});

test('rights alone are read there', async () => {
  const { ask, call, seen } = await start();
  expect((await ask('/read', QUERY)).status).toBe(200);
  const made = await call('POST', '/iam/users', { username: 'ada', access_level: 'Read' });
  expect(made.status).toBe(200);
  expect((await call('GET', '/endpoints')).status).toBe(200);
  expect((await call('GET', '/iam/users')).status).toBe(200);
  expect(seen.reads.length).toBeGreaterThan(0);
  expect(seen.reads.filter((sql) => !/^select /.test(sql))).toEqual([]);
  const tables = seen.reads.map((sql) => /from "(\w+)"/.exec(sql)?.[1] ?? sql);
  expect([...new Set(tables)].toSorted()).toEqual([
    'endpoints',
    'nodes',
    'organizations',
    'placements',
    'rules',
  ]);
});

test('a session goes to the primary first once this isolate has changed something', async () => {
  const { ask, call, seen, clock } = await start();
  const begun = seen.sessions.length;
  await call('POST', '/iam/users', { username: 'ada', access_level: 'Read' });
  await ask('/read', QUERY);
  clock.now += 2_000;
  await ask('/read', QUERY);
  const since = seen.sessions.slice(begun);
  expect(since.at(-1)).toBe('first-primary');
  // Not one for each read: what follows may come from a replica that has the change.
  expect(since.length).toBeLessThanOrEqual(2);
});

test('a replica that is behind refuses nobody', async () => {
  const { ask, call, replica, clock } = await start();
  replica.isEmpty = true;
  clock.now += 2_000;
  expect(await ask('/read', QUERY)).toMatchObject({ status: 200 });
  clock.now += 2_000;
  expect((await call('GET', '/endpoints')).status).toBe(200);
});

test('what is nowhere is refused as ever', async () => {
  const { call, replica, clock } = await start();
  for (const isEmpty of [false, true]) {
    replica.isEmpty = isEmpty;
    clock.now += 2_000;
    expect(await call('POST', '/endpoints/nothing/read', QUERY)).toEqual({
      status: 404,
      body: failure('ENDPOINT_NOT_FOUND', 'Endpoint nothing does not exist'),
    });
  }
});
