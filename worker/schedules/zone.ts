/**
 * Times of day in a time zone. A wall time is milliseconds since 1970 as a clock on the wall there shows them.
 * No zone changes its clock twice within two days.
 */
import { LruMap } from '../../proto/lru-map.ts';

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
const SECOND_MS = 1000;
/** Days for which a zone remembers the offset. */
const DAYS_MAX = 1_000;

/** A time zone by its IANA name; what it was asked for it remembers. */
export class Zone {
  readonly #format: Intl.DateTimeFormat;
  readonly #days = new LruMap<number, number>(DAYS_MAX);

  /** @throws RangeError for a name that is none */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: name, calendar: 'iso8601', numberingSystem: 'latn', hourCycle: 'h23' },
      ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  }

  /** The wall time at an instant, without fractions of a second. */
  wallAt(instant: number): number {
    const second = Math.floor(instant / SECOND_MS) * SECOND_MS;
    return second + (this.#steady(instant) ?? this.#offsetAt(instant));
  }

  /** The offset about a time, where the clock is not changed on the days around it: in milliseconds. */
  #steady(time: number): number | undefined {
    const day = Math.floor(time / DAY_MS);
    const offset = this.#offsetOn(day - 1);
    const around = [day, day + 1, day + 2];
    return around.every((each) => this.#offsetOn(each) === offset) ? offset : undefined;
  }

  /** At the beginning of a day of UTC. */
  #offsetOn(day: number): number {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const offset = this.#offsetAt(day * DAY_MS);
    this.#days.set(day, offset);
    return offset;
  }

  /** What the clock is ahead of UTC. */
  #offsetAt(instant: number): number {
    const parts: { [type: string]: number } = {};
    for (const { type, value } of this.#format.formatToParts(instant)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const wall = Date.UTC(year, month - 1, day, hour, minute, second);
    return wall - Math.floor(instant / SECOND_MS) * SECOND_MS;
  }

  /** The instant at which the clock shows a wall time: the first, where it does twice; where it never does, the end of the gap. */
  instantOf(wall: number): number {
    const steady = this.#steady(wall);
    if (steady !== undefined) return wall - steady;
    const [before, after] = [this.#offsetAt(wall - DAY_MS), this.#offsetAt(wall + DAY_MS)];
    const instants = [wall - before, wall - after]
      .filter((instant) => this.wallAt(instant) === wall)
      .sort((a, b) => a - b);
    return instants[0] ?? this.#changeWithin(wall - after, wall - before);
  }

  /** The end of the hour that comes twice, as a wall time, where an instant is in its second coming. */
  endOfRepeat(instant: number): number | undefined {
    if (this.#steady(instant) !== undefined) return undefined;
    const wall = this.wallAt(instant);
    const first = this.instantOf(wall);
    if (first > instant - SECOND_MS) return undefined;
    const change = this.#changeWithin(first, instant);
    return change + this.#offsetAt(first);
  }

  /** The instant after `from` and up to `to` at which the clock is changed. */
  #changeWithin(from: number, to: number): number {
    const offset = this.#offsetAt(from);
    let [low, high] = [Math.floor(from / SECOND_MS), Math.ceil(to / SECOND_MS)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetAt(middle * SECOND_MS) === offset) low = middle;
      else high = middle;
    }
    return high * SECOND_MS;
  }
}
