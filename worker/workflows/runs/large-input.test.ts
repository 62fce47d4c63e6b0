/** A large input is written before its run begins, some of it at a time; a run that does not begin leaves none. */
import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test, vi } from 'vitest';
import { WorkQueue } from '../../../proto/work/queue.ts';
import { Computing } from './computing.ts';
import { dropCopies } from './forking.ts';
import { Keeper } from './keeper.ts';
import { writeLargeInput } from './large-input.ts';
import { startRunner } from './test/runner.ts';
import { Vault } from './vault.ts';

/** Characters of two code units where a megabyte ends, and elsewhere. */
const LARGE = `${'x'.repeat(1024 * 1024 - 9)}${'😀'.repeat(700_000)}`;
const STEP = { id: 'step', type: 'template', template: 'echo', input: { n: '$.input.n.length' } };

/** Rows that hold values of runs that are none. */
function left(runner: Awaited<ReturnType<typeof startRunner>>, run: string) {
  return runInDurableObject(runner.object(run), (_object, { storage }) => {
    const count = (sql: string) => storage.sql.exec<{ n: number }>(sql).one().n;
    return {
      marks: count('SELECT count(*) AS n FROM copying'),
      texts: count('SELECT count(*) AS n FROM texts WHERE run NOT IN (SELECT run FROM runs)'),
      pieces: count('SELECT count(*) AS n FROM pieces WHERE run NOT IN (SELECT run FROM runs)'),
      runs: count('SELECT count(*) AS n FROM runs'),
    };
  });
}

test('no transition writes it, and it is as it was', async () => {
  const runner = await startRunner();
  await runner.store('large', { actions: [STEP] });
  const seals = vi.spyOn(Vault.prototype, 'seal');
  const { run } = (await runner.start('large', { n: LARGE })) as { run: string };
  const largest = Math.max(...seals.mock.calls.map(([clear]) => clear.byteLength));
  seals.mockRestore();
  expect(largest).toBeLessThan(10_000);
  expect(await runner.output(run)).toEqual({ of: LARGE.length });
  const value = await runner.object(run).value(run, 1);
  expect(value === JSON.stringify({ n: LARGE })).toBe(true);
  expect(await left(runner, run)).toEqual({ marks: 0, texts: 0, pieces: 0, runs: 1 });
});

test('a start that is refused after that leaves nothing', async () => {
  const runner = await startRunner();
  await runner.store('large', { actions: [STEP] });
  const id = crypto.randomUUID();
  const closed = vi.spyOn(Keeper.prototype, 'isClosed').mockReturnValueOnce(true);
  expect(await runner.start('large', { n: LARGE }, { id })).toEqual({ is: 'no-version' });
  closed.mockRestore();
  expect(await left(runner, id)).toEqual({ marks: 0, texts: 0, pieces: 0, runs: 0 });
});

test('an object that ended before the run began removes what it wrote', async () => {
  const runner = await startRunner();
  await runner.store('large', { actions: [STEP] });
  const { run } = (await runner.start('large', { n: 'x' })) as { run: string };
  await runInDurableObject(runner.object(run), async (_object, { storage, id }) => {
    const keeper = new Keeper(storage, env, id.name ?? '');
    await keeper.open();
    const turns = vi.spyOn(WorkQueue.prototype, 'work');
    const written = await writeLargeInput({ keeper, computing: new Computing(keeper) }, LARGE);
    expect(written).toEqual({ run: 2 });
    // Sealed in one, and each of its four pieces written in another.
    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(5);
    turns.mockRestore();
  });
  expect(await left(runner, run)).toEqual({ marks: 1, texts: 1, pieces: 4, runs: 1 });
  await runInDurableObject(runner.object(run), async (_object, { storage, id }) => {
    dropCopies(new Keeper(storage, env, id.name ?? ''));
  });
  expect(await left(runner, run)).toEqual({ marks: 0, texts: 0, pieces: 0, runs: 1 });
});
