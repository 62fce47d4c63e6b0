/** Options, waits, and runs that go on after a failure, in memory. Spec: workflows.md §3, §6. */
import { describe, expect, test } from 'vitest';
import { retryRun } from './resume.ts';
import { call, run } from './test/actions.ts';
import { World } from './test/world.ts';

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
