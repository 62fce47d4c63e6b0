/** A transition that computes much ends early: what is left begins in the next, after others had their turn. */
import { expect, test } from 'vitest';
import { beginRun, due } from './machine.ts';
import { World } from './test/world.ts';

const loop = (condition: string) => ({
  name: 'Long',
  actions: [
    {
      ...{ id: 'all', type: 'loop', collection: 'Array.from({ length: 50 }, (_, i) => i)' },
      action: { id: 'each', type: 'condition', condition, true: null, false: null },
    },
  ],
});
const DEAR = '(() => { let n = 0; while (n < 50000) { n += 1 } return false })()';

/** Steps of each transition of a run, from its beginning to its end. */
function stepsOf(world: World): number[] {
  const steps: number[] = [];
  const first = world.turn();
  beginRun(first);
  for (;;) {
    const next = world.journal.dues.find(({ kind }) => kind === 'go');
    if (!next) return steps.concat(first.spent.steps);
    const turn = world.turn();
    turn.journal.undue(next.path, next.kind);
    due(turn, next.path, next.kind);
    steps.push(turn.spent.steps);
  }
}

test('none takes more steps than one action beyond its bound', () => {
  const world = new World(loop(DEAR));
  const steps = stepsOf(world);
  expect(Math.max(...steps)).toBeLessThan(3_000_000);
  expect(steps.length).toBeGreaterThan(5);
  expect(world.run.status).toBe('succeeded');
});

test('one that computes little does all at once', () => {
  const world = new World(loop('false'));
  expect(stepsOf(world)).toHaveLength(1);
  expect(world.run.status).toBe('succeeded');
});
