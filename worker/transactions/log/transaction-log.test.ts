/** A log that is ended with transactions under way begins again by its alarm alone. Spec: transactions.md §3. */
import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { randomName } from '../../calls/transactions/names.ts';

/** Long before the deadline, and before the next sweep. */
const SOON_MS = 2_000;

test.each([
  ['in one call', 'preparing'],
  ['request by request', 'active'],
] as const)('looks for what it left within two seconds, of a transaction %s', async (_, status) => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const owner = { orgUuid, orgId: 'acme', sealedDataKey: 'sealed' };
  const given = {
    ...{ id: randomName(), requestId: 'r', address: 'a', timeoutMs: 300_000 },
    caller: { uuid: crypto.randomUUID(), name: 'ada' },
  };
  const before = Date.now();
  if (status === 'active') await log.open(owner, { ...given, terms: {} });
  else
    await log.begin(owner, {
      ...given,
      guarantee: 'atomic',
      claims: { endpoints: [] },
      shares: [],
    });
  expect(await log.show(given.id)).toMatchObject({ status });
  const alarm = await runInDurableObject(log, (_log, { storage }) => storage.getAlarm());
  expect((alarm ?? Number.POSITIVE_INFINITY) - before).toBeLessThan(SOON_MS + 1_000);
  await log.clear();
});

test('asks no backend before everything of the gateway listens, when its alarm began it again', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const terms = { id: randomName(), requestId: 'r', address: 'a', timeoutMs: 300_000, terms: {} };
  const caller = { uuid: crypto.randomUUID(), name: 'ada' };
  await log.open({ orgUuid, orgId: 'acme', sealedDataKey: 'sealed' }, { ...terms, caller });
  let asked = 0;
  const fetch = async () => {
    asked += 1;
    if (asked < 3) return new Response('', { status: 404 });
    return Response.json({ ports: [], addresses: [] });
  };
  await runInDurableObject(log, async (object) => {
    Object.assign(object, { env: { ...env, OWN: { fetch } } });
    await object.alarm();
  });
  expect(asked).toBe(3);
  await log.clear();
});

test('keeps what a transaction worked on until it has ended, and no longer', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const keys = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(200, 'k'));
  const given = {
    ...{ id: randomName(), requestId: 'r', address: 'a', timeoutMs: 300_000, shares: [] },
    ...{ caller: { uuid: crypto.randomUUID(), name: 'ada' }, guarantee: 'atomic' as const },
    claims: { endpoints: [], keys },
  };
  const heads = () =>
    runInDurableObject(log, (_log, { storage }) =>
      storage.sql.exec<{ head: string }>('SELECT head FROM transactions').toArray(),
    );
  await log.begin({ orgUuid, orgId: 'acme', sealedDataKey: 'sealed' }, given);
  expect((await heads())[0]?.head.length).toBeGreaterThan(20_000);
  await log.finish(given.id, undefined);
  expect((await heads())[0]?.head.length).toBeLessThan(500);
  expect(await log.show(given.id)).toMatchObject({ status: 'committed' });
  await log.clear();
});

test('forgets a transaction after seven days, also where nothing else happens', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const given = {
    ...{ id: randomName(), requestId: 'r', address: 'a', timeoutMs: 300_000, shares: [] },
    ...{ caller: { uuid: crypto.randomUUID(), name: 'ada' }, guarantee: 'atomic' as const },
    claims: { endpoints: [] },
  };
  const started = Date.now();
  await log.begin({ orgUuid, orgId: 'acme', sealedDataKey: 'sealed' }, given);
  await log.finish(given.id, undefined);
  await runDurableObjectAlarm(log);
  const alarm = await runInDurableObject(log, (_log, { storage }) => storage.getAlarm());
  expect(Math.abs((alarm ?? 0) - started - 7 * 24 * 3600 * 1000)).toBeLessThan(10_000);
  await log.clear();
});

test('shows at once what is confirmed, and has it on disk although nothing else comes', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const owner = { orgUuid, orgId: 'acme', sealedDataKey: 'sealed' };
  const statuses = () =>
    runInDurableObject(log, (_log, { storage }) =>
      storage.sql
        .exec<{ status: string }>('SELECT status FROM transactions ORDER BY sequence')
        .toArray()
        .map(({ status }) => status),
    );
  const confirmed = async () => {
    const id = randomName();
    await log.begin(owner, {
      ...{ id, requestId: 'r', address: 'a', timeoutMs: 300_000, guarantee: 'atomic' },
      ...{ caller: { uuid: crypto.randomUUID(), name: 'ada' }, shares: [] },
      claims: { endpoints: [] },
    });
    expect(await log.decide(id, [], undefined)).toMatchObject({ is: 'committed' });
    await log.confirmAll([{ id, ends: [] }]);
    return id;
  };
  expect(await log.show(await confirmed())).toMatchObject({ status: 'committed' });
  await confirmed();
  expect(await statuses()).toEqual(['committed', 'committing']);
  await expect.poll(statuses).toEqual(['committed', 'committed']);
  await log.clear();
});

test('writes the configuration of an endpoint once a minute, however many transactions use it', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const endpoint = crypto.randomUUID();
  const begin = async (revision: number) => {
    const share = { n: 0, endpoint, id: 'orders', kind: 'postgres', part: 'prepares' as const };
    await log.begin(
      { orgUuid, orgId: 'acme', sealedDataKey: 'sealed' },
      {
        ...{ id: randomName(), requestId: 'r', address: 'a', timeoutMs: 300_000 },
        ...{ caller: { uuid: crypto.randomUUID(), name: 'ada' }, guarantee: 'atomic' },
        claims: { endpoints: [] },
        shares: [{ ...share, revision, snapshot: `"as of ${revision}"` }],
      },
    );
    await scheduler.wait(5);
    return runInDurableObject(log, (_log, { storage }) =>
      storage.sql.exec('SELECT revision, used FROM endpoints ORDER BY revision').toArray(),
    );
  };
  const first = await begin(1);
  expect(await begin(1)).toEqual(first);
  expect(await begin(2)).toEqual([...first, { revision: 2, used: expect.any(Number) }]);
  await log.clear();
});

test('has on disk at once what no sweep would find, and all else a moment later', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const known = crypto.randomUUID();
  const begin = async (endpoint: string) => {
    const share = { n: 0, endpoint, id: 'orders', kind: 'postgres', part: 'prepares' as const };
    const id = randomName();
    await log.begin(
      { orgUuid, orgId: 'acme', sealedDataKey: 'sealed' },
      {
        ...{ id, requestId: 'r', address: 'a', timeoutMs: 300_000, guarantee: 'atomic' },
        ...{ caller: { uuid: crypto.randomUUID(), name: 'ada' }, claims: { endpoints: [] } },
        shares: [{ ...share, revision: 1, snapshot: '"as of 1"' }],
      },
    );
    return id;
  };
  const onDisk = (id: string) =>
    runInDurableObject(
      log,
      (_log, { storage }) =>
        storage.sql.exec('SELECT id FROM transactions WHERE id = ?', id).toArray().length,
    );
  expect(await onDisk(await begin(known))).toBe(1);
  const later = await begin(known);
  expect(await onDisk(later)).toBe(0);
  // An instance that ended now would begin again by then, and sweep.
  const alarm = await runInDurableObject(log, (_log, { storage }) => storage.getAlarm());
  expect((alarm ?? Number.POSITIVE_INFINITY) - Date.now()).toBeLessThanOrEqual(SOON_MS);
  await expect.poll(() => onDisk(later)).toBe(1);
  const shownAtOnce = await begin(known);
  expect(await log.show(shownAtOnce)).toMatchObject({ status: 'preparing' });
  expect(await onDisk(await begin(crypto.randomUUID()))).toBe(1);
  await log.clear();
});

test('begins with a key only once, also before the first is on disk', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const given = {
    ...{ requestId: 'r', address: 'a', timeoutMs: 300_000, shares: [] },
    ...{ caller: { uuid: crypto.randomUUID(), name: 'ada' }, guarantee: 'atomic' as const },
    claims: { endpoints: [] },
  };
  const owner = { orgUuid, orgId: 'acme', sealedDataKey: 'sealed' };
  const begin = (key?: { name: string; body: string }) =>
    log.begin(owner, { ...given, id: randomName(), key });
  await begin();
  const key = { name: 'k', body: 'b' };
  expect(await begin(key)).toMatchObject({ is: 'begun' });
  expect(await begin(key)).toEqual({ is: 'running' });
  expect(await begin({ ...key, body: 'other' })).toEqual({ is: 'reused' });
  await log.clear();
});

test('what waits for the claims of another has them as soon as that one is confirmed', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const claims = { endpoints: [crypto.randomUUID()] };
  const begin = async () => {
    const id = randomName();
    const begun = await log.begin(
      { orgUuid, orgId: 'acme', sealedDataKey: 'sealed' },
      {
        ...{ id, requestId: 'r', address: 'a', timeoutMs: 5_000, shares: [], claims },
        ...{ caller: { uuid: crypto.randomUUID(), name: 'ada' }, guarantee: 'atomic' },
      },
    );
    expect(begun).toMatchObject({ is: 'begun' });
    return id;
  };
  for (let round = 0; round < 5; round += 1) {
    const id = await begin();
    await log.decide(id, [], undefined);
    await log.confirmAll([{ id, ends: [] }]);
  }
  await log.clear();
});

test('what was confirmed goes with the call of another, which may be the one that waits for it', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const owner = { orgUuid, orgId: 'acme', sealedDataKey: 'sealed' };
  const claims = { endpoints: [crypto.randomUUID()] };
  const given = (id: string) => ({
    ...{ id, requestId: 'r', address: 'a', timeoutMs: 5_000, shares: [], claims },
    ...{ caller: { uuid: crypto.randomUUID(), name: 'ada' }, guarantee: 'atomic' as const },
  });
  const [first, second, third] = [randomName(), randomName(), randomName()];
  await log.begin(owner, given(first));
  expect(await log.decide(first, [], undefined)).toMatchObject({ isAwaited: false });
  const confirmed = [{ id: first, ends: [] }];
  expect(await log.begin(owner, given(second), confirmed)).toMatchObject({ is: 'begun' });
  const waits = log.begin(owner, given(third));
  const decided = await log.decide(second, [], undefined, confirmed);
  expect(decided).toMatchObject({ is: 'committed', isAwaited: true });
  await log.confirmAll([{ id: second, ends: [] }]);
  expect(await waits).toMatchObject({ is: 'begun' });
  expect(await log.show(first)).toMatchObject({ status: 'committed' });
  await log.clear();
});

test('goes on with a database whose tables have the layout of before', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  await runInDurableObject(log, (_log, { storage }) => {
    storage.sql.exec(`CREATE TABLE transactions (
      id TEXT PRIMARY KEY, sequence INTEGER, status TEXT NOT NULL, sought INTEGER NOT NULL DEFAULT 0,
      doubtful INTEGER NOT NULL DEFAULT 0, caller TEXT NOT NULL, key TEXT, head TEXT NOT NULL,
      error TEXT, reply BLOB, started INTEGER NOT NULL, deadline INTEGER NOT NULL, decided INTEGER,
      ended INTEGER, due INTEGER, tries INTEGER NOT NULL DEFAULT 0, busy INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE endpoints (
      endpoint TEXT NOT NULL, revision INTEGER NOT NULL, snapshot TEXT NOT NULL,
      used INTEGER NOT NULL, PRIMARY KEY (endpoint, revision)
    ) WITHOUT ROWID;`);
  });
  const id = randomName();
  const share = { n: 0, endpoint: crypto.randomUUID(), id: 'orders', kind: 'postgres' };
  await log.begin(
    { orgUuid, orgId: 'acme', sealedDataKey: 'sealed' },
    {
      ...{ id, requestId: 'r', address: 'a', timeoutMs: 300_000, guarantee: 'atomic' },
      ...{ caller: { uuid: crypto.randomUUID(), name: 'ada' }, claims: { endpoints: [] } },
      shares: [{ ...share, part: 'prepares', revision: 1, snapshot: '"as of 1"' }],
    },
  );
  const decided = await log.decide(id, [{ n: 0, recovery: '' }], undefined);
  expect(decided).toMatchObject({ is: 'committed' });
  await log.confirmAll([{ id, ends: [{ n: 0, status: 'committed' }] }]);
  expect(await log.show(id)).toMatchObject({ status: 'committed' });
  await log.clear();
});
