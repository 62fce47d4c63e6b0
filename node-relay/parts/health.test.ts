/** When a part is taken to be blocked, and when it only waits for a processor. */
import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type HealthSample, isBlocked, residentBytes, stateOf } from './health.ts';

const look = (more: Partial<HealthSample>): HealthSample => ({
  silentMs: 1_300,
  lateMs: 0,
  process: { state: 'R', cpuMs: 1_000 },
  cpuAtBeatMs: 1_000,
  cpuAtLookMs: 1_000,
  isLoading: false,
  starvedMaxMs: 10_000,
  ...more,
});

describe('a part', () => {
  test.each<{ which: string; more: Partial<HealthSample>; blocked: boolean }>([
    { which: 'that beat just now', more: { silentMs: 900 }, blocked: false },
    {
      which: 'that beat just now and has spun since',
      more: { silentMs: 900, process: { state: 'R', cpuMs: 2_000 } },
      blocked: false,
    },
    {
      which: 'that has spun since its last beat',
      more: { process: { state: 'R', cpuMs: 1_700 } },
      blocked: true,
    },
    {
      which: 'that loads code and has spun for it',
      more: { isLoading: true, process: { state: 'R', cpuMs: 5_900 } },
      blocked: false,
    },
    {
      which: 'that has spun for five seconds while it loads code',
      more: { isLoading: true, process: { state: 'R', cpuMs: 6_000 } },
      blocked: true,
    },
    {
      which: 'that loads code and is stopped',
      more: { isLoading: true, process: { state: 'T', cpuMs: 1_000 } },
      blocked: true,
    },
    {
      which: 'that waits for a processor',
      more: { process: { state: 'R', cpuMs: 1_100 } },
      blocked: false,
    },
    {
      which: 'that has waited for a processor for ten seconds',
      more: { silentMs: 10_000 },
      blocked: true,
    },
    {
      which: 'that has waited for ten seconds on a machine that was late itself',
      more: { silentMs: 10_000, lateMs: 1_000 },
      blocked: false,
    },
    { which: 'that is stopped', more: { process: { state: 'T', cpuMs: 1_000 } }, blocked: true },
    {
      which: 'that is stopped on a machine that is late',
      more: { lateMs: 1_200, process: { state: 'T', cpuMs: 1_000 } },
      blocked: true,
    },
    {
      which: 'that has spun since its last beat on a machine that is late',
      more: { lateMs: 1_200, process: { state: 'R', cpuMs: 1_700 } },
      blocked: true,
    },
    {
      which: 'that sleeps within one turn',
      more: { process: { state: 'S', cpuMs: 1_000 } },
      blocked: true,
    },
    {
      which: 'that sleeps where it was not looked at before',
      more: { process: { state: 'S', cpuMs: 1_000 }, cpuAtLookMs: undefined },
      blocked: false,
    },
    { which: 'of which the system tells nothing', more: { process: undefined }, blocked: false },
    {
      which: 'of which the system tells nothing, silent for one and a half seconds',
      more: { silentMs: 1_500, process: undefined },
      blocked: true,
    },
  ])('$which is blocked: $blocked', ({ more, blocked }) => {
    expect(isBlocked(look(more))).toBe(blocked);
  });
});

describe.runIf(process.platform === 'linux')('Linux', () => {
  test('tells what a process uses as the process itself does', () => {
    const { user, system } = process.threadCpuUsage();
    const ownMs = (user + system) / 1000;
    expect(stateOf(process.pid)?.state).toBe('R');
    // Vitest runs a test on the main thread of a process.
    expect(Math.abs((stateOf(process.pid)?.cpuMs ?? 0) - ownMs)).toBeLessThan(100);
    const resident = residentBytes(process.pid) ?? 0;
    expect(resident / process.memoryUsage.rss()).toBeGreaterThan(0.8);
  });

  test.each([
    ['R', 'which another thread of it keeps waiting', 'for (;;);'],
    ['S', 'of which all threads sleep', ''],
  ])('tells %s of a main thread that sleeps, %s', async (state, _, work) => {
    const program = `new (require('node:worker_threads').Worker)(${JSON.stringify(work)}, { eval: true })
      .once('online', () => setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 100));`;
    const child = spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
    const seen: (string | undefined)[] = [];
    try {
      await expect
        .poll(() => {
          seen.push(stateOf(child.pid ?? 0)?.state);
          return seen.slice(-5);
        })
        .toEqual(Array(5).fill(state));
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('tells nothing about a process that is not there', () => {
    expect(stateOf(0)).toBeUndefined();
    expect(residentBytes(0)).toBeUndefined();
  });
});
