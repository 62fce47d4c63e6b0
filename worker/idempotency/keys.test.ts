/** The objects that own keys: who begins, who may end what, and that nothing stays for ever. */
import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { KEPT_FOR_MS } from './keys.ts';

const claim = (name: string, attempt = 'first', reads = false) => ({
  name,
  attempt,
  body: 'sealed',
  lastsMs: 30_000,
  reads,
});
const call = (name: string, attempt = 'first') => ({ name, attempt });
const REPLY = new Uint8Array([1, 2, 3]);

/** An object of its own. */
function fresh() {
  const keys = env.IDEMPOTENCY_KEYS.getByName(crypto.randomUUID());
  return {
    keys,
    inside: <Value>(look: (storage: DurableObjectStorage) => Value | Promise<Value>) =>
      runInDurableObject(keys, (_keys, { storage }) => look(storage)),
    /** Lets time pass. */
    elapse: (ms: number, name = '%') =>
      runInDurableObject(keys, (_keys, { storage }) => {
        storage.sql.exec(
          'UPDATE calls SET since = since - ?1, until = until - ?1, expires = expires - ?1 WHERE name LIKE ?2',
          ms,
          name,
        );
      }),
  };
}

test('of many that begin at once one does', async () => {
  const { keys } = fresh();
  const standings = await Promise.all(
    Array.from({ length: 50 }, (_, at) => keys.begin(claim('k', `attempt-${at}`))),
  );
  const states = standings.map(({ state }) => state);
  expect(states.filter((state) => state === 'begun')).toHaveLength(1);
  expect(states.filter((state) => state === 'running')).toHaveLength(49);
});

test('an end counts once, and only of who began', async () => {
  const { keys } = fresh();
  await keys.begin(claim('k'));
  await keys.finish(call('k', 'another'), new Uint8Array([9]));
  await keys.forget(call('k', 'another'));
  expect(await keys.look('k')).toMatchObject({ state: 'running' });
  await keys.finish(call('k'), REPLY);
  await keys.finish(call('k'), new Uint8Array([9]));
  await keys.forget(call('k'));
  const kept = await keys.look('k');
  expect(kept).toMatchObject({ state: 'answered', body: 'sealed' });
  expect(kept?.state === 'answered' && new Uint8Array(kept.reply)).toEqual(REPLY);
});

test('a key that was freed begins again, and its first end comes too late', async () => {
  const { keys } = fresh();
  await keys.begin(claim('k'));
  await keys.forget(call('k'));
  expect(await keys.look('k')).toBeUndefined();
  expect(await keys.begin(claim('k', 'second'))).toEqual({ state: 'begun' });
  await keys.finish(call('k'), REPLY);
  expect(await keys.look('k')).toMatchObject({ state: 'running' });
});

test.each([
  [false, { state: 'lost', body: 'sealed' }],
  [true, { state: 'begun' }],
])('when its time is up, a call that reads (%s) is', async (reads, standing) => {
  const { keys, elapse } = fresh();
  await keys.begin(claim('k', 'first', reads));
  await elapse(20_000);
  expect(await keys.begin(claim('k', 'second', reads))).toMatchObject({ state: 'running' });
  await elapse(10_000);
  expect(await keys.begin(claim('k', 'second', reads))).toEqual(standing);
});

test('the alarm comes a day after the first, and takes what has expired', async () => {
  const { keys, inside, elapse } = fresh();
  const before = Date.now();
  await keys.begin(claim('a'));
  const planned = await inside((storage) => storage.getAlarm());
  expect(planned).toBeGreaterThanOrEqual(before + KEPT_FOR_MS);
  expect(planned).toBeLessThanOrEqual(Date.now() + KEPT_FOR_MS);
  await keys.begin(claim('b'));
  await keys.finish(call('b'), REPLY);
  expect(await inside((storage) => storage.getAlarm())).toBe(planned);
  await elapse(KEPT_FOR_MS, 'a');
  expect(await runDurableObjectAlarm(keys)).toBe(true);
  expect(await keys.look('a')).toBeUndefined();
  expect(await keys.look('b')).toMatchObject({ state: 'answered' });
  const next = await inside((storage) => storage.getAlarm());
  expect(next).toBeGreaterThan(Date.now() + KEPT_FOR_MS - 60_000);
});

test('with the last call everything goes', async () => {
  const { keys, inside, elapse } = fresh();
  await keys.begin(claim('a'));
  await keys.finish(call('a'), REPLY);
  await elapse(KEPT_FOR_MS);
  await runDurableObjectAlarm(keys);
  const left = await inside(async (storage) => [
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'calls'").toArray(),
    await storage.getAlarm(),
  ]);
  expect(left).toEqual([[], null]);
  await keys.finish(call('a'), REPLY);
  await keys.forget(call('a'));
  expect(await keys.look('a')).toBeUndefined();
  expect(await keys.begin(claim('a', 'second'))).toEqual({ state: 'begun' });
});

test('a call that has expired is forgotten, though the alarm is late', async () => {
  const { keys, elapse } = fresh();
  await keys.begin(claim('a'));
  await keys.finish(call('a'), REPLY);
  await elapse(KEPT_FOR_MS);
  expect(await keys.look('a')).toBeUndefined();
  expect(await keys.begin(claim('a', 'second'))).toEqual({ state: 'begun' });
});

test('a thousand calls that expire together go in steps', async () => {
  const { keys, inside } = fresh();
  await keys.begin(claim('k'));
  await inside(({ sql }) =>
    sql.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT OR REPLACE INTO calls (name, attempt, body, since, until, expires) SELECT 'k' || i, '', '', 0, 0, 1 FROM n`),
  );
  const left = () => inside(({ sql }) => sql.exec('SELECT 1 FROM calls').toArray().length);
  await inside(({ sql }) => sql.exec("DELETE FROM calls WHERE name = 'k'"));
  const rounds = [];
  for (let round = 0; round < 4; round += 1) {
    await runDurableObjectAlarm(keys);
    rounds.push(await left());
  }
  expect(rounds).toEqual([800, 600, 400, 200]);
  await runDurableObjectAlarm(keys);
  expect(await inside((storage) => storage.getAlarm())).toBeNull();
});

test('an object that is only looked at stores nothing', async () => {
  const { keys, inside } = fresh();
  expect(await keys.look('k')).toBeUndefined();
  await keys.forget(call('k'));
  await keys.finish(call('k'), REPLY);
  const tables = await inside(({ sql }) =>
    sql.exec("SELECT name FROM sqlite_master WHERE name = 'calls'").toArray(),
  );
  expect(tables).toEqual([]);
});

test('cleared, it forgets what runs and what was kept', async () => {
  const { keys } = fresh();
  await keys.begin(claim('a'));
  await keys.begin(claim('b'));
  await keys.finish(call('b'), REPLY);
  await keys.clear();
  expect([await keys.look('a'), await keys.look('b')]).toEqual([undefined, undefined]);
});
