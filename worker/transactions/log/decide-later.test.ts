/** One that is decided before anything of it is on disk is kept, and ends, as one that was written when it began. Spec: transactions.md §3. */
import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test, vi } from 'vitest';
import { randomName } from '../../calls/transactions/names.ts';

/** Columns that differ between any two. */
const OWN = { id: '', sequence: 0, started: 0, deadline: 0, decided: 0, key: '' };

test('is kept with its participants, their names and its head, and ends alike', async () => {
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
  const without = found.transactions.map((each) => ({ ...each, ...OWN, due: 0 }));
  expect(without[1]).toEqual(without[0]);
  expect(found.transactions.map(({ id, key }) => [id, key])).toEqual([
    [first, first],
    [second, second],
  ]);
  const sharesOf = (id: string) =>
    found.shares.filter((each) => each.id === id).map(({ id: _, ...each }) => each);
  expect(sharesOf(second)).toEqual(sharesOf(first));
  const shown = await log.show(second);
  expect(shown?.participants.map(({ status }) => status)).toEqual(['active', 'reading', 'reading']);
  expect(sharesOf(second).map((each) => each.recovery)).toEqual(['17', '', '']);

  const ends = [{ n: 0, status: 'committed' }] as const;
  await log.confirmAll([first, second].map((id) => ({ id, ends })));
  expect((await log.show(second))?.status).toBe('committed');
  const ended = await rows();
  expect(ended.transactions.map(({ due }) => due)).toEqual([null, null]);
  const after = ended.transactions.map((each) => ({ ...each, ...OWN, ended: 0 }));
  expect(after[1]).toEqual(after[0]);
  const statuses = (of: string) =>
    ended.shares.flatMap(({ id, status }) => (id === of ? [status] : []));
  expect([first, second].map(statuses)).toEqual([
    ['committed', 'reading', 'reading'],
    ['committed', 'reading', 'reading'],
  ]);
  await log.clear();
});

test.each([
  { of: 'one that is not known', second: { n: 1, status: 'unknown' }, becomes: 'mixed' },
  { of: 'one that rolled back', second: { n: 1, status: 'rolled_back' }, becomes: 'mixed' },
  { of: 'one that is not named', second: undefined, becomes: 'committing' },
] as const)('does not end as committed because of $of', async ({ second, becomes }) => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const endpoint = crypto.randomUUID();
  const shares = [0, 1].map((n) => ({
    ...{ n, endpoint, id: 'orders', kind: 'postgres', part: 'prepares' as const },
    ...{ revision: 1, snapshot: '"none"' },
  }));
  const decided = async () => {
    const id = randomName();
    await log.begin(
      { orgUuid, orgId: 'acme', sealedDataKey: 'sealed' },
      {
        ...{ id, requestId: 'r', address: 'a', timeoutMs: 300_000, guarantee: 'atomic' },
        ...{ caller: { uuid: crypto.randomUUID(), name: 'ada' }, shares },
        claims: { endpoints: [] },
      },
    );
    const marks = [0, 1].map((n) => ({ n, recovery: '' }));
    expect(await log.decide(id, marks, undefined)).toMatchObject({ is: 'committed' });
    return id;
  };
  // The first is on disk when it begins; the second is the one that is written as decided.
  for (const id of [await decided(), await decided()]) {
    const ends = [{ n: 0, status: 'committed' as const }, ...(second ? [second] : [])];
    await log.confirmAll([{ id, ends }]);
    expect(await log.show(id)).toMatchObject({ status: becomes });
  }
  await log.clear();
});

test('a decision does not write first what others have confirmed', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const owner = { orgUuid, orgId: 'acme', sealedDataKey: 'sealed' };
  const begun = async () => {
    const id = randomName();
    await log.begin(owner, {
      ...{ id, requestId: 'r', address: 'a', timeoutMs: 300_000, guarantee: 'atomic' },
      ...{ caller: { uuid: crypto.randomUUID(), name: 'ada' }, shares: [] },
      claims: { endpoints: [] },
    });
    return id;
  };
  // The first is on disk when it begins.
  await log.decide(await begun(), [], undefined);
  const [second, third] = [await begun(), await begun()];
  const statuses = await runInDurableObject(log, async (object, { storage }) => {
    await object.decide(second, [], undefined);
    await object.decide(third, [], undefined, [{ id: second, ends: [] }]);
    const rows = storage.sql.exec<{ status: string }>('SELECT status FROM transactions');
    return rows.toArray().map(({ status }) => status);
  });
  expect(statuses).toEqual(['committing', 'committing', 'committing']);
  expect(await log.show(second)).toMatchObject({ status: 'committed' });
  await log.clear();
});

test('those whose participants have all committed end in two statements, however many they are', async () => {
  const orgUuid = crypto.randomUUID();
  const log = env.TRANSACTION_LOGS.getByName(orgUuid);
  const owner = { orgUuid, orgId: 'acme', sealedDataKey: 'sealed' };
  const caller = { uuid: crypto.randomUUID(), name: 'ada' };
  const shares = ['one', 'two'].map((id, n) => ({
    ...{ n, endpoint: crypto.randomUUID(), id, kind: 'postgres', part: 'prepares' as const },
    ...{ revision: 1, snapshot: '"none"' },
  }));
  const marks = [0, 1].map((n) => ({ n, recovery: '' }));
  const statements = await runInDurableObject(log, async (object, { storage }) => {
    const decided = async () => {
      const id = randomName();
      await object.begin(owner, {
        ...{ id, requestId: 'r', address: 'a', timeoutMs: 300_000, guarantee: 'atomic' },
        ...{ caller, shares, claims: { endpoints: [] } },
      });
      await object.decide(id, marks, undefined);
      return { id, ends: marks.map(({ n }) => ({ n, status: 'committed' as const })) };
    };
    // The first is on disk when it begins.
    await decided();
    const confirmed = [await decided(), await decided(), await decided()];
    const exec = vi.spyOn(storage.sql, 'exec');
    await object.confirmAll(confirmed);
    await scheduler.wait(100);
    const sent = exec.mock.calls.map(([statement]) => statement.split(/\s+/, 2).join(' '));
    exec.mockRestore();
    return sent;
  });
  expect(statements.filter((each) => /^(?:INSERT|UPDATE|DELETE)/.test(each))).toEqual([
    'UPDATE shares',
    'UPDATE transactions',
  ]);
  await log.clear();
});
