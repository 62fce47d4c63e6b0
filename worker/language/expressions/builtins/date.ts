/** Points in time: ISO 8601 text, milliseconds since 1970, and their parts, all in UTC. */
import type { Budget } from '../budget.ts';
import { toInteger, toNumber, toText } from '../convert.ts';
import { RunFault } from '../fault.ts';
import { Callable, isObject, type ObjectValue, type Value } from '../value.ts';

const ISO =
  /^([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
const LONGEST = 60;
/** Steps that reading one takes. */
const READ_STEPS = 200;

/** Milliseconds of an ISO text; a time without a zone is UTC. NaN for any other text. */
function parseIso(text: string, budget: Budget): number {
  budget.spend(READ_STEPS);
  const found = text.length > LONGEST ? null : ISO.exec(text.trim());
  if (found === null) return Number.NaN;
  const [, year = '', month = '1', day = '1', hour = '0', minute = '0', second = '0'] = found;
  const [fraction = '', zone = 'Z'] = found.slice(7);
  const millisecond = Number(fraction.padEnd(3, '0').slice(0, 3));
  const parts = [year, month, day, hour, minute, second].map(Number);
  const time = timeOf([...parts, millisecond]);
  return isInRange(parts, time) ? time - offsetOf(zone) : Number.NaN;
}

/** Milliseconds of year, month (1 to 12), day and time. */
function timeOf([year = 0, month = 1, day = 1, ...time]: readonly number[]): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const [hour = 0, minute = 0, second = 0, millisecond = 0] = time;
  return date.setUTCHours(hour, minute, second, millisecond);
}

/** Whether the parts are of a day that there is; 24:00 ends a day. */
function isInRange(parts: readonly number[], time: number): boolean {
  const [year, month = 1, day, hour = 0, minute = 0, second = 0] = parts;
  if (minute > 59 || second > 59 || hour > 24 || (hour === 24 && minute + second > 0)) return false;
  const date = new Date(hour === 24 ? time - 1 : time);
  return (
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  );
}

function offsetOf(zone: string): number {
  if (/^z$/i.test(zone)) return 0;
  const digits = zone.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || 0);
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000;
}

/** Milliseconds of whatever reports a time: text, milliseconds, or parts as `date` gives them. */
function toTime(value: Value, budget: Budget): number {
  if (typeof value === 'string') return parseIso(value, budget);
  if (!isObject(value))
    return value === undefined || value === null ? Number.NaN : toNumber(value, budget);
  const names = ['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond'];
  const parts = names.map((name, at) => {
    const part = Object.hasOwn(value, name) ? value[name] : undefined;
    return toInteger(part, at === 1 || at === 2 ? 1 : 0, budget);
  });
  return timeOf(parts);
}

function required(value: Value, budget: Budget): Date {
  const date = new Date(toTime(value, budget));
  if (!Number.isNaN(date.getTime())) return date;
  throw new RunFault(
    'takes a time: ISO text such as "2024-05-17T09:30:00Z", milliseconds, or parts',
    budget.place,
    'RangeError',
  );
}

/** `toISO(time)` */
export const TO_ISO = new Callable('toISO', 1, ([value], budget) => {
  budget.text(24);
  return required(value, budget).toISOString();
});

/** `date(time)`: the parts of a time; months from 1, weekdays from 0 for Sunday. */
export const DATE_PARTS = new Callable('date', 1, ([value], budget) => {
  budget.allocate(600);
  budget.spend(20);
  const date = required(value, budget);
  const parts: ObjectValue = {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
    weekday: date.getUTCDay(),
    time: date.getTime(),
    iso: date.toISOString(),
  };
  return budget.own(parts);
});

function utc(args: Value[], budget: Budget): number {
  const [year = Number.NaN, month = 0, ...rest] = args
    .slice(0, 7)
    .map((each) => toNumber(each, budget));
  return Date.UTC(year, month, ...rest);
}

/** The members of `Date`. */
export const DATE: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['now', new Callable('now', 0, (_, budget) => budget.now)],
  ['parse', new Callable('parse', 1, ([value], budget) => parseIso(toText(value, budget), budget))],
  ['UTC', new Callable('UTC', 7, utc)],
]);
