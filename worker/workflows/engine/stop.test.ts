/** What stops in several transitions: nothing goes on in between, and each ends once. */
import { expect, test } from 'vitest';
import { calledBack } from './arrivals.ts';
import { cancel } from './machine.ts';
import { retryRun } from './resume.ts';
import { call } from './test/actions.ts';
import { World } from './test/world.ts';

const MANY = 35;
const LAST = MANY - 1;
const many = <Item>(item: (at: number) => Item) =>
  Array.from({ length: MANY }, (_, at) => item(at));
const wait = (at: number) => ({ id: `w${at}`, type: 'wait', mode: 'callback' });

/** In transitions that stop ten at most. */
function begun(definition: ConstructorParameters<typeof World>[0]): World {
  const world = new World(definition);
  world.begin().answer();
  world.beginsMax = 10;
  return world;
}

const phases = ({ journal }: World) =>
  journal.nodes.filter(({ phase }) => phase !== 'ended').length;

test('a run of many waits that is cancelled stops ten at a time', () => {
  const world = begun({ actions: many((at) => ({ ...wait(at), after: [] })) });
  expect(cancel(world.turn())).toBe(true);
  expect([phases(world), world.run.status]).toEqual([MANY - 10, 'running']);
  for (let left = MANY - 20; left > 0; left -= 10) {
    world.nextDue();
    expect(phases(world)).toBe(left);
  }
  world.go();
  expect(world.run.status).toBe('cancelled');
  expect(world.journal.nodes.map(({ status }) => status)).toEqual(many(() => 'cancelled'));
});

test('what comes to a wait that is still to be stopped comes too late', () => {
  const branches = many((at) => [{ ...wait(at), next: `c${at}` }, call(`c${at}`)]);
  const world = begun({ actions: [{ id: 'all', type: 'parallel', branches }] });
  cancel(world.turn());
  const last = `all[9].w9`;
  expect(world.journal.node(last)?.phase).toBe('wait');
  expect(calledBack(world.turn(), last, '1')).toBe(false);
  expect(world.journal.node(last)?.status).toBe('cancelled');
  world.go();
  expect([world.run.status, world.made]).toEqual(['cancelled', []]);
});

test('a run that was cancelled while that went on goes on whole when it is retried', () => {
  const world = begun({ actions: many((at) => ({ ...wait(at), after: [] })) });
  cancel(world.turn());
  world.go();
  retryRun(world.turn());
  expect([phases(world), world.run.status]).toEqual([10, 'running']);
  // Some may end, and some may come, before the rest is opened.
  for (const path of ['w0', 'w1']) expect(calledBack(world.turn(), path, '1')).toBe(true);
  world.go();
  expect(phases(world)).toBe(MANY - 2);
  for (const { path } of [...world.journal.nodes]) calledBack(world.turn(), path, '1');
  world.answer();
  expect(world.run.status).toBe('succeeded');
});

/** A container of many waits and a call whose first attempt fails: the container is tried twice. */
function twice(): World {
  const branches = [...many((at) => wait(at)).slice(0, LAST), call('fails')];
  const errorHandler = { actions: { all: { retry: { maxAttempts: 2, jitter: false } } } };
  const actions = [{ id: 'all', type: 'parallel', branches }];
  const world: World = new World({ actions, errorHandler }, {}, () =>
    world.node('all').attempts === 1 ? { code: 'CONNECTION_FAILED' } : { output: null },
  );
  world.begin();
  world.beginsMax = 10;
  world.answer();
  expect(world.node('all').phase).toBe('children');
  expect(phases(world)).toBeGreaterThan(20);
  return world;
}

const waits = ({ journal }: World) => journal.nodes.filter(({ phase }) => phase === 'wait');

/** The second attempt begins whole, and ends well. */
function isTriedAnew(world: World): void {
  for (let times = 0; waits(world).length < LAST && times < 20; times += 1) world.nextDue();
  for (const { path } of waits(world)) calledBack(world.turn(), path, '1');
  world.answer();
  expect([world.run.status, world.node('all').attempts]).toEqual(['succeeded', 2]);
}

test('a container that fails stops ten at a time, and begins anew once all have stopped', () => {
  const world = twice();
  for (let left = phases(world) - 10; left > 1; left -= 10) {
    world.nextDue();
    expect(phases(world)).toBe(left);
  }
  for (let times = 0; world.node('all').phase === 'children' && times < 5; times += 1) {
    world.nextDue();
  }
  isTriedAnew(world);
});

test('what a container had still to stop does not stop what it begins anew', () => {
  const world = twice();
  for (const { path } of waits(world)) {
    expect(calledBack(world.turn(), path, '1')).toBe(false);
  }
  expect(world.node('all').phase).toBe('backoff');
  isTriedAnew(world);
});

test('nothing begins any more in the transition in which a run fails', () => {
  const x = { ...call('x'), after: [] };
  const throws = { ...call('y0', { input: { n: '$.input.none()' } }), after: ['x'] };
  // Its branch begins after the failure is known.
  const others = [{ id: 'y1', type: 'parallel', branches: [call('y2')], after: ['x'] }];
  const actions = [...many((at) => ({ ...wait(at), after: [] })), x, throws, ...others];
  const world = new World({ actions }).begin();
  world.beginsMax = 10;
  world.answer().go();
  expect([world.run.status, world.made]).toEqual(['failed', ['x#1']]);
});
