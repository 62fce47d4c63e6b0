/** Runs that other runs lead to begin in the line of their organization: docs/heavy-work.md. */
import { beforeEach, expect, test, vi } from 'vitest';
import { Admission } from '../../../proto/work/admission.ts';
import { admitChild } from '../../limits/starts.ts';
import { startRunner } from './test/runner.ts';

/** Milliseconds for which one is alone at least: after a while the line takes it for one that waits for something else. */
const ALONE_MS = 20;
/** What the line admitted: owners, and how many starts began too soon after one that was still under way. */
const seen = { owners: [] as string[], early: 0 };
/** When those that are under way began. */
const begun = new Set<{ readonly at: number }>();

beforeEach(() => {
  Object.assign(seen, { owners: [], early: 0 });
  begun.clear();
  const { admit } = Admission.prototype;
  const spy = vi.spyOn(Admission.prototype, 'admit');
  spy.mockImplementation(function (this: Admission, of, work) {
    return admit.call(this, of, async () => {
      seen.owners.push(of.owner);
      const own = { at: Date.now() };
      if ([...begun].some(({ at }) => own.at - at < ALONE_MS)) seen.early += 1;
      begun.add(own);
      return work().finally(() => begun.delete(own));
    });
  });
  return () => spy.mockRestore();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('child runs of an organization begin one after another, by turns with those of others', async () => {
  const many = Array.from({ length: 12 }, () => admitChild('own', () => pause(2)));
  await admitChild('other', () => pause(2));
  // One was under way, and one was next.
  expect(seen.owners.indexOf('other')).toBeLessThanOrEqual(2);
  await Promise.all(many);
  expect(seen).toEqual({ owners: expect.any(Array), early: 0 });
  expect(seen.owners).toHaveLength(13);
});

test('subworkflows of a parallel loop begin so, and all end well', async () => {
  const runner = await startRunner();
  const step = { id: 'step', type: 'template', template: 'echo', input: { n: '$.input.n' } };
  const sub = { id: 'sub', type: 'subworkflow', workflow: 'inner', input: { n: '$.item' } };
  const items = [1, 2, 3, 4, 5, 6, 7, 8];
  const loop = { id: 'each', type: 'loop', mode: 'parallel', collection: '$.input.items' };
  await runner.store('inner', { actions: [step] });
  await runner.store('outer', { actions: [{ ...loop, action: sub }] });
  const { run } = (await runner.start('outer', { items }, {}, false)) as { run: string };
  await runner.until(run, 'succeeded');
  const { uuid } = runner.organization;
  expect(seen).toEqual({ owners: items.map(() => uuid), early: 0 });
  expect(await runner.output(run)).toEqual({
    results: items.map((of) => ({ of })),
    count: items.length,
  });
});
