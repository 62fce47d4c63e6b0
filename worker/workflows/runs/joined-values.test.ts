/** Large values of every shape are read as they were written, by expressions, templates and the record. Spec: workflows.md §2, §3, §7. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { startRunner } from './test/runner.ts';

const SEED = 1515;
const CASES = 25;
/** Characters of a leaf: below and beyond where values have rows of their own, are parsed beforehand, and are referred to. */
const LENGTHS = [3, 5_000, 70_000, 300_000];
const MOST = 3_000_000;
/** By their lengths. */
const COLLECTIONS = [[], [0], [0, 1], [0, 1, 2]];

type Shape =
  | { readonly is: 'leaf'; readonly length: number; readonly character: string }
  | { readonly is: 'loop'; readonly count: number; readonly mode: string; readonly of: Shape }
  | { readonly is: 'branches'; readonly of: readonly Shape[] };

const leaf = fc.record({
  is: fc.constant('leaf' as const),
  length: fc.constantFrom(...LENGTHS),
  character: fc.constantFrom('a', 'ä', '"', '\\', '\u2028', '😀', '0'),
});
const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.record({
      is: fc.constant('loop' as const),
      count: fc.integer({ min: 0, max: 3 }),
      mode: fc.constantFrom('sequential', 'parallel'),
      of: tie('shape'),
    }),
    fc.record({
      is: fc.constant('branches' as const),
      of: fc.array(tie('shape'), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));

/** The action of a shape, whose leaves' texts are in the input, and what it comes to. */
function made(shape: Shape, texts: string[], names = { last: 0 }): { action: Json; output: Json } {
  names.last += 1;
  const id = `a${names.last}`;
  if (shape.is === 'leaf') {
    const text = shape.character.repeat(shape.length);
    const n = `$.input.texts[${texts.push(text) - 1}]`;
    return {
      action: { id, type: 'template', template: 'echo', input: { n } },
      output: { of: text },
    };
  }
  if (shape.is === 'loop') {
    const { count, mode } = shape;
    const each = made(shape.of, texts, names);
    const elements = Array.from({ length: count }, (_, at) => at);
    const collection = `$.input.collections[${count}]`;
    return {
      action: { id, type: 'loop', mode, collection, as: `of_${id}`, action: each.action },
      output: { results: elements.map(() => each.output), count },
    };
  }
  const branches = shape.of.map((branch) => made(branch, texts, names));
  return {
    action: {
      id,
      type: 'parallel',
      joinResults: true,
      branches: branches.map((each) => [each.action]),
    },
    output: Object.fromEntries(
      branches.map(({ action, output }) => [(action as { id: string }).id, output]),
    ),
  };
}

test('by a generator', async () => {
  const runner = await startRunner();
  let cases = 0;
  await fc.assert(
    fc.asyncProperty(shape, async (top) => {
      const texts: string[] = [];
      const { action, output } = made(top, texts);
      fc.pre(JSON.stringify(output).length < MOST);
      const { id } = action as { id: string };
      const all = `$.actions.${id}.output`;
      const size = `$.input.none ?? JSON.stringify(${all}).length`;
      cases += 1;
      const name = `joined-${cases}`;
      await runner.store(name, {
        actions: [
          { ...(action as object), next: 'again' },
          { id: 'again', type: 'template', template: 'echo', input: { n: all } },
        ],
        output: { all, again: '$.actions.again.output.of', size },
      });
      const { run } = (await runner.start(
        name,
        { texts, collections: COLLECTIONS },
        {},
        cases % 2 === 0,
      )) as { run: string };
      await runner.until(run, 'succeeded');
      const { output: told } = (await runner.shown(run)).record;
      const stream = await runner.object(run).valueBytes(run, told?.ref ?? 0);
      const read: unknown = JSON.parse(await new Response(stream).text());
      expect(read).toEqual({ all: output, again: output, size: JSON.stringify(output).length });
    }),
    { seed: SEED, numRuns: CASES },
  );
}, 60_000);
