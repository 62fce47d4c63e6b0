/** Numbering, signing and removing, against a real D1. */
import {
  createExecutionContext,
  createScheduledController,
  env,
  runInDurableObject,
} from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { Bindings } from '../context.ts';
import worker from '../index.ts';
import {
  chainOf,
  contextOf,
  entriesOf,
  exportOf,
  numberAll,
  silence,
  writeEntry,
} from '../test/audit.ts';
import { NOW, startGateway, type TestGateway } from '../test/gateway.ts';
import { START } from './hash.ts';
import { auditStatement } from './record.ts';
import { selectHead } from './store.ts';
import { verify } from './verify.ts';

const db = drizzle(env.DB);
const DAY_MS = 24 * 3600 * 1000;
const keys = [JSON.parse(env.GATEWAY_PUBLIC_KEY)];

function entry(gateway: TestGateway, action: string, time = NOW) {
  const { uuid } = gateway.organization;
  return writeEntry({
    orgUuid: uuid,
    time,
    actor: 'somebody',
    action,
    resource: `organization:${uuid}`,
    outcome: 'success',
    address: 'local',
    requestId: 'r',
    details: {},
    repeats: 1,
  });
}

async function write(gateway: TestGateway, actions: readonly string[], time = NOW) {
  for (const action of actions) await entry(gateway, action, time);
}

/** Seq and action, newest first. */
async function order(gateway: TestGateway) {
  const entries = await entriesOf(gateway.organization.uuid);
  return entries.map(({ seq, action }) => [seq, action]);
}

/** What the platform's clock does. */
async function tick({ bindings }: TestGateway, clock: { cron: string; scheduledTime?: Date }) {
  const handler: ExportedHandler<Bindings> = worker;
  const controller = createScheduledController(clock);
  await handler.scheduled?.(controller, bindings, createExecutionContext());
}

const setRetention = (orgUuid: string, days: number) =>
  env.DB.prepare('update organizations set settings = ? where uuid = ?')
    .bind(JSON.stringify({ dataRetentionDays: days }), orgUuid)
    .run();

describe('a chain', () => {
  test('numbers entries in the order in which they were written, whatever their times', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    await entry(gateway, 'a.first', NOW + 5);
    await entry(gateway, 'a.second', NOW);
    await numberAll(uuid);
    await entry(gateway, 'a.third', NOW - 5);
    await numberAll(uuid);
    expect(await order(gateway)).toEqual([
      [3, 'a.third'],
      [2, 'a.second'],
      [1, 'a.first'],
    ]);
  });

  test('numbers 50 changes at once without gap or double, and stays whole', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    const update = () =>
      db.run(`update organizations set updated_at = updated_at + 1 where uuid = '${uuid}'`);
    await Promise.all(
      Array.from({ length: 50 }, async (_, at) => {
        const ctx = contextOf(gateway);
        const change = { action: `change.n${at}`, resource: `organization:${uuid}` };
        await db.batch([update(), auditStatement(ctx, change)]);
        if (at % 10 === 0) await chainOf(uuid).head(uuid);
      }),
    );
    const head = await chainOf(uuid).head(uuid);
    const { entries } = await exportOf(gateway, 7);
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, at) => 50 - at));
    expect(new Set(entries.map(({ action }) => action)).size).toBe(50);
    expect(await verify({ entries, heads: [head], keys })).toEqual({
      faults: [],
      first: 1,
      last: 50,
      unchained: 0,
      vouched: 50,
    });
  });

  test('numbers more than one step holds', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    await Promise.all(Array.from({ length: 1_050 }, () => entry(gateway, 'a.b')));
    const head = await chainOf(uuid).head(uuid);
    const verdict = await verify({ ...(await exportOf(gateway)), heads: [head], keys });
    expect(verdict).toMatchObject({ faults: [], last: 1_050, vouched: 1_050 });
  });

  test('is numbered by its own alarm after a change', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    await entry(gateway, 'a.b');
    await chainOf(uuid).poke(uuid);
    await expect.poll(() => order(gateway), { interval: 100 }).toEqual([[1, 'a.b']]);
  });

  test('sees what was committed only after the first look', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    await numberAll(uuid);
    await entry(gateway, 'a.late');
    await expect.poll(() => order(gateway), { interval: 100 }).toEqual([[1, 'a.late']]);
  });

  test('goes on from what the database holds when its object has lost everything', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    await write(gateway, ['a.b', 'a.c']);
    const head = await chainOf(uuid).head(uuid);
    await runInDurableObject(chainOf(uuid), (_chain, state) => state.storage.deleteAll());
    await write(gateway, ['a.d']);
    await numberAll(uuid);
    const verdict = await verify({ ...(await exportOf(gateway)), heads: [head], keys });
    expect(verdict).toMatchObject({ faults: [], last: 3, vouched: 2 });
  });

  test('that two objects own for a moment is still one chain', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    await write(gateway, ['a.b', 'a.c', 'a.d']);
    const twin = env.AUDIT_CHAIN.getByName(`twin of ${uuid}`);
    const [head, other] = await Promise.all([chainOf(uuid).head(uuid), twin.head(uuid)]);
    expect(other.hash).toBe(head.hash);
    const verdict = await verify({ ...(await exportOf(gateway)), heads: [head, other], keys });
    expect(verdict).toMatchObject({ faults: [], last: 3, vouched: 3 });
  });

  test('is woken by the clock when nobody else does', async () => {
    const gateway = await startGateway('Admin');
    await entry(gateway, 'a.b');
    await tick(gateway, { cron: '* * * * *' });
    await expect.poll(() => order(gateway)).toEqual([[1, 'a.b']]);
  });
});

describe('a head', () => {
  test('is signed by the alarm, for the last entry', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    await write(gateway, ['a.b', 'a.c']);
    await numberAll(uuid);
    const [newest] = await selectHead(db, uuid, 'newest');
    const [last] = await entriesOf(uuid);
    expect(newest).toMatchObject({ seq: 2, hash: last?.hash });
  });

  test('is signed by the alarm at most once a minute', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    await write(gateway, ['a.b']);
    await numberAll(uuid);
    await write(gateway, ['a.c']);
    await numberAll(uuid);
    const [newest] = await selectHead(db, uuid, 'newest');
    expect(newest?.seq).toBe(1);
    await silence(uuid);
  });

  test('of an empty chain is its start', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    expect(await chainOf(uuid).head(uuid)).toMatchObject(START);
  });
});

describe('retention', () => {
  test('removes what is older than the organization keeps, and the rest is still verified', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    await setRetention(uuid, 10);
    await write(gateway, ['old.a', 'old.b', 'old.c'], NOW - 11 * DAY_MS);
    await write(gateway, ['new.a', 'new.b'], NOW - 9 * DAY_MS);
    await entry(gateway, 'old.late', NOW - 12 * DAY_MS);
    const earlier = await chainOf(uuid).head(uuid);
    await sweep(gateway);
    expect(await order(gateway)).toEqual([
      [6, 'old.late'],
      [5, 'new.b'],
      [4, 'new.a'],
    ]);
    const whole = await exportOf(gateway, 1);
    expect(await verify({ ...whole, heads: [earlier], keys })).toMatchObject({
      faults: [],
      first: 4,
    });
    // Another one gone is one too many.
    const entries = whole.entries.slice(0, -1);
    const { faults } = await verify({ ...whole, entries, heads: [earlier], keys });
    expect(faults).toEqual([{ seq: 5, message: 'is the first: those before it are missing' }]);
  });

  test('that removed every entry leaves a chain that goes on', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    await write(gateway, ['old.a', 'old.b'], NOW - 91 * DAY_MS);
    const earlier = await chainOf(uuid).head(uuid);
    await sweep(gateway);
    expect(await order(gateway)).toEqual([]);
    await write(gateway, ['new.a']);
    await numberAll(uuid);
    expect(await order(gateway)).toEqual([[3, 'new.a']]);
    const verdict = await verify({ ...(await exportOf(gateway)), heads: [earlier], keys });
    expect(verdict).toMatchObject({ faults: [], first: 3 });
  });

  test.each([
    ['of 0 days keeps everything', 0, NOW - 1000 * DAY_MS],
    ['keeps what is not numbered yet', 90, NOW - 91 * DAY_MS],
  ])('%s', async (what, days, time) => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    await setRetention(uuid, days);
    await write(gateway, ['old.a'], time);
    if (what.includes('0 days')) await numberAll(uuid);
    await sweep(gateway);
    expect(await order(gateway)).toHaveLength(1);
  });

  function sweep(gateway: TestGateway) {
    return tick(gateway, { cron: '17 * * * *', scheduledTime: new Date(NOW) });
  }
});
