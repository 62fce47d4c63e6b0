/** Schedules by a seed: lines, time zones, and times to count from, many of them about a change of the clock. */
import { Choices } from '../random.ts';

/** A line in a zone, and the time that its ticks are counted from. */
export interface Case {
  readonly line: string;
  readonly zone: string;
  /** Unix epoch milliseconds, of a whole second. */
  readonly from: number;
  /** Ticks up to this time are compared. */
  readonly until: number;
}

/** Zones that change their clocks in all the ways there are: by an hour or half of one, north and south, at midnight, and not at all. */
const ZONES = [
  'Europe/Berlin',
  'Europe/London',
  'Europe/Dublin',
  'America/New_York',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Santiago',
  'America/Havana',
  'America/Asuncion',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Atlantic/Azores',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'UTC',
] as const;
const BEGIN = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 3600 * 1000;
const YEAR_MS = 366 * DAY_MS;
const YEARS = 10;
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;
const MONTHS = ['JAN', 'MAR', 'APR', 'SEP', 'OCT', 'NOV'] as const;

/** Endless. */
export function* casesOf(seed: number): Generator<Case> {
  const choices = new Choices(seed);
  for (;;) yield caseOf(choices);
}

function caseOf(choices: Choices): Case {
  const zone = choices.pick(ZONES);
  const line = lineOf(choices);
  const isSparse = !/^(\S+ )?\S+ [*]/.test(line);
  if (isSparse && choices.chance(0.4)) {
    return { line, zone, from: BEGIN, until: BEGIN + YEARS * YEAR_MS };
  }
  const days = Math.floor(choices.next() * YEARS * 366);
  const near = choices.chance(0.7) ? changeAfter(zone, BEGIN + days * DAY_MS) : undefined;
  const about = near ?? BEGIN + days * DAY_MS;
  const from = Math.floor((about - choices.next() * 1.5 * DAY_MS) / 1000) * 1000;
  return { line, zone, from, until: from + 3 * DAY_MS };
}

/** The next day in half a year on which the clock is changed. */
function changeAfter(zone: string, time: number): number | undefined {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const offsetAt = (at: number) =>
    format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
  const before = offsetAt(time);
  for (let day = 1; day < 190; day += 1) {
    if (offsetAt(time + day * DAY_MS) !== before) return time + day * DAY_MS;
  }
  return undefined;
}

function lineOf(choices: Choices): string {
  const seconds = choices.chance(0.15) ? [choices.pick(['0', '30', '*/20', '15,45'])] : [];
  const minute = numbers(choices, 0, 59, 0.15);
  const hour = choices.chance(0.5) ? numbers(choices, 0, 3, 0) : numbers(choices, 0, 23, 0.5);
  const day = choices.chance(0.75) ? '*' : choices.chance(0.2) ? 'L' : numbers(choices, 1, 31, 0);
  const month = choices.chance(0.8)
    ? '*'
    : choices.chance(0.5)
      ? choices.pick(MONTHS)
      : numbers(choices, 1, 12, 0);
  return [...seconds, minute, hour, day, month, weekday(choices)].join(' ');
}

function weekday(choices: Choices): string {
  if (choices.chance(0.7)) return '*';
  if (choices.chance(0.3))
    return `${choices.pick(['0', '3', '5'])}#${choices.pick(['1', '2', '4'])}`;
  if (choices.chance(0.5)) return choices.pick(DAYS);
  return choices.pick(['MON-FRI', '1-5', '0,6', '6']);
}

function numbers(choices: Choices, low: number, high: number, stars: number): string {
  if (choices.chance(stars))
    return choices.chance(0.5) ? '*' : `*/${choices.pick(['2', '5', '15', '20'])}`;
  const one = () => low + Math.floor(choices.next() * (high - low + 1));
  const [a, b] = [one(), one()].sort((x, y) => x - y) as [number, number]; // Two were sorted.
  if (choices.chance(0.5)) return String(a);
  if (a === b || choices.chance(0.5)) return a === b ? String(a) : `${a},${b}`;
  return choices.chance(0.5) ? `${a}-${b}` : `${a}-${b}/${choices.pick(['2', '3', '7'])}`;
}
