/** The proof in small, compared with a calculation that looks at the clock of the zone minute by minute: it needs no Python. */
import { expect, inject, test } from 'vitest';
import { type Case, casesOf } from './cases.ts';
import { ticksOf } from './proof.ts';

const COUNT = 150;
const DAY_MS = 24 * 3600 * 1000;
const NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

test('schedules tick when the clock of their zone shows it, also where it is changed', () => {
  const wrong: unknown[] = [];
  let [cases, ticks] = [0, 0];
  for (const each of casesOf(inject('seed'))) {
    if (each.line.split(' ').length === 6) continue;
    const short = { ...each, until: Math.min(each.until, each.from + 3 * DAY_MS) };
    const ours = ticksOf(short);
    if (ours.join() !== byTheMinute(short).join()) wrong.push(short);
    ticks += ours.length;
    cases += 1;
    if (cases === COUNT) break;
  }
  expect(wrong).toEqual([]);
  expect(ticks).toBeGreaterThan(COUNT);
});

/**
 * Seconds at which the schedule ticks: of times that the clock leaps over, at the end of the leap; of times that
 * it has shown before, none.
 */
function byTheMinute({ line, zone, from, until }: Case): number[] {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric' },
  });
  const wallAt = (instant: number) => {
    const parts = new Map(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    const of = (type: string) => parts.get(type as Intl.DateTimeFormatPartTypes) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute')) / 60_000;
  };
  const fits = matcherOf(line);
  const found: number[] = [];
  // What the clock showed in the hours before counts as shown.
  const first = Math.floor(from / 60_000) - 180;
  let shown = wallAt(first * 60_000);
  for (let minute = first + 1; minute * 60_000 <= until; minute += 1) {
    const wall = wallAt(minute * 60_000);
    let ticks = false;
    for (; shown < wall; shown += 1) ticks ||= fits(new Date((shown + 1) * 60_000));
    if (ticks && minute * 60_000 > from) found.push(minute * 60);
  }
  return found;
}

/** Whether a line names a time on the wall, read as UTC. */
function matcherOf(line: string): (wall: Date) => boolean {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = line.split(' ');
  const isIn = (field: string, value: number, names: readonly string[] = [], base = 0) =>
    field.split(',').some((part) => {
      const [range = '', step = '1'] = part.split('/');
      const numberOf = (text: string) =>
        names.includes(text) ? names.indexOf(text) + base : Number(text);
      if (range === '*') return value % Number(step) === 0;
      const [low = 0, high = low] = range.split('-').map(numberOf);
      return value >= low && value <= high && (value - low) % Number(step) === 0;
    });
  const onDay = (wall: Date) => {
    if (day !== 'L') return isIn(day, wall.getUTCDate());
    return new Date(wall.getTime() + DAY_MS).getUTCDate() === 1;
  };
  const onWeekday = (wall: Date) => {
    const [of = '', nth] = weekday.split('#');
    const isNth = nth === undefined || Math.ceil(wall.getUTCDate() / 7) === Number(nth);
    return isNth && isIn(of, wall.getUTCDay(), NAMES);
  };
  return (wall) => {
    const isTime = isIn(minute, wall.getUTCMinutes()) && isIn(hour, wall.getUTCHours());
    if (!isTime || !isIn(month, wall.getUTCMonth() + 1, MONTHS, 1)) return false;
    // Where both are named, either will do.
    if (day !== '*' && weekday !== '*') return onDay(wall) || onWeekday(wall);
    return (day === '*' || onDay(wall)) && (weekday === '*' || onWeekday(wall));
  };
}
