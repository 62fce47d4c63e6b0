/** When cron lines run, and which are taken. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Clock, dueAt, type RunLine, startTimer } from './timer.ts';

const MINUTE_MS = 60_000;
const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);

afterEach(() => vi.restoreAllMocks());

/** A clock that stands still until it is set; what is waited for happens then. */
function handClock(start: number) {
  let now = start;
  let waiting: { due: number; callback: () => void } | undefined;
  const clock: Clock = {
    now: () => now,
    after(ms, callback) {
      const mine = { due: now + ms, callback };
      waiting = mine;
      return () => {
        if (waiting === mine) waiting = undefined;
      };
    },
  };
  /** Calls back at most once, as after a sleep; also when the clock was set back meanwhile. */
  async function set(time: number): Promise<void> {
    const wasSetBack = time < now;
    now = time;
    const ready = waiting;
    if (!ready || (ready.due > now && !wasSetBack)) return;
    waiting = undefined;
    ready.callback();
    await setImmediate();
  }
  return { clock, set };
}

function started(crons: readonly string[], start: string, run?: RunLine) {
  const runs: string[] = [];
  const { clock, set } = handClock(at(start));
  const timer = startTimer(
    crons,
    run ??
      (async (cron, time) => {
        runs.push(`${cron} at ${new Date(time).toISOString().slice(11, 19)}`);
      }),
    clock,
  );
  return { runs, timer, set: (time: string) => set(at(time)) };
}

describe('a line', () => {
  test('runs at each whole minute that it names, not when the timer starts', async () => {
    const { runs, set } = started(['* * * * *', '17 * * * *'], '10:16:00');
    await set('10:16:59.999');
    expect(runs).toEqual([]);
    for (const time of ['10:17:00', '10:17:30', '10:18:00.250']) await set(time);
    expect(runs).toEqual([
      '* * * * * at 10:17:00',
      '17 * * * * at 10:17:00',
      '* * * * * at 10:18:00',
    ]);
  });

  test('that was due while the machine slept runs once, for the latest time', async () => {
    const { runs, set } = started(['* * * * *', '17 * * * *', '50 9 * * *'], '10:16:30');
    await set('12:30:10');
    expect(runs).toEqual(['* * * * * at 12:30:00', '17 * * * * at 12:17:00']);
  });

  test('goes on after the clock was set back', async () => {
    const { runs, set } = started(['*/2 * * * *'], '10:16:30');
    for (const time of ['10:17:00', '10:18:00', '10:19:00', '10:02:00']) await set(time);
    expect(runs).toEqual(['*/2 * * * * at 10:18:00']);
    for (const time of ['10:03:00', '10:04:00']) await set(time);
    expect(runs.slice(1)).toEqual(['*/2 * * * * at 10:04:00']);
  });

  test('is left out while its last run goes on, and others are not', async () => {
    const first = Promise.withResolvers<void>();
    const runs: string[] = [];
    const { set } = started(['* * * * *', '*/1 * * * *'], '10:00:30', (cron) => {
      runs.push(cron);
      return cron === '* * * * *' ? first.promise : Promise.resolve();
    });
    await set('10:01:00');
    await set('10:02:00');
    expect(runs).toEqual(['* * * * *', '*/1 * * * *', '*/1 * * * *']);
    first.resolve();
    await setImmediate();
    await set('10:03:00');
    expect(runs.slice(3)).toEqual(['* * * * *', '*/1 * * * *']);
  });

  test('that fails is logged, and runs again', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const run = vi.fn(() => Promise.reject(new Error('no database')));
    const { set } = started(['* * * * *'], '10:00:30', run);
    await set('10:01:00');
    expect(written).toHaveBeenCalledTimes(1);
    expect(JSON.parse(String(written.mock.calls[0]?.[0]))).toMatchObject({
      level: 'error',
      cron: '* * * * *',
      why: 'no database',
    });
    await set('10:02:00');
    expect(run).toHaveBeenLastCalledWith('* * * * *', at('10:02:00'));
  });

  test('does not run once the timer was stopped', async () => {
    const { runs, timer, set } = started(['* * * * *'], '10:00:30');
    timer.stop();
    await set('10:01:00');
    expect(runs).toEqual([]);
  });
});

describe('of the minutes of a day', () => {
  const due = (cron: string) => {
    const isDue = dueAt(cron);
    const times = Array.from(
      { length: 24 * 60 },
      (_, minute) => at('00:00:00') + minute * MINUTE_MS,
    );
    return times.filter(isDue).map((time) => new Date(time).toISOString().slice(11, 16));
  };

  test.each([
    ['17 3 * * *', ['03:17']],
    ['0,30 1,13 * * *', ['01:00', '01:30', '13:00', '13:30']],
    ['5-7 22-23 * * *', ['22:05', '22:06', '22:07', '23:05', '23:06', '23:07']],
    ['*/25 0 * * *', ['00:00', '00:25', '00:50']],
    ['50/5 0 * * *', ['00:50', '00:55']],
    ['10-20/5 0 * * *', ['00:10', '00:15', '00:20']],
  ])('%s is due at %j', (cron, times) => {
    expect(due(cron)).toEqual(times);
  });

  test('"* * * * *" is due at each, "17 * * * *" at one an hour', () => {
    expect([due('* * * * *').length, due('17 * * * *').length]).toEqual([1440, 24]);
  });
});

test.each([
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '7-5 * * * *',
  '*/0 * * * *',
  '-1 * * * *',
  'x * * * *',
  '* * 1 * *',
  '0 0 * * MON',
])('the line "%s" is refused', (cron) => {
  expect(() => startTimer([cron], async () => {})).toThrow(
    `The timer does not know the cron line "${cron}"`,
  );
});
