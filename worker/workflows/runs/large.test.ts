/** Large outputs of elements and branches are kept once: what they make together refers to them. Spec: workflows.md §3, §6. */
import { runInDurableObject } from 'cloudflare:test';
import { expect, test, vi } from 'vitest';
import { WorkQueue } from '../../../proto/work/queue.ts';
import { digestNow } from './digest.ts';
import { startRunner } from './test/runner.ts';

const LENGTH = 30_000;
const MANY = 20;
const ITEMS = Array.from({ length: MANY }, (_, at) => `${at}`);
const STEP = {
  ...{ id: 'step', type: 'template', template: 'echo' },
  input: { n: `$.item.padEnd(${LENGTH}, 'ä')` },
};
const LOOP = { id: 'each', type: 'loop', collection: '$.input.items', action: STEP };
const OUTPUT = { results: ITEMS.map((item) => ({ of: item.padEnd(LENGTH, 'ä') })), count: MANY };

/** A run of actions over the items, with its output as the record tells it and as it is read. */
async function ran(actions: readonly object[], more: object = {}) {
  const runner = await startRunner();
  const definition = JSON.parse(JSON.stringify({ actions, ...more }));
  await runner.store('large', definition);
  const { run } = (await runner.start('large', { items: ITEMS }, {}, false)) as { run: string };
  await runner.until(run, 'succeeded');
  const { output } = (await runner.shown(run)).record;
  const stream = await runner.object(run).valueBytes(run, output?.ref ?? 0);
  const bytes = await new Response(stream).bytes();
  const size = await runInDurableObject(
    runner.object(run),
    (_object, { storage }) => storage.sql.databaseSize,
  );
  return { runner, run, told: output, bytes, text: new TextDecoder().decode(bytes), size };
}

test('of a loop', async () => {
  const { runner, run, told, bytes, text, size } = await ran([LOOP]);
  expect(JSON.parse(text)).toEqual(OUTPUT);
  expect(told).toEqual({ ref: told?.ref, bytes: bytes.byteLength });
  expect(await runner.object(run).value(run, told?.ref ?? 0)).toBe(text);
  // Inputs and outputs of the elements, and not these once more.
  expect(size).toBeLessThan(2.7 * bytes.byteLength);
});

test('of a loop in a branch, beside a little one', async () => {
  const little = { id: 'little', type: 'template', template: 'echo', input: { n: 1 } };
  const branches = [[LOOP], [little]];
  const both = { id: 'both', type: 'parallel', joinResults: true, branches };
  const { told, bytes, text } = await ran([both]);
  expect(JSON.parse(text)).toEqual({ each: OUTPUT, little: { of: 1 } });
  expect(told).toEqual({ ref: told?.ref, bytes: bytes.byteLength });
});

test('have a digest that is made a few bytes at a time, in turn', async () => {
  const { runner, run, told, text, bytes } = await ran([LOOP]);
  const seated = vi.spyOn(WorkQueue.prototype, 'seat');
  const digest = await runner.object(run).digest(run, told?.ref ?? 0);
  const turns = seated.mock.calls.length;
  seated.mockRestore();
  expect(digest).toBe(digestNow(text));
  expect(turns).toBeGreaterThanOrEqual(Math.floor(bytes.byteLength / (600 * 1024)));
  expect(turns).toBeGreaterThan(1);
  expect(await runner.object(run).digest(run, 1_000_000)).toBeUndefined();
});

test('are copied into a fork in pieces of which none is large', async () => {
  const wide = {
    ...LOOP,
    action: { ...STEP, input: { n: `$.item.padEnd(${LENGTH * 9}, '😀ä')` } },
  };
  const last = { id: 'last', type: 'template', template: 'echo', input: { n: 1 } };
  const output = '$.actions.each.output';
  const { runner, run, text } = await ran([{ ...wide, next: 'last' }, last], { output });
  const kept = await runner.object(run).kept(run, 'last');
  const lines = (await new Response(kept).text()).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(300_000);
  const more = { forkedFrom: run, fork: { from: 'last', reached: [] } };
  const forked = (await runner.start('large', { items: ITEMS }, more, false)) as { run: string };
  await runner.until(forked.run, 'succeeded');
  const told = (await runner.shown(forked.run)).record.output;
  const stream = await runner.object(forked.run).valueBytes(forked.run, told?.ref ?? 0);
  expect((await new Response(stream).text()) === text).toBe(true);
  expect(told).toMatchObject({ bytes: new TextEncoder().encode(text).byteLength });
});

test('are read by expressions and aggregations as any other value', async () => {
  const summed = {
    ...LOOP,
    aggregation: { letters: '$.results.reduce((sum, each) => sum + each.of.length, 0)' },
  };
  const counts = { output: '$.actions.each.output' };
  expect(JSON.parse((await ran([summed])).text)).toEqual({ letters: MANY * LENGTH, count: MANY });
  expect(JSON.parse((await ran([LOOP], counts)).text)).toEqual(OUTPUT);
});

test('together are at most 32 MiB', async () => {
  const runner = await startRunner();
  const big = { ...STEP, input: { n: "$.item.padEnd(4000000, 'a')" } };
  await runner.store('too-large', { actions: [{ ...LOOP, action: big }] });
  const { run } = (await runner.start('too-large', { items: ITEMS }, {}, false)) as { run: string };
  await runner.until(run, 'failed');
  const { error } = (await runner.shown(run)).record;
  expect(error && 'text' in error ? JSON.parse(error.text) : undefined).toEqual({
    code: 'RESULT_TOO_LARGE',
    message: 'The results of all elements are larger than 32 MiB',
    action: 'each',
  });
});

test('are read in a database whose tables have the layout of before', async () => {
  const runner = await startRunner();
  await runner.store('large', JSON.parse(JSON.stringify({ actions: [LOOP] })));
  const id = crypto.randomUUID();
  await runInDurableObject(runner.object(id), (_object, { storage }) => {
    storage.sql.exec('DROP TABLE IF EXISTS texts');
    storage.sql.exec(`CREATE TABLE texts (
      run INTEGER NOT NULL, ref INTEGER NOT NULL, size INTEGER NOT NULL, bytes BLOB,
      PRIMARY KEY (run, ref)
    ) WITHOUT ROWID`);
  });
  await runner.start('large', { items: ITEMS }, { id }, false);
  await runner.until(id, 'succeeded');
  const { output } = (await runner.shown(id)).record;
  expect(JSON.parse((await runner.object(id).value(id, output?.ref ?? 0)) ?? '')).toEqual(OUTPUT);
});
