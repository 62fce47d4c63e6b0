/** Runs the worker's cron lines: outside the hosted platform nothing else does. */
import { log } from './log.ts';

const MINUTE_MS = 60_000;
/** After the machine has slept, lines are looked for no further back than this. */
const CATCH_UP_MAX_MS = 24 * 60 * MINUTE_MS;

/** The time of day; tests pass their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls back once after `ms` milliseconds; answers what cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** The machine's clock; waiting for it keeps no process alive. */
const MACHINE_CLOCK: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Runs what a line is for; `scheduledTime` is the minute it was due at, in Unix epoch milliseconds. */
export type RunLine = (cron: string, scheduledTime: number) => Promise<void>;

/** A timer that runs. */
export interface Timer {
  /** Starts nothing more; what fails from then on is not logged. */
  stop(): void;
}

/**
 * At each whole minute runs the lines that are due, at once and in UTC. A line that was due while
 * the machine slept runs once; one whose last run goes on is left out. A run that fails is logged.
 * @throws Error for a line that `dueAt` does not know
 */
export function startTimer(crons: readonly string[], run: RunLine, clock = MACHINE_CLOCK): Timer {
  const lines = crons.map((cron) => ({ cron, isDue: dueAt(cron), running: false }));
  let done = minuteOf(clock.now());
  let stopped = false;
  let cancel = () => {};

  async function runLine(line: (typeof lines)[number], minute: number): Promise<void> {
    if (line.running) return;
    line.running = true;
    try {
      await run(line.cron, minute);
    } catch (thrown) {
      if (!stopped) {
        const why = thrown instanceof Error ? thrown.message : String(thrown);
        log('error', 'What is due by the clock failed.', { cron: line.cron, why });
      }
    } finally {
      line.running = false;
    }
  }

  function tick(): void {
    const now = minuteOf(clock.now());
    const from = Math.max(done, now - CATCH_UP_MAX_MS);
    for (const line of lines) {
      // The latest of the minutes that have passed since.
      let minute = now;
      while (minute > from && !line.isDue(minute)) minute -= MINUTE_MS;
      if (minute > from) void runLine(line, minute);
    }
    done = now;
    wait();
  }

  function wait(): void {
    const now = clock.now();
    cancel = clock.after(minuteOf(now) + MINUTE_MS - now, tick);
  }

  wait();
  return {
    stop() {
      stopped = true;
      cancel();
    },
  };
}

function minuteOf(time: number): number {
  return Math.floor(time / MINUTE_MS) * MINUTE_MS;
}

/**
 * Reports at which times, in Unix epoch milliseconds, a cron line is due. Knows minutes and hours as
 * `*`, a number, a range, a step or a list of them; days, months and weekdays are always `*`.
 * @throws Error for any other line
 */
export function dueAt(cron: string): (time: number) => boolean {
  const [minutes = '', hours = '', ...days] = cron.split(' ');
  const inMinutes = valuesOf(minutes, 59);
  const inHours = valuesOf(hours, 23);
  if (!inMinutes || !inHours || days.join(' ') !== '* * *') {
    throw new Error(`The timer does not know the cron line "${cron}"`);
  }
  return (time) => {
    const date = new Date(time);
    return inMinutes.has(date.getUTCMinutes()) && inHours.has(date.getUTCHours());
  };
}

/** What a field of numbers from 0 to `max` stands for; undefined when it is not one. */
function valuesOf(field: string, max: number): Set<number> | undefined {
  const parts = field.split(',').map((part) => rangeOf(part, max));
  const known = parts.filter((part) => part !== undefined);
  return known.length === parts.length ? new Set(known.flat()) : undefined;
}

function rangeOf(part: string, max: number): number[] | undefined {
  const [whole, first, last, step] = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part) ?? [];
  if (whole === undefined || step === '0') return undefined;
  const isOne = first === whole;
  const from = Number(first ?? 0);
  const to = isOne ? from : Number(last ?? max);
  if (from > to || to > max) return undefined;
  const every = Number(step ?? 1);
  return Array.from({ length: Math.floor((to - from) / every) + 1 }, (_, at) => from + at * every);
}
