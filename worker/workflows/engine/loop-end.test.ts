/** Loops and graphs whose outputs are joined in many transitions end as those whose are joined in one. Spec: workflows.md §1, §3. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { TIMES } from '../../test/runs.ts';
import { beginRun, cancel, due } from './machine.ts';
import { retryRun } from './resume.ts';
import { call } from './test/actions.ts';
import { World } from './test/world.ts';

const numRuns = 100 * TIMES;
const WAYS: readonly { readonly [member: string]: Json }[] = [
  {},
  { aggregation: { all: '$.results', n: '$.results.length' } },
  { continueOnError: true },
  { continueOnError: true, aggregation: { all: '$.results' } },
];

const loop = (more: { readonly [member: string]: Json }) => ({
  ...{ id: 'each', type: 'loop', mode: 'parallel', maxConcurrency: 100 },
  ...{ collection: '$.input.items', action: call('of', { input: { n: '$.item' } }), ...more },
});

/** Every third fails. */
const answered = (_path: string, _attempt: number, input: Json) =>
  JSON.stringify(input).includes('3') ? { code: 'FORBIDDEN' } : { output: input };
const told = ({ run, output, error }: World) => ({ status: run.status, output, error });

/** Lets only what was put off go on; answers whether there is any. */
function goneOn(world: World): boolean {
  const next = world.journal.dues.find(({ kind }) => kind === 'go');
  if (!next) return false;
  const turn = world.turn();
  turn.journal.undue(next.path, next.kind);
  due(turn, next.path, next.kind);
  return true;
}

test('a loop', () => {
  fc.assert(
    fc.property(
      fc.nat(40),
      fc.constantFrom(...WAYS),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      (count, way, beginsMax, isCancelled) => {
        const items = Array.from({ length: count }, (_, at) => at);
        const made = () => new World({ actions: [loop(way)] }, { items }, answered).begin();
        const world = made();
        world.beginsMax = beginsMax;
        world.answer();
        if (isCancelled && world.node('each').state.joined) {
          cancel(world.turn());
          world.go();
          expect(world.run.status).toBe('cancelled');
          retryRun(world.turn());
        }
        let pieces = 1;
        while (goneOn(world)) pieces += 1;
        expect(told(world)).toEqual(told(made().answer()));
        if (isCancelled || world.run.status !== 'succeeded') return;
        expect(pieces).toBe(Math.max(1, Math.ceil(count / (5 * beginsMax))));
      },
    ),
    { numRuns },
  );
});

test('a graph', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      (count, beginsMax, isCancelled) => {
        const actions = Array.from({ length: count }, (_, at) =>
          call(`a${at}`, { after: at % 7 === 1 ? ['a0'] : [], input: { n: at } }),
        );
        const made = () =>
          new World({ actions }, {}, (_path, _attempt, input) => ({ output: input })).begin();
        const world = made();
        world.beginsMax = beginsMax;
        do world.answer();
        while (world.run.joined === undefined && goneOn(world));
        if (isCancelled && world.run.joined !== undefined) {
          cancel(world.turn());
          world.go();
          expect(world.run.status).toBe('cancelled');
          retryRun(world.turn());
        }
        while (goneOn(world)) expect(world.journal.calls).toEqual([]);
        expect(told(world)).toEqual(told(made().go()));
      },
    ),
    { numRuns },
  );
});

test('a loop that is still to be stopped when the rest of its output is due is not joined any more', () => {
  const waits = Array.from({ length: 3 }, (_, at) => ({
    ...{ id: `w${at}`, type: 'wait', mode: 'callback' },
  }));
  const items = Array.from({ length: 10 }, (_, at) => at);
  const world = new World(
    { actions: [{ id: 'all', type: 'parallel', branches: [...waits, loop({})] }] },
    { items },
  );
  const path = 'all[3].each';
  world.begin();
  world.beginsMax = 1;
  world.answer();
  expect(world.node(path).state.joined).toBeDefined();
  cancel(world.turn());
  expect(world.node(path).stopping).toBe(false);
  due(world.turn(), path, 'go');
  expect(world.go().node(path).status).toBe('cancelled');
});

test('an output larger than 32 MiB fails the run as soon as that is known', () => {
  const actions = Array.from({ length: 40 }, (_, at) => call(`a${at}`, { after: [] }));
  const output = 'x'.repeat(1024 * 1024);
  const world = new World({ actions }, {}, () => ({ output }));
  beginRun(world.turn());
  world.answer();
  expect(told(world)).toMatchObject({ status: 'failed', error: { code: 'RESULT_TOO_LARGE' } });
});
