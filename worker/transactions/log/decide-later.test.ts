/** One that is decided before anything of it is on disk is kept as one that was written when it began. Spec: transactions.md §3. */
import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { randomName } from '../../calls/transactions/names.ts';

/** Columns that differ between any two. */
const OWN = { id: '', sequence: 0, started: 0, deadline: 0, decided: 0, due: 0 };

test('is kept with its participants, their names and its head', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const owner = { orgUuid, orgId: 'acme', sealedDataKey: 'sealed' };
  const caller = { uuid: crypto.randomUUID(), name: 'ada' };
  const parts = ['prepares', 'prepares', 'reads'] as const;
  const shares = parts.map((part, n) => ({
    ...{ n, endpoint: crypto.randomUUID(), id: `e${n}`, kind: 'postgres', part },
    ...{ revision: 1, snapshot: '"as of 1"' },
  }));
  const rows = () =>
    runInDurableObject(log, (_log, { storage }) => ({
      transactions: storage.sql.exec('SELECT * FROM transactions ORDER BY sequence').toArray(),
      shares: storage.sql.exec('SELECT * FROM shares ORDER BY id, n').toArray(),
    }));
  const marks = [{ n: 0, recovery: '17' }];
  /** Answers how many there are on disk as it is decided. */
  const decided = (id: string) =>
    runInDurableObject(log, async (object, { storage }) => {
      await object.begin(owner, {
        ...{ id, requestId: 'r', address: 'a', timeoutMs: 300_000, guarantee: 'atomic' },
        ...{ caller, shares, claims: { endpoints: [] }, key: { name: id, body: 'digest' } },
      });
      const kept = storage.sql.exec('SELECT id FROM transactions').toArray().length;
      expect(await object.decide(id, marks, undefined)).toMatchObject({ is: 'committed' });
      return kept;
    });
  const [first, second] = [randomName(), randomName()];
  expect(await decided(first)).toBe(1);
  expect(await decided(second)).toBe(1);
  const found = await rows();
  const without = found.transactions.map((each) => ({ ...each, ...OWN, key: '' }));
  expect(without[1]).toEqual(without[0]);
  expect(found.transactions.map(({ id, key }) => [id, key])).toEqual([
    [first, first],
    [second, second],
  ]);
  const sharesOf = (id: string) =>
    found.shares.filter((each) => each.id === id).map(({ id: _, ...each }) => each);
  expect(sharesOf(second)).toEqual(sharesOf(first));
  const ends = await log.show(second);
  expect(ends?.participants.map(({ status }) => status)).toEqual(['active', 'reading', 'reading']);
  expect(sharesOf(second).map((each) => each.recovery)).toEqual(['17', '', '']);
  await log.clear();
});
