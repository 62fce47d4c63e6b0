/** Whatever comes in whatever order, also while a retry opens a run: below what has failed or stops nothing begins, and the run ends. Spec: workflows.md §3, §4. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { TIMES } from '../../test/runs.ts';
import { calledBack } from './arrivals.ts';
import { cancel } from './machine.ts';
import { isBelow } from './paths.ts';
import { retryRun } from './resume.ts';
import { call } from './test/actions.ts';
import { World } from './test/world.ts';

const numRuns = 300 * TIMES;
/** Things that happen at most. */
const MOST = 120;

type Shape = 'call' | 'wait' | 'both' | { readonly branches: Shape[] } | { readonly each: Shape };
const leaf = fc.constantFrom<Shape>('call', 'call', 'wait', 'both');
const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    leaf,
    fc.record({ branches: fc.array(tie('shape'), { minLength: 1, maxLength: 6 }) }),
    fc.record({ each: tie('shape') }),
  ),
}));

/** The actions of a shape, as a list. */
function made(of: Shape, names = { last: 0 }): Json[] {
  names.last += 1;
  const id = `a${names.last}`;
  if (of === 'call') return [call(id)];
  if (of === 'wait') return [{ id, type: 'wait', mode: 'callback' }];
  if (of === 'both') {
    return [{ id, type: 'wait', mode: 'callback', next: `${id}-then` }, call(`${id}-then`)];
  }
  if ('each' in of) {
    const action = made(of.each, names);
    const loop = { id, type: 'loop', mode: 'parallel', maxConcurrency: 3, action };
    return [{ ...loop, collection: '[1, 2, 3, 4, 5]' }];
  }
  return [{ id, type: 'parallel', branches: of.branches.map((each) => made(each, names)) }];
}

const paths = ({ journal }: World, fits: (node: World['journal']['nodes'][number]) => boolean) =>
  journal.nodes.filter(fits).map(({ path }) => path);
const active = (world: World) => paths(world, ({ phase }) => phase !== 'ended');
const closing = (world: World) =>
  paths(
    world,
    ({ phase, stopping, state }) =>
      phase === 'children' && (stopping || state.failing !== undefined),
  );

/** Lets one thing happen. @param choice which, of those that may */
function happen(world: World, choice: number): void {
  const { calls } = world.journal;
  const waits = paths(world, ({ phase }) => phase === 'wait');
  const what = choice % 4;
  if (what === 0) world.nextDue();
  else if (what === 1 && waits.length > 0) {
    calledBack(world.turn(), waits[choice % waits.length] ?? '', '1');
  } else if (choice % 97 === 0) cancel(world.turn());
  else for (const one of calls.splice(choice % Math.max(calls.length, 1), 1)) world.reply(one);
}

test('nothing begins below what closes', () => {
  let retried = 0;
  fc.assert(
    fc.property(
      fc.array(shape, { minLength: 2, maxLength: 8 }),
      fc.array(fc.nat(1_000), { minLength: MOST, maxLength: MOST }),
      fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      fc.integer({ min: 1, max: 3 }),
      (branches, choices, fates, beginsMax) => {
        let replies = 0;
        const world = new World({ actions: made({ branches }) }, {}, () => {
          replies += 1;
          return fates[replies % fates.length] ? { code: 'BAD_REQUEST' } : { output: null };
        });
        world.beginsMax = beginsMax;
        world.begin();
        for (const choice of choices) {
          if (world.run.endedAt !== 0) {
            if (world.run.status === 'succeeded') return;
            retried += 1;
            retryRun(world.turn());
          }
          const [closes, began] = [closing(world), new Set(active(world))];
          happen(world, choice);
          const still = new Set(closing(world));
          const begun = active(world).filter((path) => !began.has(path));
          const below = closes.filter((container) => still.has(container));
          expect(begun.filter((path) => below.some((each) => isBelow(path, each)))).toEqual([]);
        }
        cancel(world.turn());
        world.go();
        expect([world.run.endedAt > 0, active(world)]).toEqual([true, []]);
      },
    ),
    { numRuns },
  );
  expect(retried).toBeGreaterThan(numRuns);
});
