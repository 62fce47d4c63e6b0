/** A graph of very many actions: what ends is looked up for what comes after it, and nothing else is looked at. */
import { describe, expect, test, vi } from 'vitest';
import { cancel } from './machine.ts';
import { retryRun } from './resume.ts';
import { MemoryJournal } from './test/memory-journal.ts';
import { World } from './test/world.ts';

const COUNT = 200;
/** Nodes that may be looked up for each action, whatever the graph. */
const LOOKUPS_MAX = 20;

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `a${from + at}`);

/** After which actions each begins. */
const GRAPHS = {
  'a row': (at: number) => (at === 0 ? [] : [`a${at - 1}`]),
  'a star': (at: number) => (at === 0 ? [] : ['a0']),
  'a star that closes': (at: number) => (at === COUNT - 1 ? range(1, at) : at === 0 ? [] : ['a0']),
  'no edge': () => [],
  'two layers': (at: number) => (at < COUNT / 2 ? [] : range(0, COUNT / 2)),
};

test.each(Object.entries(GRAPHS))('%s ends whole, without a look at all for each', (_, after) => {
  const actions = Array.from({ length: COUNT }, (_each, at) => ({
    ...{ id: `a${at}`, type: 'template', template: 't' },
    after: after(at),
  }));
  const lookedUp = vi.spyOn(MemoryJournal.prototype, 'node');
  const world = new World({ actions }).begin().go();
  const { length } = lookedUp.mock.calls;
  lookedUp.mockRestore();
  expect(world.run.status).toBe('succeeded');
  expect(world.made).toHaveLength(COUNT);
  // The journal of tests looks one up itself for each that is added.
  expect(length).toBeLessThan(LOOKUPS_MAX * COUNT);
});

test('an action that comes after two begins once, after the later one', () => {
  const actions = [
    { id: 'one', type: 'template', template: 't', after: [] },
    { id: 'two', type: 'template', template: 't', after: ['one'] },
    { id: 'both', type: 'template', template: 't', after: ['two', 'one'] },
  ];
  const { made } = new World({ actions }).begin().go();
  expect(made).toEqual(['one#1', 'two#1', 'both#1']);
});

const MANY = 35;
/** Actions that all begin at one moment. */
const WIDE = {
  'what comes after one': [
    { id: 'first', type: 'template', template: 't', after: [] },
    ...Array.from({ length: MANY }, (_, at) => ({
      ...{ id: `a${at}`, type: 'template', template: 't', after: ['first'] },
    })),
  ],
  'what comes after nothing': Array.from({ length: MANY }, (_, at) => ({
    ...{ id: `a${at}`, type: 'template', template: 't', after: [] },
  })),
  branches: [
    {
      ...{ id: 'all', type: 'parallel', joinResults: true },
      branches: Array.from({ length: MANY }, (_, at) => ({
        ...{ id: `a${at}`, type: 'template', template: 't' },
      })),
    },
  ],
};

describe.each(Object.entries(WIDE))('of very many actions, %s begins', (what, actions) => {
  const expected = Array.from({ length: MANY }, (_, at) =>
    what === 'branches' ? `all[${at}].a${at}#1` : `a${at}#1`,
  );
  /** A run whose transitions begin at most ten, up to the first that left some to the next. */
  function begun() {
    const world = new World({ actions });
    world.beginsMax = 10;
    world.begin();
    const [first] = what === 'what comes after one' ? world.journal.calls.splice(0) : [];
    if (first) world.reply(first);
    return world;
  }
  const wide = ({ made }: World) => made.filter((each) => each !== 'first#1');

  test('ten at a time, in their order, and each once', () => {
    const world = begun();
    expect(world.journal.nodes.length).toBeLessThanOrEqual(11);
    expect(world.run.status).toBe('running');
    world.go();
    expect(wide(world)).toEqual(expected);
    expect(world.run.status).toBe('succeeded');
  });

  test('no more once the run is cancelled, and the rest when it is retried', () => {
    const world = begun();
    cancel(world.turn());
    world.go();
    expect(world.run.status).toBe('cancelled');
    const before = wide(world);
    expect(before.length).toBeLessThanOrEqual(10);
    retryRun(world.turn());
    world.go();
    expect(world.run.status).toBe('succeeded');
    expect([...wide(world)].sort()).toEqual([...expected].sort());
  });
});
