/** Failures in memory: attempts, fallbacks, routes, escalation, compensation. Spec: workflows.md §4. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { cancel } from './machine.ts';
import { call, failing, run, undo } from './test/actions.ts';
import { World } from './test/world.ts';

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
