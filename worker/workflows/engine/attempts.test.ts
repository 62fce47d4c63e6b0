/** Attempts that are made again, and what outlasts them, in memory. Spec: workflows.md §3, §4. */
import { expect, test } from 'vitest';
import { type Json, parseJson } from '../../../proto/json.ts';
import { childEnded, childUndone } from './arrivals.ts';
import { cancel, claimed, due } from './machine.ts';
import { call, failing, run, undo } from './test/actions.ts';
import { World } from './test/world.ts';

const child = (more: { readonly [member: string]: Json } = {}) => ({
  id: 'child',
  type: 'subworkflow',
  workflow: 'other',
  ...more,
});
const both = (branches: Json[], more: { readonly [member: string]: Json } = {}) => ({
  id: 'both',
  type: 'parallel',
  branches,
  ...more,
});
const twice = { retry: { maxAttempts: 2, initialInterval: 1 } };

/** Children that were begun, in their order. */
function children({ journal }: World): string[] {
  return journal.effects.flatMap((effect) => (effect.do === 'start-child' ? [effect.child] : []));
}

test('a condition of next asks how its own action ended', () => {
  const next = { condition: "$.actions.a.status === 'succeeded'", true: 'b', false: null };
  expect(run({ actions: [call('a', { next }), call('b')] }).made).toEqual(['a#1', 'b#1']);
});

test('a container that begins again begins other children', () => {
  const world = new World({
    actions: [both([child()])],
    errorHandler: { actions: { both: twice } },
  }).begin();
  const [first = ''] = children(world);
  const failure = { code: 'CONNECTION_FAILED', message: '', action: 'child' };
  childEnded(world.turn(), 'both[0].child', first, { is: 'failed', failure });
  due(world.turn(), 'both', 'retry');
  const [, second] = children(world);
  expect({ first, second }).toEqual({ first: expect.any(String), second: expect.any(String) });
  expect(second).not.toBe(first);
});

test('what an action may have done is undone by its own compensation, not by that of what it is part of', () => {
  const next = { condition: '$.input.none()', true: 'b', false: null };
  const list = [call('a', { compensation: undo('a'), next }), call('b')];
  const { made, error } = run({ actions: [both([list], { compensation: undo('both') })] });
  expect(error).toMatchObject({ code: 'EXPRESSION_FAILED', action: 'a' });
  expect(made).toEqual(['both[0].a#1', 'both[0].a.undo-a#1']);
});

test('a child that is not waited for is not cancelled with what began it', () => {
  const world = new World({ actions: [child({ waitForCompletion: false })] }).begin();
  cancel(world.turn());
  expect(world.journal.effects.map((effect) => effect.do)).not.toContain('cancel-child');
  const [id = ''] = children(world);
  childEnded(world.turn(), 'child', id, { is: 'started' });
  expect([world.run.status, world.node('child').status]).toEqual(['cancelled', 'succeeded']);
});

/** Beside a child with a key, something fails; then the child's run is cancelled. @param begun what came before */
function cancelledBeside(begun: (world: World) => void): World {
  const branches = [call('fails'), child({ idempotencyKey: "'k'", compensation: undo('child') })];
  const retry = { maxAttempts: 2, initialInterval: 1, retryableErrors: ['OUTCOME_UNKNOWN'] };
  const world = new World(
    { actions: [both(branches)], errorHandler: { actions: { child: { retry } } } },
    {},
    failing({ 'both[0].fails': 1 }),
  ).begin();
  claimed(world.turn(), CHILD, { is: 'own' });
  begun(world);
  for (const each of world.journal.calls.splice(0)) world.reply(each);
  expect(world.journal.effects).toContainEqual({
    ...{ do: 'cancel-child', path: CHILD, child: children(world).at(-1) },
  });
  world.journal.effects = world.journal.effects.filter((effect) => effect.do === 'start-child');
  endChild(world, 'CANCELLED');
  return world;
}

const CHILD = 'both[1].child';
/** The run that was begun last ends without success. */
function endChild(world: World, code: string): void {
  const failure = { code, message: '', action: 'child' };
  childEnded(world.turn(), CHILD, children(world).at(-1) ?? '', { is: 'failed', failure });
}

test('a child that is cancelled gives back its key', () => {
  const world = cancelledBeside(() => {});
  const key = world.node(CHILD).state.key;
  expect(key).toEqual(expect.any(String));
  expect(world.journal.effects).toContainEqual({ do: 'settle', path: CHILD, key, as: 'free' });
  expect(world.go().made).toEqual(['both[0].fails#1']);
});

test('one of which an earlier attempt may have had its effect keeps its key, and is undone', () => {
  const world = cancelledBeside((begun) => {
    endChild(begun, 'OUTCOME_UNKNOWN');
    due(begun.turn(), CHILD, 'retry');
  });
  expect(world.journal.effects).toContainEqual(
    expect.objectContaining({ do: 'settle', path: CHILD, as: 'unknown' }),
  );
  expect(world.go().made).toEqual(['both[0].fails#1', `${CHILD}.undo-child#1`]);
});

test('a child whose earlier attempt took too long fails with its own error', () => {
  const world = new World({
    actions: [child({ timeout: 'PT5S' })],
    errorHandler: { actions: { child: twice } },
  }).begin();
  const failure = { code: 'FORBIDDEN', message: '', action: 'child' };
  const [first = ''] = children(world);
  due(world.turn(), 'child', 'timeout');
  childEnded(world.turn(), 'child', first, { is: 'failed', failure });
  due(world.turn(), 'child', 'retry');
  const [, second = ''] = children(world);
  childEnded(world.turn(), 'child', second, { is: 'failed', failure });
  expect(world.error).toMatchObject({ code: 'FORBIDDEN' });
});

test('an action escalates once, however often what it is part of begins again', () => {
  const escalation = { notification: { text: 'Look' } };
  const { world, status } = run(
    {
      actions: [both([call('a')])],
      errorHandler: { actions: { both: twice, a: { escalation } } },
    },
    {},
    failing({ 'both[0].a': 1 }, 'FORBIDDEN'),
  );
  expect({ status, told: world.told.filter((each) => each === 'action.escalated') }).toEqual({
    status: 'failed',
    told: ['action.escalated'],
  });
});

test('a fallback stands for a container that cannot be undone and made again', () => {
  const list = [call('a', { compensation: undo('a'), next: 'b' }), call('b')];
  const { made, status } = run(
    {
      actions: [both([list])],
      errorHandler: { actions: { both: { ...twice, fallback: call('instead') } } },
    },
    {},
    (path) => {
      if (path === 'both[0].b') return { code: 'CONNECTION_FAILED' };
      return path.endsWith('undo-a') ? { code: 'FORBIDDEN' } : { output: null };
    },
  );
  expect({ made, status }).toEqual({
    made: ['both[0].a#1', 'both[0].b#1', 'both[0].a.undo-a#1', 'both.instead#1'],
    status: 'succeeded',
  });
});

test('one thing is undone at a time, also when the run is cancelled meanwhile', () => {
  const world = new World(
    {
      actions: [both([[child({ next: 'a' }), call('a')]], { next: null })],
      errorHandler: { actions: { both: twice } },
    },
    {},
    failing({ 'both[0].a': 1 }),
  ).begin();
  const [id = ''] = children(world);
  const path = 'both[0].child';
  childEnded(world.turn(), path, id, { is: 'succeeded', output: undefined });
  world.journal.effects = [];
  world.answer();
  cancel(world.turn());
  expect(world.run.status).not.toBe('cancelled');
  childUndone(world.turn(), path, 'complete');
  expect([world.run.status, world.node(path).status]).toEqual(['cancelled', 'compensated']);
});

test('a key that was not free in time is asked for again before the next attempt', () => {
  const world = new World({
    actions: [call('a', { idempotencyKey: "'k'" })],
    errorHandler: { default: twice },
  }).begin();
  claimed(world.turn(), 'a', { is: 'elsewhere' });
  due(world.turn(), 'a', 'timeout');
  world.journal.effects = [];
  due(world.turn(), 'a', 'retry');
  expect(world.journal.calls).toEqual([]);
  expect(world.journal.effects).toMatchObject([{ do: 'claim', path: 'a' }]);
});

test('an action whose key another run has used takes the output that this one kept', () => {
  const output = { double: '$.output.n * 2' };
  const world = new World({ actions: [call('a', { idempotencyKey: "'k'", output })] }).begin();
  const kept = world.journal.keep('{"double":42}');
  claimed(world.turn(), 'a', { is: 'done', output: kept });
  expect([world.run.status, world.output]).toEqual(['succeeded', { double: 42 }]);
});

test('an element that failed with its fallback, too, keeps the error of that', () => {
  const loop = {
    id: 'each',
    type: 'loop',
    collection: '[1]',
    continueOnError: true,
    action: call('a'),
  };
  const { output } = run(
    { actions: [loop], errorHandler: { actions: { a: { fallback: call('instead') } } } },
    {},
    failing({ 'each[0].a': 9, 'each[0].a.instead': 9 }),
  );
  expect(output).toMatchObject({ results: [{ error: { action: 'instead' } }] });
});

test('a compensation before another attempt reads why that is made', () => {
  const sent: Json[] = [];
  const reading = { ...undo('a'), input: { why: '$.error.code' } };
  const list = [call('a', { compensation: reading, next: 'b' }), call('b')];
  new World(
    { actions: [both([list])], errorHandler: { actions: { both: twice } } },
    {},
    (path, attempt, input) => {
      if (path.endsWith('undo-a')) sent.push(input);
      const fails = path === 'both[0].b' && attempt === 1 && sent.length === 0;
      return fails ? { code: 'CONNECTION_FAILED' } : { output: null };
    },
  )
    .begin()
    .go();
  expect(sent).toEqual([{ why: 'CONNECTION_FAILED' }]);
});

test('a run that fails while an escalation runs on has no output', () => {
  const world = new World(
    {
      actions: [call('a')],
      errorHandler: {
        actions: {
          a: { fallback: call('instead'), escalation: { incident: { ...call('beside') } } },
        },
      },
    },
    {},
    failing({ a: 9 }),
  ).begin();
  for (const { path, attempt } of world.journal.calls.splice(0)) world.reply({ path, attempt });
  const beside = world.journal.calls.filter(({ path }) => path !== 'a.beside');
  world.journal.calls = [];
  for (const each of beside) world.reply(each);
  cancel(world.turn());
  world.reply({ path: 'a.beside', attempt: 1 });
  const { run: ended, journal } = world;
  const error = ended.error === undefined ? undefined : parseJson(journal.text(ended.error));
  expect({ status: ended.status, output: ended.output, error }).toEqual({
    status: 'cancelled',
    output: undefined,
    error: { code: 'CANCELLED', message: 'The run was cancelled', action: '' },
  });
});
