/** What objects keep for an organization counts to its storage, and to its callers' shares. */
import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { GREETING, make } from '../../templates/test/definitions.ts';
import { failure, type TestGateway } from '../../test/gateway.ts';
import {
  again,
  elapse,
  fresh,
  keysOf,
  seen,
  startKeyed,
  storedCalls,
  WRITE,
} from '../../test/keyed.ts';
import { bytes } from '../../test/running.ts';
import { limitsOf } from './share.ts';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
const DAY_MS = 24 * 3600 * 1000;

/** Replies of so many bytes, in an organization with so much storage. */
const startWith = (replyBytes: number, storage: number) =>
  startKeyed(() => ({ result: bytes(JSON.stringify('x'.repeat(replyBytes))) }), {
    bindings: { QUOTAS: JSON.stringify({ storage }) },
  });

async function used(gateway: TestGateway): Promise<number> {
  const row = await env.DB.prepare(
    'select coalesce(sum(bytes), 0) as held from storage_holdings where org_uuid = ?',
  )
    .bind(gateway.organization.uuid)
    .first<{ held: number }>();
  return row?.held ?? 0;
}

/** Bytes on disk of all objects that keep the organization's keys. */
async function onDisk(gateway: TestGateway): Promise<number> {
  const sizes = keysOf(gateway.organization.uuid).map((keys) =>
    runInDurableObject(keys, (_keys, { storage }) => storage.sql.databaseSize),
  );
  return (await Promise.all(sizes)).reduce((sum, each) => sum + each, 0);
}

async function expire(gateway: TestGateway): Promise<void> {
  const { uuid } = gateway.organization;
  await elapse(uuid, DAY_MS);
  for (const keys of keysOf(uuid)) await runDurableObjectAlarm(keys);
}

const NOT_KEPT = {
  status: 409,
  replayed: null,
  body: failure(
    'REPLY_NOT_KEPT',
    'The call with this Idempotency-Key was answered with 200, and there was no storage left for its reply: it is not kept',
  ),
};

describe('kept replies', () => {
  test('are told as used storage, and no more once they have expired', async () => {
    const gateway = await startWith(100 * KIBIBYTE, 100 * MEBIBYTE);
    const told = async () => {
      const { body } = await gateway.call('GET', '/organizations');
      return JSON.stringify(body).match(/"storage":\{"used":"([^"]+)"/)?.[1];
    };
    expect(await told()).toMatch(/^1\.\d+ KiB$/);
    await gateway.write('k');
    expect(await used(gateway)).toBeGreaterThan(100 * KIBIBYTE);
    expect(await told()).toMatch(/^\d{3}\.\d+ KiB$/);
    await expire(gateway);
    expect(await told()).toMatch(/^1\.\d+ KiB$/);
    expect(await used(gateway)).toBe(0);
    expect(await storedCalls(gateway.organization.uuid)).toEqual([]);
  });

  test('are kept up to the caller’s share, then only the facts, and others’ still', async () => {
    const gateway = await startWith(60 * KIBIBYTE, 2 * MEBIBYTE);
    const share = limitsOf(2 * MEBIBYTE, 'content').caller;
    const first = await Promise.all(Array.from({ length: 8 }, (_, at) => gateway.write(`k${at}`)));
    expect(first.map(({ status }) => status)).toEqual(first.map(() => 200));
    const replies = await Promise.all(
      Array.from({ length: 8 }, async (_, at) => seen(await gateway.write(`k${at}`))),
    );
    const kept = replies.filter(({ replayed }) => replayed === 'true').length;
    expect(kept).toBeGreaterThanOrEqual(1);
    expect(kept * 60 * KIBIBYTE).toBeLessThanOrEqual(share);
    expect(replies.filter(({ status }) => status === 409)).toEqual(
      Array.from({ length: 8 - kept }, () => NOT_KEPT),
    );
    expect(gateway.ran()).toBe(8);
    const bearer = await gateway.token(await gateway.addUser('Write'));
    const headers = { Authorization: `Bearer ${bearer}` };
    expect((await gateway.write('other', WRITE, headers)).status).toBe(200);
    expect((await seen(await gateway.write('other', WRITE, headers))).replayed).toBe('true');
    await expire(gateway);
    expect(await seen(await gateway.write('again'))).toMatchObject({ status: 200 });
    expect(await seen(await gateway.write('again'))).toMatchObject({ replayed: 'true' });
  });

  test('leave no room for definitions where they have used it up', async () => {
    const gateway = await startWith(15 * KIBIBYTE, 40 * KIBIBYTE);
    // Which objects keep them is chance: of a few all may be in one, which takes less.
    for (let at = 0; at < 8; at += 1) await gateway.write(`k${at}`);
    expect((await gateway.call('POST', '/templates', GREETING)).status).toBe(403);
  });

  test('of a key that is free again take nothing', async () => {
    const gateway = await startKeyed(() => {
      throw new Error('no relay');
    });
    await gateway.write('k');
    await expire(gateway);
    expect(await used(gateway)).toBe(0);
  });
});

test('a call with a key that finds no room even for the fact is refused, and does not run', async () => {
  const gateway = await startWith(10, MEBIBYTE);
  const { organization, user } = gateway;
  const { caller } = limitsOf(MEBIBYTE, 'fact');
  await env.DB.prepare('insert into storage_holdings values (?, ?, ?, ?)')
    .bind(organization.uuid, 'run:x', user.uuid, caller)
    .run();
  const { status, body } = await seen(await gateway.write('k'));
  expect([status, body]).toEqual([403, expect.objectContaining({ code: 'QUOTA_EXCEEDED' })]);
  expect(gateway.ran()).toBe(0);
  expect((await gateway.post('/write', WRITE)).status).toBe(200);
});

test('what an earlier version kept is told, and counts to nobody', async () => {
  const gateway = await startWith(10, MEBIBYTE);
  await gateway.write('k');
  const { uuid } = gateway.organization;
  for (const keys of keysOf(uuid)) {
    await runInDurableObject(keys, (_keys, { storage: { sql } }) => {
      const [found] = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'calls'").toArray();
      if (!found) return;
      sql.exec('ALTER TABLE calls DROP COLUMN caller');
      sql.exec('ALTER TABLE calls DROP COLUMN bytes');
    });
  }
  expect(await seen(await gateway.write('k'))).toEqual(again('x'.repeat(10)));
  expect(await seen(await gateway.write('new'))).toEqual(fresh('x'.repeat(10)));
});

describe('an asynchronous run', () => {
  async function start(storage: number) {
    const gateway = await startWith(10, storage);
    gateway.clock.now = Date.now();
    await make(gateway, GREETING);
    const begin = (name: string) =>
      gateway.call('POST', '/templates/greeting?async=true', { name });
    const end = async (id: string) => {
      const object = env.TEMPLATE_RUNS.getByName(`${gateway.organization.uuid}:${id}`);
      await runDurableObjectAlarm(object);
      return gateway.call('GET', `/templates/greeting/runs/${id}`);
    };
    return { gateway, begin, end };
  }
  const idOf = (body: unknown) => (body as { run_id: string }).run_id;

  test('counts while it is kept, and no longer', async () => {
    const { gateway, begin, end } = await start(10 * MEBIBYTE);
    const { body } = await begin('x'.repeat(100_000));
    expect(await used(gateway)).toBeGreaterThan(100_000);
    expect((await end(idOf(body))).body).toMatchObject({ status: 'succeeded' });
    expect(await used(gateway)).toBeGreaterThan(100_000);
    await end(idOf(body));
    expect(await used(gateway)).toBe(0);
  });

  test('that finds no room is refused', async () => {
    const { gateway, begin } = await start(MEBIBYTE);
    const { status, body } = await begin('x'.repeat(200_000));
    expect([status, body]).toEqual([403, expect.objectContaining({ code: 'QUOTA_EXCEEDED' })]);
    expect(await used(gateway)).toBe(0);
  });

  test('whose output finds no room has succeeded all the same, and says so', async () => {
    const { gateway, begin, end } = await start(MEBIBYTE);
    const { body } = await begin('x'.repeat(20_000));
    const { organization, user } = gateway;
    await env.DB.prepare('insert into storage_holdings values (?, ?, ?, ?)')
      .bind(organization.uuid, 'run:x', user.uuid, MEBIBYTE)
      .run();
    expect((await end(idOf(body))).body).toMatchObject({
      status: 'succeeded',
      error: { code: 'REPLY_NOT_KEPT' },
    });
  });
});

test('what lies on disk is no more than what is counted', async () => {
  const gateway = await startWith(2_000, 100 * MEBIBYTE);
  for (let at = 0; at < 200; at += 1) await gateway.write(`k${at}`);
  const empty = 16 * 64 * KIBIBYTE;
  expect(await onDisk(gateway)).toBeLessThanOrEqual((await used(gateway)) + empty);
});
