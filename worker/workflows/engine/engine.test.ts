/** The engine alone, in memory: what each transition leads to. Spec: workflows.md §3. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { claimed } from './machine.ts';
import { call, failing, run, undo } from './test/actions.ts';
import { type Answers, World } from './test/world.ts';

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

  test.each<[Json, Json]>([
    ['$.input.amount', 50],
    ['$(!$.output)', false],
    [{ was: '$.output' }, { was: true }],
    [null, null],
  ])('takes the branch that the condition names, and keeps output: %j', (output, kept) => {
    const condition = { id: 'c', type: 'condition', condition: '$.input.amount > 10', output };
    const definition = {
      actions: [
        { ...condition, true: 'large', false: 'small' },
        call('large', { next: null }),
        call('small'),
      ],
      output: '$.actions.c.output',
    };
    const ran = run(definition, { amount: 50 });
    expect([ran.made, ran.output]).toEqual([['large#1'], kept]);
  });

  test('takes the branch of its own condition where another had its key', () => {
    const condition = { id: 'c', type: 'condition', condition: '$.input.n > 1', output: '$.input' };
    const world = new World(
      {
        actions: [
          { ...condition, idempotencyKey: '$.input.n', true: 'large', false: null },
          call('large'),
        ],
      },
      { n: 2 },
    ).begin();
    const output = world.journal.keep('{"n":2}');
    claimed(world.turn(), 'c', { is: 'done', output });
    expect([world.node('c').output, world.node('large').status]).toEqual([output, 'running']);
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

  test('undoes what an attempt did before it begins again', () => {
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

  test('leaves the count to an aggregation that names it', () => {
    const aggregation = { count: '$.results.length * 10', results: '$.results.map((r) => r.it)' };
    expect(run({ actions: [each({ aggregation })] }, { items: [1, 2] }, echo).output).toEqual({
      count: 20,
      results: [1, 2],
    });
    const undefinedThere = { count: '$.results.none' };
    expect(
      run({ actions: [each({ aggregation: undefinedThere })] }, { items: [1, 2] }, echo).output,
    ).toEqual({ count: 2 });
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
    { items: 'a', message: 'collection: must be a list' },
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
