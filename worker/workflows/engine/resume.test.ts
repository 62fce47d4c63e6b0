/** What a retry opens in several transitions: all of it, each once, and never more of a loop at a time than may run. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { calledBack } from './arrivals.ts';
import { cancel } from './machine.ts';
import { retryRun } from './resume.ts';
import { call } from './test/actions.ts';
import { World } from './test/world.ts';

const wait = (id: string) => ({ id, type: 'wait', mode: 'callback' });
const ITEMS = Array.from({ length: 9 }, (_, at) => at);
const AT_ONCE = 4;
const loop = (id: string, action: Json, mode = 'parallel') => ({
  ...{ id, type: 'loop', mode, maxConcurrency: AT_ONCE, collection: '$.input.items', action },
});
const parallel = (id: string, branches: Json[]) => ({ id, type: 'parallel', branches });
const branchesOf = (name: string) =>
  ITEMS.map((at) => [{ ...wait(`${name}${at}`), next: `${name}c${at}` }, call(`${name}c${at}`)]);

const SHAPES: Readonly<Record<string, Json>> = {
  'a parallel': parallel('all', branchesOf('w')),
  'a parallel in a parallel': parallel(
    'all',
    ['a', 'b', 'c'].map((name) => [parallel(name, branchesOf(name))]),
  ),
  'a loop': loop('each', [{ ...wait('w'), next: 'c' }, call('c')]),
  'a loop in a loop': loop('each', loop('inner', wait('w'))),
  'a loop in a parallel': parallel('all', [[loop('each', wait('w'))], [wait('x')]]),
  'a parallel in a sequential loop': loop(
    'each',
    parallel('all', [[wait('w')], [wait('x')]]),
    'sequential',
  ),
};

const waits = ({ journal }: World) => journal.nodes.filter(({ phase }) => phase === 'wait');

/** Those of one loop that run. */
function mostOfALoop({ journal }: World): number {
  const running = journal.nodes
    .filter(({ phase, path }) => phase !== 'ended' && path.endsWith('.w'))
    .map(({ path }) => path.replace(/\[\d+\]\.w$/, ''));
  return Math.max(0, ...[...Map.groupBy(running, (path) => path).values()].map((of) => of.length));
}

/** Calls back the first that waits, and lets what is put off go on, by turns, until all has ended; answers the most of a loop that ran. */
function played(world: World, beginsMax: number): number {
  world.beginsMax = beginsMax;
  let most = 0;
  for (let step = 0; step < 1_000 && world.run.endedAt === 0; step += 1) {
    if (step % 2 === 0) world.nextDue();
    const [first] = waits(world);
    if (step % 3 === 0 && first) calledBack(world.turn(), first.path, '1');
    world.answer();
    most = Math.max(most, mostOfALoop(world));
  }
  return most;
}

/** Some have ended, others wait and some have not begun when it is cancelled. @param begunAtOnce before that */
function cancelled(shape: Json, begunAtOnce = Number.POSITIVE_INFINITY): World {
  const world = new World({ actions: [shape] } as ConstructorParameters<typeof World>[0], {
    items: ITEMS,
  });
  world.beginsMax = begunAtOnce;
  world.begin().answer();
  for (const { path } of waits(world).slice(0, 2)) calledBack(world.turn(), path, '1');
  world.answer();
  cancel(world.turn());
  world.go();
  expect(world.run.status).toBe('cancelled');
  return world;
}

describe.each(Object.entries(SHAPES))('%s', (_, shape) => {
  const whole = cancelled(shape);
  retryRun(whole.turn());
  played(whole, Number.POSITIVE_INFINITY);

  test.each([1, 2, 5])(
    'that is opened %i at a time goes on as one that is at once',
    (beginsMax) => {
      const world = cancelled(shape);
      world.beginsMax = beginsMax;
      retryRun(world.turn());
      expect(played(world, beginsMax)).toBeLessThanOrEqual(AT_ONCE);
      const sorted = ({ made }: World) => made.toSorted();
      expect([world.run.status, whole.run.status]).toEqual(['succeeded', 'succeeded']);
      expect(sorted(world)).toEqual(sorted(whole));
      const byPath = (of: World) =>
        Object.fromEntries(Object.entries(of.statuses()).toSorted(([a], [b]) => (a < b ? -1 : 1)));
      expect(byPath(world)).toEqual(byPath(whole));
      expect(world.output).toEqual(whole.output);
    },
  );

  test('that was cancelled while it began goes on whole', () => {
    const world = cancelled(shape, 2);
    retryRun(world.turn());
    played(world, 2);
    expect([world.run.status, world.output]).toEqual(['succeeded', whole.output]);
  });

  test('that is cancelled again while it is opened goes on whole with the next retry', () => {
    const world = cancelled(shape);
    world.beginsMax = 1;
    retryRun(world.turn());
    world.nextDue();
    cancel(world.turn());
    world.go();
    expect(world.run.status).toBe('cancelled');
    retryRun(world.turn());
    played(world, 2);
    expect([world.run.status, world.output]).toEqual(['succeeded', whole.output]);
  });
});

test('a container that fails again while it is opened opens no more, and the next retry opens all', () => {
  const failing = call('fails', { next: 'w' });
  const calls = ITEMS.map((at) => [call(`c${at}`)]);
  const branches = [...branchesOf('x').slice(0, 3), [failing, wait('w')], ...calls];
  let hasMended = false;
  const world = new World({ actions: [parallel('all', branches)] }, {}, (path) =>
    path.endsWith('fails') && !hasMended ? { code: 'BAD_REQUEST' } : { output: null },
  );
  world.begin().go();
  expect(world.run.status).toBe('failed');
  world.beginsMax = 1;
  retryRun(world.turn());
  while (world.node('all').state.failing === undefined) if (!world.answer().nextDue()) break;
  const paths = (isEnded: boolean) =>
    world.journal.nodes
      .filter(({ phase }) => (phase === 'ended') === isEnded)
      .map(({ path }) => path);
  const closed = new Set(paths(true));
  // One is still to be stopped, and others were not opened.
  expect([waits(world).length, closed.size]).toEqual([1, 12]);
  const made = world.made.length;
  while (world.run.endedAt === 0 && world.nextDue()) {
    expect(paths(false).filter((path) => closed.has(path))).toEqual([]);
  }
  expect([world.run.status, waits(world)]).toEqual(['failed', []]);
  expect([world.made.length, world.journal.calls]).toEqual([made, []]);
  hasMended = true;
  retryRun(world.turn());
  played(world, 1);
  expect(world.run.status).toBe('succeeded');
});

test('a container that fails while it is opened opens no more while a call of it is in flight', () => {
  const branches = [[call('fails')], [call('slow')], ...branchesOf('x').slice(0, 4)];
  const world = new World({ actions: [parallel('all', branches)] }, {}, () => ({
    code: 'BAD_REQUEST',
  }));
  world.begin().go();
  world.beginsMax = 2;
  retryRun(world.turn());
  const [fails, slow] = world.journal.calls.splice(0);
  if (fails) world.reply(fails);
  expect([world.node('all').phase, slow?.path]).toEqual(['children', 'all[1].slow']);
  while (world.nextDue()) expect(waits(world)).toEqual([]);
  if (slow) world.reply(slow);
  expect(world.go().run.status).toBe('failed');
});
