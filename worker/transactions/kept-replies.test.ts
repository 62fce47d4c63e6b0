/** What transactions keep for a repeat counts to the organization's storage, and to their caller's share. Contract §1 and §5. */
import {
  env,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { limitsOf } from '../limits/quotas/share.ts';
import type { TestGateway, TestUser } from '../test/gateway.ts';
import { op, start } from './test/started.ts';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
const WEEK_MS = 7 * 24 * 3600 * 1000;
/** Bytes of one reply, about. */
const REPLY = 40 * KIBIBYTE;

const startWith = (storage: number) =>
  start(['postgres'], { bindings: { QUOTAS: JSON.stringify({ storage }) } });

async function keyed(gateway: TestGateway, key: string, query: string, user?: TestUser) {
  const response = await gateway.send('/transactions', {
    method: 'POST',
    headers: {
      ...{ Authorization: `Bearer ${await gateway.token(user)}`, 'Idempotency-Key': key },
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ operations: [op('e0', query, 'x'.repeat(REPLY))] }),
  });
  const { code = '' } = (await response.json()) as { code?: string };
  return [response.status, response.headers.get('Idempotent-Replayed'), code];
}

async function held({ organization }: TestGateway): Promise<Json> {
  const { results } = await env.DB.prepare(
    'select holder, caller, bytes from storage_holdings where org_uuid = ?',
  )
    .bind(organization.uuid)
    .all<{ holder: string; caller: string; bytes: number }>();
  return results;
}

/** Has the log begin again, and sweep, so much later. */
async function age({ organization }: TestGateway, ms: number): Promise<void> {
  const log = env.TRANSACTION_LOGS.getByName(organization.uuid);
  await runInDurableObject(log, (_log, { storage: { sql } }) => {
    sql.exec('UPDATE transactions SET ended = ended - ?, started = started - ?', ms, ms);
    // Of its endpoint nothing is asked any more.
    sql.exec('DELETE FROM endpoints');
  });
  await evictDurableObject(log);
  await runDurableObjectAlarm(log);
}

describe.each([
  ['that write', 'update a'],
  ['that only read', 'select 1'],
])('replies of transactions %s', (_, query) => {
  test('are kept within the share of their caller; beyond it only that they ran', async () => {
    const { gateway, relay } = await startWith(MEBIBYTE);
    const { caller } = limitsOf(MEBIBYTE, 'content');
    const room = Math.floor(caller / REPLY);
    const keys = Array.from({ length: room + 2 }, (_each, at) => `key-${at}`);
    for (const key of keys) expect(await keyed(gateway, key, query)).toEqual([200, null, '']);
    await gateway.settle();
    const calls = relay.calls.length;
    const repeats = [];
    for (const key of keys) repeats.push(await keyed(gateway, key, query));
    expect(repeats).toEqual([
      ...Array.from({ length: room }, () => [200, 'true', '']),
      ...[1, 2].map(() => [409, null, 'REPLY_NOT_KEPT']),
    ]);
    expect(relay.calls).toHaveLength(calls);
    const bytes = expect.toSatisfy((each: number) => each >= room * REPLY && each <= caller);
    const { uuid } = gateway.user;
    expect(await held(gateway)).toEqual([{ holder: 'transactions', caller: uuid, bytes }]);
    const other = await gateway.addUser('SuperAdmin');
    expect(await keyed(gateway, 'key', query, other)).toEqual([200, null, '']);
    expect(await keyed(gateway, 'key', query, other)).toEqual([200, 'true', '']);
  });

  test('take nothing once they have expired', async () => {
    const { gateway } = await startWith(MEBIBYTE);
    await keyed(gateway, 'key', query);
    await gateway.settle();
    await age(gateway, WEEK_MS);
    expect(await held(gateway)).toEqual([]);
  });
});

test('a transaction goes on where the storage is used up', async () => {
  const { gateway } = await startWith(MEBIBYTE);
  await env.DB.prepare('insert into storage_holdings values (?, ?, ?, ?)')
    .bind(gateway.organization.uuid, 'other', 'somebody', MEBIBYTE)
    .run();
  expect(await keyed(gateway, 'key', 'update a')).toEqual([200, null, '']);
  expect(await keyed(gateway, 'key', 'update a')).toEqual([409, null, 'REPLY_NOT_KEPT']);
});
