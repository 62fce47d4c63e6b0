/** Transactions whose last resource loses its answer, and is asked by its mark. Spec: transactions.md §2, §7. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataFolder, type OwnGateway, startGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { killRelay } from '../processes.ts';
import { POINTS, type Point } from '../proofs/once/line.ts';
import { type FreshDatabase, freshDatabase } from '../servers/backends.ts';
import { type Decider, openDeciders } from './deciders.ts';

const KINDS = ['postgres', 'mysql', 'mongo', 'redis'] as const;
/** Kinds whose driver sends a commit again that has not arrived. */
const SENT_AGAIN = new Set<string>(['mongo', 'redis']);

let data: string;
let gateway: OwnGateway;
let organization: Organization;
let fresh: FreshDatabase;
let outside: pg.Client;
let deciders: readonly Decider[];

beforeAll(async () => {
  data = await dataFolder();
  [gateway, fresh, deciders] = await Promise.all([
    startGateway({ data }),
    freshDatabase(),
    openDeciders(),
  ]);
  outside = new pg.Client(fresh.url);
  await outside.connect();
  await outside.query('CREATE TABLE entries (name text)');
  organization = await newOrganization(gateway);
  const add = async (endpoint: string, kind: string, url: string, config = {}) => {
    const body = { endpoint, kind, config: { write_conn: { url }, ...config } };
    expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
  };
  for (const kind of KINDS) await add(`with-${kind}`, 'postgres', fresh.url);
  for (const { kind, line } of deciders) await add(kind, kind, line.url, { once: {} });
});
afterAll(async () => {
  await gateway?.stop('SIGKILL');
  await Promise.all((deciders ?? []).map((each) => each.close()));
  await outside?.end();
  await fresh?.drop();
  await rm(data, { recursive: true, force: true });
});

function deciderOf(kind: string): Decider {
  const found = deciders.find((each) => each.kind === kind);
  if (!found) throw new Error(kind);
  return found;
}

function send({ kind, add }: Decider, name: string) {
  const insert = { query: 'INSERT INTO entries VALUES ($1)', params: [name] };
  const operations = [
    { endpoint: `with-${kind}`, ...insert },
    { endpoint: kind, ...add(name) },
  ];
  return organization.call('POST', '/transactions', { operations, timeout_ms: 60_000 });
}

async function effects({ count }: Decider, name: string) {
  const { rows } = await outside.query('SELECT 1 FROM entries WHERE name = $1', [name]);
  return [await count(name), rows.length];
}

const lacks = (point: Point): boolean => point === 'before sending';

/** What the client is told, and what is there. */
async function demandEnd(decider: Decider, name: string, n: 0 | 1, reply: unknown) {
  const committed = {
    status: 200,
    body: {
      ...{ guarantee: 'last-resource', sequence: expect.any(Number) },
      status: expect.stringMatching(/^committ(?:ed|ing)$/),
      results: [expect.any(Object), expect.any(Object)],
    },
  };
  const undone = { status: 503, body: { code: 'SERVICE_UNAVAILABLE' } };
  expect(reply).toMatchObject(n === 1 ? committed : undone);
  await expect.poll(() => effects(decider, name), { timeout: 10_000 }).toEqual([n, n]);
  const ended = { status: n === 1 ? 'committed' : 'rolled_back' };
  await expect
    .poll(async () => (await organization.call('GET', '/transactions?limit=4')).body)
    .toMatchObject({ transactions: expect.arrayContaining([expect.objectContaining(ended)]) });
  for (const status of ['rolling_back', 'in_doubt', 'mixed']) {
    await expect
      .poll(async () => (await organization.call('GET', `/transactions?status=${status}`)).body)
      .toEqual({ transactions: [] });
  }
}

describe.each(KINDS)('%s', (kind) => {
  test.each(POINTS)('a connection that is cut: %s', async (point) => {
    const decider = deciderOf(kind);
    const name = `cut-${randomUUID()}`;
    const held = decider.line.hold(name, point);
    const sent = send(decider, name);
    (await held).cut();
    await demandEnd(decider, name, lacks(point) && !SENT_AGAIN.has(kind) ? 0 : 1, await sent);
  });
});

test.each(POINTS)('a relay that is killed: %s', async (point) => {
  const each = deciders.map((decider) => {
    const name = `kill-${randomUUID()}`;
    const held = decider.line.hold(name, point);
    return { decider, name, held, sent: send(decider, name) };
  });
  const all = await Promise.all(each.map(({ held }) => held));
  const killed = killRelay(gateway.pid);
  for (const held of all) held.cut();
  await killed;
  for (const { decider, name, sent } of each) {
    await demandEnd(decider, name, lacks(point) ? 0 : 1, await sent);
  }
});
