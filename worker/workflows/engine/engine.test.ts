/** The engine alone, in memory: what each transition leads to. Spec: workflows.md §3, §4. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { cancel } from './machine.ts';
import { retryRun } from './resume.ts';
import { type Answers, World } from './test/world.ts';

const call = (id: string, more: { readonly [member: string]: Json } = {}) => ({
  id,
  type: 'template',
  template: 't',
  ...more,
});
const undo = (id: string) => call(`undo-${id}`);

/** Fails the first attempts of actions, by their paths. */
const failing =
  (times: Readonly<Record<string, number>>, code = 'CONNECTION_FAILED'): Answers =>
  (path, attempt) =>
    attempt <= (times[path] ?? 0) ? { code } : { output: { of: path } };

function run(definition: { readonly [member: string]: Json }, input: Json = {}, answers?: Answers) {
  const world = new World(definition, input, answers ?? failing({})).begin().go();
  return {
    world,
    status: world.run.status,
    made: world.made,
    output: world.output,
    error: world.error,
  };
}

describe('a list', () => {
  test('goes by next, and ends with the last output', () => {
    const { made, status, output } = run({
      actions: [call('a', { next: 'b' }), call('b', { next: null })],
    });
    expect({ made, status, output }).toEqual({
      made: ['a#1', 'b#1'],
      status: 'succeeded',
      output: { of: 'b' },
    });
  });

  test.each([
    { amount: 5, made: ['small#1'] },
    { amount: 50, made: ['large#1'] },
  ])('takes the branch that a condition names: $amount', ({ amount, made }) => {
    const definition = {
      actions: [
        {
          id: 'c',
          type: 'condition',
          condition: '$.input.amount > 10',
          true: 'large',
          false: 'small',
        },
        call('large', { next: null }),
        call('small'),
      ],
    };
    expect(run(definition, { amount }).made).toEqual(made);
  });

  test('decides by what an action answered', () => {
    const next = { condition: "$.actions.a.output.of === 'a'", true: 'b', false: null };
    expect(run({ actions: [call('a', { next }), call('b')] }).made).toEqual(['a#1', 'b#1']);
  });

  test('keeps what output makes of an output, and gives inputs their values', () => {
    const seen: Json[] = [];
    const { output } = run(
      {
        actions: [
          call('a', {
            input: { x: '$.input.x', y: '$$.y' },
            output: { twice: '$.output.n * 2' },
            next: 'b',
          }),
          call('b', { input: { was: '$.actions.a.output.twice', status: '$.actions.a.status' } }),
        ],
        output: '$.actions.b.output',
      },
      { x: 7 },
      (_path, _attempt, input) => {
        seen.push(input);
        return { output: { n: 21 } };
      },
    );
    expect({ seen, output }).toEqual({
      seen: [
        { x: 7, y: '$.y' },
        { was: 42, status: 'succeeded' },
      ],
      output: { n: 21 },
    });
  });
});

describe('a graph', () => {
  test('begins each action when all before it have ended', () => {
    const { made, output } = run({
      actions: [
        call('a', { after: [] }),
        call('b', { after: [] }),
        call('c', { after: ['a', 'b'] }),
        call('d', { after: ['a'] }),
      ],
    });
    expect([...made].sort()).toEqual(['a#1', 'b#1', 'c#1', 'd#1']);
    expect(made.indexOf('c#1')).toBeGreaterThan(made.indexOf('b#1'));
    expect(output).toEqual({ c: { of: 'c' }, d: { of: 'd' } });
  });
});

describe('a parallel', () => {
  const both = (more: { readonly [member: string]: Json } = {}) => ({
    id: 'both',
    type: 'parallel',
    joinResults: true,
    branches: [[call('a', { next: 'b' }), call('b')], call('c')],
    ...more,
  });

  test('runs all branches, and joins their last outputs', () => {
    expect(run({ actions: [both()] })).toMatchObject({
      status: 'succeeded',
      output: { a: { of: 'both[0].b' }, c: { of: 'both[1].c' } },
    });
  });

  test('begins nothing more when a branch fails, and fails with its error', () => {
    const { made, status, error } = run({ actions: [both()] }, {}, failing({ 'both[1].c': 1 }));
    expect({ made, status, error }).toEqual({
      made: ['both[0].a#1', 'both[1].c#1', 'both[0].b#1'].slice(0, made.length),
      status: 'failed',
      error: { code: 'CONNECTION_FAILED', message: 'as the test says', action: 'c' },
    });
  });

  test('undoes what an attempt did before it begins anew', () => {
    const { made, status } = run(
      {
        actions: [
          {
            id: 'both',
            type: 'parallel',
            branches: [[call('a', { compensation: undo('a'), next: 'b' }), call('b')]],
          },
        ],
        errorHandler: { actions: { both: { retry: { maxAttempts: 2 } } } },
      },
      {},
      (() => {
        let failures = 0;
        return (path) => {
          if (path.endsWith('.b') && failures++ === 0) return { code: 'CONNECTION_FAILED' };
          return { output: path };
        };
      })(),
    );
    expect({ made, status }).toEqual({
      made: ['both[0].a#1', 'both[0].b#1', 'both[0].a.undo-a#1', 'both[0].a#1', 'both[0].b#1'],
      status: 'succeeded',
    });
  });
});

describe('a loop', () => {
  const each = (more: { readonly [member: string]: Json } = {}) => ({
    id: 'each',
    type: 'loop',
    collection: '$.input.items',
    as: 'it',
    index: 'n',
    action: call('store', { input: { it: '$.it', n: '$.n' } }),
    ...more,
  });
  const echo: Answers = (_path, _attempt, input) => ({ output: input });

  test('runs one element after the other, and tells their outputs in order', () => {
    expect(run({ actions: [each()] }, { items: ['a', 'b'] }, echo)).toMatchObject({
      made: ['each[0].store#1', 'each[1].store#1'],
      output: {
        results: [
          { it: 'a', n: 0 },
          { it: 'b', n: 1 },
        ],
        count: 2,
      },
    });
  });

  test('of nothing ends at once', () => {
    expect(run({ actions: [each()] }, { items: [] }).output).toEqual({ results: [], count: 0 });
  });

  test('runs no more at a time than it may', () => {
    const world = new World(
      { actions: [each({ mode: 'parallel', maxConcurrency: 2 })] },
      { items: [1, 2, 3] },
      echo,
    ).begin();
    expect(world.journal.calls).toHaveLength(2);
    expect(world.go().output).toMatchObject({ count: 3 });
  });

  test('makes what aggregation says of the results', () => {
    const aggregation = { total: '$.results.reduce((s, r) => s + r.it, 0)' };
    expect(run({ actions: [each({ aggregation })] }, { items: [1, 2] }, echo).output).toEqual({
      total: 3,
      count: 2,
    });
  });

  test('keeps the error in the place of an output where it goes on', () => {
    const { output, status } = run(
      { actions: [each({ continueOnError: true })] },
      { items: ['a', 'b'] },
      failing({ 'each[0].store': 1 }),
    );
    const error = { code: 'CONNECTION_FAILED', message: 'as the test says', action: 'store' };
    expect({ output, status }).toEqual({
      output: { results: [{ error }, { of: 'each[1].store' }], count: 2 },
      status: 'succeeded',
    });
  });

  test.each([
    { items: 'a', message: 'collection: is a list' },
    {
      items: Array.from({ length: 100_001 }, () => 0),
      message: 'collection: has 100001 elements, at most 100000 are taken',
    },
  ])('refuses what is no list, and one that is too long: $message', ({ items, message }) => {
    expect(run({ actions: [each()] }, { items })).toMatchObject({
      status: 'failed',
      error: { code: 'INVALID_INPUT', message, action: 'each' },
    });
  });

  test('of many elements needs no stack', () => {
    const condition = {
      id: 'odd',
      type: 'condition',
      condition: '$.it % 2',
      true: null,
      false: null,
    };
    const items = Array.from({ length: 3000 }, (_, at) => at);
    const { status, output } = run({ actions: [each({ action: condition })] }, { items });
    expect({ status, output }).toMatchObject({ status: 'succeeded', output: { count: 3000 } });
  });
});

describe('errors', () => {
  test('are tried again with growing pauses', () => {
    const world = new World(
      {
        actions: [call('a')],
        errorHandler: { default: { retry: { maxAttempts: 3, initialInterval: 1, multiplier: 3 } } },
      },
      {},
      failing({ a: 2 }),
    ).begin();
    world.go();
    const pauses = world.node('a').tried.map(({ ended }) => ended);
    expect(world.run.status).toBe('succeeded');
    expect(world.made).toEqual(['a#1', 'a#2', 'a#3']);
    expect((pauses[1] ?? 0) - (pauses[0] ?? 0)).toBe(1001);
    expect(world.node('a').attemptAt - (pauses[1] ?? 0)).toBe(3000);
  });

  test.each(['OUTCOME_UNKNOWN', 'INVALID_INPUT', 'FORBIDDEN', 'BAD_REQUEST'])(
    'of code %s are not tried again unless they are named',
    (code) => {
      const handler = (retry: Json) => ({
        actions: [call('a')],
        errorHandler: { default: { retry } },
      });
      expect(run(handler({ maxAttempts: 3 }), {}, failing({ a: 1 }, code)).made).toEqual(['a#1']);
      const named = handler({ maxAttempts: 3, retryableErrors: [code] });
      expect(run(named, {}, failing({ a: 1 }, code)).made).toEqual(['a#1', 'a#2']);
    },
  );

  test('have a fallback whose output stands for what failed', () => {
    const { made, status, world } = run(
      {
        actions: [call('a', { next: 'b' }), call('b', { input: { was: '$.actions.a.output' } })],
        errorHandler: { actions: { a: { fallback: call('instead') } } },
      },
      {},
      failing({ a: 9 }),
    );
    expect({ made, status, statuses: world.statuses() }).toEqual({
      made: ['a#1', 'a.instead#1', 'b#1'],
      status: 'succeeded',
      statuses: { a: 'failed', 'a.instead': 'succeeded', b: 'succeeded' },
    });
  });

  test('go on at a later action, out of branches and loops', () => {
    const seen: Json[] = [];
    const { made, status } = run(
      {
        actions: [
          {
            id: 'each',
            type: 'loop',
            collection: '[1, 2]',
            action: { id: 'both', type: 'parallel', branches: [call('x'), call('y')] },
            next: 'end',
          },
          call('end', { next: null }),
          call('mend', { input: { error: '$.error' } }),
        ],
        errorHandler: { actions: { y: { action: 'mend' } } },
      },
      {},
      (path, _attempt, input) => {
        seen.push(input);
        return path.endsWith('y') ? { code: 'TIMED_OUT' } : { output: path };
      },
    );
    expect({ made, status, last: seen.at(-1) }).toEqual({
      made: ['each[0].both[0].x#1', 'each[0].both[1].y#1', 'mend#1'],
      status: 'succeeded',
      last: { error: { code: 'TIMED_OUT', message: 'as the test says', action: 'y' } },
    });
  });

  test('are escalated once, and the run waits for what that runs', () => {
    const { made, status, world } = run(
      {
        actions: [call('a')],
        errorHandler: {
          actions: {
            a: {
              retry: { maxAttempts: 3 },
              escalation: { threshold: 2, notification: call('mail'), incident: { text: 'late' } },
            },
          },
        },
      },
      {},
      failing({ a: 9 }),
    );
    expect({ made: [...made].sort(), status }).toEqual({
      made: ['a#1', 'a#2', 'a#3', 'a.mail#1'],
      status: 'failed',
    });
    expect(world.told.filter((event) => event === 'action.escalated')).toEqual([
      'action.escalated',
    ]);
  });
});

describe('compensation', () => {
  test('undoes what succeeded in the reverse order of its end, and what may have happened', () => {
    const { made, status, world } = run(
      {
        actions: [
          call('a', { compensation: undo('a'), next: 'both' }),
          {
            id: 'both',
            type: 'parallel',
            branches: [
              call('b', { compensation: undo('b') }),
              call('c', { compensation: undo('c') }),
            ],
            next: 'each',
          },
          {
            id: 'each',
            type: 'loop',
            collection: '[1, 2]',
            action: call('d', { compensation: undo('d') }),
            next: 'e',
          },
          call('e', { compensation: undo('e') }),
        ],
      },
      {},
      (path) => (path === 'e' ? { code: 'OUTCOME_UNKNOWN' } : { output: path }),
    );
    expect(made.slice(6)).toEqual([
      'e.undo-e#1',
      'each[1].d.undo-d#1',
      'each[0].d.undo-d#1',
      'both[1].c.undo-c#1',
      'both[0].b.undo-b#1',
      'a.undo-a#1',
    ]);
    expect({ status, undone: world.run.undone, of: world.node('a').status }).toEqual({
      status: 'failed',
      undone: 6,
      of: 'compensated',
    });
  });

  test('goes on where one cannot be undone, after five attempts', () => {
    const { made, world } = run(
      {
        actions: [
          call('a', { compensation: undo('a'), next: 'b' }),
          call('b', { compensation: undo('b'), next: 'c' }),
          call('c'),
        ],
      },
      {},
      (path) =>
        path === 'c' || path === 'b.undo-b' ? { code: 'CONNECTION_FAILED' } : { output: 1 },
    );
    expect(made.filter((each) => each.startsWith('b.undo-b'))).toHaveLength(5);
    expect(made.at(-1)).toBe('a.undo-a#1');
    expect([world.run.undone, world.run.notUndone]).toEqual([1, 1]);
  });

  test('of a run that is cancelled waits for the call in flight', () => {
    const world = new World(
      { actions: [call('a', { compensation: undo('a'), next: 'b' }), call('b')] },
      {},
      failing({}),
    ).begin();
    expect(cancel(world.turn())).toBe(true);
    expect(world.run.status).toBe('running');
    world.go();
    expect({ made: world.made, status: world.run.status, error: world.error }).toEqual({
      made: ['a#1', 'a.undo-a#1'],
      status: 'cancelled',
      error: { code: 'CANCELLED', message: 'The run was cancelled', action: '' },
    });
  });
});

describe('other actions', () => {
  test.each([
    { kind: 'fast', made: ['pick.express#1'] },
    { kind: 'none', made: ['pick.post#1'] },
  ])('an option is the one that is named, else the default: $kind', ({ kind, made }) => {
    const pick = {
      id: 'pick',
      type: 'dynamicAction',
      selection: {
        expression: '$.input.kind',
        options: { fast: call('express'), slow: call('post') },
        default: 'slow',
      },
    };
    expect(run({ actions: [pick] }, { kind }).made).toEqual(made);
  });

  test('a wait ends when its time has come', () => {
    const { world, status } = run({
      actions: [{ id: 'w', type: 'wait', mode: 'duration', duration: 'PT1H' }],
    });
    expect({ status, passed: world.now >= 3_600_000 }).toEqual({
      status: 'succeeded',
      passed: true,
    });
  });

  test('a wait whose time is over goes on elsewhere', () => {
    const { made, status } = run({
      actions: [
        {
          id: 'w',
          type: 'wait',
          mode: 'callback',
          timeout: { duration: 'PT1S', action: 'late' },
          next: 'then',
        },
        call('then', { next: null }),
        call('late'),
      ],
    });
    expect({ made, status }).toEqual({ made: ['late#1'], status: 'succeeded' });
  });
});

describe('a retry of a run', () => {
  test('goes on with what failed or was cut off, and keeps what succeeded', () => {
    let isBroken = true;
    const world = new World(
      {
        actions: [
          call('a', { next: 'both' }),
          {
            id: 'both',
            type: 'parallel',
            branches: [
              [call('b', { next: 'c' }), call('c')],
              [call('d', { next: 'e' }), call('e')],
            ],
            next: 'f',
          },
          call('f'),
        ],
      },
      {},
      (path) => (isBroken && path === 'both[1].d' ? { code: 'TIMED_OUT' } : { output: path }),
    ).begin();
    world.go();
    expect(world.run.status).toBe('failed');
    const before = world.made.length;
    isBroken = false;
    retryRun(world.turn());
    world.go();
    expect(world.made.slice(before).sort()).toEqual(['both[1].d#2', 'both[1].e#1', 'f#1'].sort());
    expect(world.run.status).toBe('succeeded');
  });
});
