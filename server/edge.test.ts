/** What the worker does by the clock, in the real runtime. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtWorker } from '../test/gateway.ts';
import { type Edge, startEdge } from './edge.ts';
import type { Clock } from './timer.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let folder: string;
let edge: Edge;
/** Lets the whole minute come that the timer waits for. */
let nextMinute: () => void = () => {};
/** As the timer sees it; the worker has the machine's clock. */
let now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS + 15.5 * 60_000;
const clock: Clock = {
  now: () => now,
  after(ms, callback) {
    nextMinute = () => {
      now += ms;
      callback();
    };
    return () => {};
  },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-edge-'));
  const [gateway, node] = await Promise.all([
    generateKeyPair('EdDSA', { extractable: true }),
    generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true }),
  ]);
  const secret = () => randomBytes(32).toString('base64url');
  edge = await startEdge({
    host: '127.0.0.1',
    port: 0,
    state: join(folder, 'state'),
    cache: await builtWorker(),
    relay: '127.0.0.1:1',
    hasher: join(folder, 'no-hasher'),
    bindings: {
      JWT_SECRET: secret(),
      INSTALLATION_KEY: secret(),
      GATEWAY_KEY: JSON.stringify(await exportJWK(gateway.privateKey)),
      RELAY_URL: 'http://127.0.0.1:1',
      RELAY_NODE_PUBLIC_KEY: JSON.stringify(await exportJWK(node.publicKey)),
      PEER: 'local',
    },
    clock,
  });
});
afterAll(async () => {
  await edge.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** Its UUID. */
async function insertOrganization(deletedAt: number | null): Promise<string> {
  const uuid = randomUUID();
  const database = await edge.database();
  await database
    .prepare(
      `insert into organizations (uuid, id, name, settings, sealed_data_key, created_at, updated_at, last_modified_by, deleted_at)
       values (?, ?, ?, '{}', '', 0, 0, 'test', ?)`,
    )
    .bind(uuid, uuid, uuid, deletedAt)
    .run();
  return uuid;
}

async function insertEntry(orgUuid: string, time: number): Promise<void> {
  const database = await edge.database();
  await database
    .prepare(
      `insert into audit_entries (org_uuid, time, actor, action, resource, outcome, address, request_id, details, repeats)
       values (?, ?, 'ada', 'endpoint.create', 'endpoint:orders', 'success', 'local', 'r', '{}', 1)`,
    )
    .bind(orgUuid, time)
    .run();
}

/** Numbers of the entries that are there. */
async function entriesOf(orgUuid: string): Promise<unknown[]> {
  const database = await edge.database();
  const { results } = await database
    .prepare('select seq from audit_entries where org_uuid = ? order by seq')
    .bind(orgUuid)
    .all<{ seq: number | null }>();
  return results.map(({ seq }) => seq);
}

test('each minute chains what was not woken and removes what deleted organizations had', async () => {
  const kept = await insertOrganization(null);
  const deleted = await insertOrganization(Date.now() - HOUR_MS);
  await insertEntry(kept, Date.now() - 100 * DAY_MS);
  await insertEntry(kept, Date.now());
  await insertEntry(deleted, Date.now());
  expect(await entriesOf(kept)).toEqual([null, null]);
  nextMinute();
  await expect.poll(() => entriesOf(kept)).toEqual([1, 2]);
  await expect.poll(() => entriesOf(deleted)).toEqual([]);
  // It was minute 16; at 17 goes what is older than 90 days.
  nextMinute();
  await expect.poll(() => entriesOf(kept)).toEqual([2]);
});
