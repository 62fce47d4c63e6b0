/** Random graphs: the engine does with them what the model does, in transitions that begin few actions, and read anew before each. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TIMES } from '../../../worker/test/runs.ts';
import { runEngine } from './engine.ts';
import { Fate } from './fate.ts';
import { runModel } from './model/run.ts';
import type { Definition, Written, WrittenHandler } from './written.ts';

const numRuns = 150 * TIMES;
/** Actions of a graph at most. */
const MOST = 24;

/** One action of a graph: what it is, and which of those before it it comes after, counted from the nearest. */
const part = fc.record({
  is: fc.constantFrom('call', 'call', 'branches', 'skips', 'chooses', 'each', 'waits'),
  after: fc.uniqueArray(fc.nat(MOST), { maxLength: 3 }),
  handler: fc.constantFrom('none', 'none', 'fallback', 'retry'),
  isUndone: fc.boolean(),
});
type Part = typeof part extends fc.Arbitrary<infer Of> ? Of : never;

const call = (id: string): Written => ({ id, type: 'template', template: 't', input: {} });

/** A branch in which one action may be skipped. */
const skipping = (id: string, condition: string): Written[] => [
  { id: `${id}-if`, type: 'condition', condition, true: `${id}-then`, false: null },
  call(`${id}-then`),
];

function action(id: string, { is }: Part): Written {
  if (is === 'branches') {
    const branches = [call(`${id}-one`), skipping(`${id}-two`, 'false'), call(`${id}-three`)];
    return { id, type: 'parallel', branches, joinResults: true };
  }
  if (is === 'skips') {
    const branches = [skipping(`${id}-one`, '$.input.n > 4'), skipping(`${id}-two`, 'true')];
    return { id, type: 'parallel', branches };
  }
  if (is === 'chooses') {
    const options = { small: call(`${id}-small`), large: call(`${id}-large`) };
    const expression = "$.input.n > 4 ? 'large' : 'small'";
    return { id, type: 'dynamicAction', selection: { expression, options } };
  }
  if (is === 'each') {
    return {
      id,
      type: 'loop',
      collection: '$.input.list',
      mode: 'parallel',
      action: call(`${id}-of`),
    };
  }
  if (is === 'waits') return { id, type: 'wait', mode: 'duration', duration: 'PT3S' };
  return call(id);
}

function definitionOf(parts: readonly Part[]): Definition {
  const handlers: Record<string, WrittenHandler> = {};
  const actions = parts.map((each, at): Written => {
    const id = `a${at}`;
    if (each.handler === 'fallback') handlers[id] = { fallback: call(`${id}-fallback`) };
    if (each.handler === 'retry') handlers[id] = { retry: { maxAttempts: 2, jitter: false } };
    const after =
      at === 0 ? [] : [...new Set(each.after.map((back) => `a${at - 1 - (back % at)}`))];
    const undone = each.isUndone ? { compensation: call(`${id}-undo`) } : {};
    return { ...action(id, each), after, ...undone };
  });
  return { name: 'Graph', actions, errorHandler: { actions: handlers } };
}

test('a graph in few and in many transitions is run as the model runs it', async () => {
  const statuses = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 2, maxLength: MOST }),
      fc.nat(),
      fc.nat(9),
      fc.integer({ min: 1, max: 5 }),
      async (parts, seed, n, beginsMax) => {
        const definition = definitionOf(parts);
        const [input, fate] = [{ n, list: [1, 2, 3].slice(n % 4) }, new Fate(seed)];
        const { isTied, isOpenInPieces: _, ...expected } = await runModel(definition, input, fate);
        fc.pre(!isTied);
        statuses.add(expected.status);
        expect(runEngine(definition, input, fate)).toEqual(expected);
        const ways = { beginsMax, isReadAnew: true };
        expect(runEngine(definition, input, fate, ways)).toEqual(expected);
      },
    ),
    { numRuns, seed: 1 },
  );
  // All of them were seen.
  expect([...statuses].sort()).toEqual(['cancelled', 'failed', 'succeeded']);
});
