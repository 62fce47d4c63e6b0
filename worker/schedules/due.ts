/** What is to be done for a schedule whose time has come: pure. Spec: workflows.md §5, `schedule`. */

/** Milliseconds after which a tick was missed, where the object that owns it was not there at its time. */
const ABSENT_MS = 3_000;
/** Milliseconds after which a tick was missed, though the object was there: the machine slept, or the clock was put forward. */
const LATE_MS = 60_000;

/** The ticks of a schedule: worker/schedules/calendar.ts. */
interface Ticks {
  next(after: number): number | undefined;
  last(first: number, before: number): number;
}

/** The state of a schedule whose time has come. Times are Unix epoch milliseconds. */
interface DueSchedule {
  /** The tick that has come. */
  readonly next: number;
  readonly missed: 'once' | 'all' | 'skip';
  /** Missed ticks before it were told. */
  readonly told: number;
  /** Since when the object has been there. */
  readonly since: number;
  readonly now: number;
  readonly ticks: Ticks;
}

/** What follows. */
export interface Due {
  /** The tick that a run is for; undefined where none is. */
  readonly tick: number | undefined;
  /** The tick that comes after it. */
  readonly next: number | undefined;
  readonly isMissed: boolean;
  /** Of ticks that were missed, and not told: the first and the last. */
  readonly gap?: { readonly first: number; readonly last: number };
}

/** One step: a schedule that missed ticks and is to run them all takes as many steps as there are. */
export function dueOf({ next: first, missed, told, since, now, ticks }: DueSchedule): Due {
  // Where the clock was put back, the object was there before now, whatever it noted.
  const limit = Math.max(Math.min(since, now) - ABSENT_MS, now - LATE_MS);
  const isMissed = first < limit;
  const one = { tick: first, next: ticks.next(first), isMissed };
  if (!isMissed || (missed === 'all' && first < told)) return one;
  const last = ticks.last(first, limit);
  const untold = first < told ? {} : { gap: { first, last } };
  if (missed === 'all') return { ...one, ...untold };
  const tick = missed === 'once' ? last : undefined;
  return { tick, next: ticks.next(last), isMissed, ...untold };
}
