/**
 * When a schedule ticks. The library reads the line and counts on a clock that never changes; what the clock
 * of the time zone makes of it is ours: ticks of an hour that does not exist come once, at its end, and in an
 * hour that comes twice only the first time. Spec: workflows.md §5, `schedule`.
 */
import { Cron } from 'croner';
import { LruMap } from '../../proto/lru-map.ts';
import { Zone } from './zone.ts';

/** Calendars and zones that an isolate keeps ready. */
const READY_MAX = 1_000;
const zones = new LruMap<string, Zone>(READY_MAX);
const calendars = new LruMap<string, Calendar>(READY_MAX);
const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;
/** Spans of time in which the last tick before a time is looked for, one after the other. */
const LOOKS_MS = [60 * SECOND_MS, HOUR_MS, DAY_MS, 32 * DAY_MS, 366 * DAY_MS];

/** The ticks of one line in one time zone. Times are Unix epoch milliseconds. */
export class Calendar {
  readonly #cron: Cron;
  readonly #zone: Zone;

  /** @throws Error for a line, RangeError for a zone that is none */
  constructor(line: string, timezone: string) {
    this.#cron = new Cron(line.trim(), { paused: true, timezone: 'UTC' });
    this.#zone = zoneOf(timezone);
  }

  /** The first tick after an instant; undefined where none comes any more. */
  next(after: number): number | undefined {
    const zone = this.#zone;
    const repeat = zone.endOfRepeat(after);
    // The library counts from the whole second after the one that it is given.
    const from = repeat === undefined ? zone.wallAt(after) : repeat - SECOND_MS;
    let wall = this.#cron.nextRun(new Date(from));
    while (wall !== null) {
      const instant = zone.instantOf(wall.getTime());
      if (instant > after) return instant;
      wall = this.#cron.nextRun(wall);
    }
    return undefined;
  }

  /** The last tick from `first`, a tick, on that is before a time. */
  last(first: number, before: number): number {
    for (const span of LOOKS_MS) {
      const from = before - span;
      if (from <= first) break;
      const found = this.#lastIn(from, before);
      if (found !== undefined) return found;
    }
    return this.#lastIn(first, before) ?? first;
  }

  #lastIn(after: number, before: number): number | undefined {
    let found: number | undefined;
    for (let tick = this.next(after); tick !== undefined && tick < before; tick = this.next(tick)) {
      found = tick;
    }
    return found;
  }
}

/** The ticks of a line; remembered. @throws Error for a line or zone that is none */
export function calendarOf(line: string, timezone: string): Calendar {
  const name = `${timezone} ${line}`;
  const known = calendars.get(name);
  if (known) return known;
  const made = new Calendar(line, timezone);
  calendars.set(name, made);
  return made;
}

function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known) return known;
  const made = new Zone(name);
  zones.set(name, made);
  return made;
}
