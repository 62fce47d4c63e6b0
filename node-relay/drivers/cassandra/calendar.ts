/** Days, times of day and moments as ISO 8601, over all years that CQL has. */

const DAY_MS = 86_400_000n;
/** Days in four centuries, and the day 0000-03-01 before 1970-01-01. */
const ERA_DAYS = 146_097n;
const EPOCH_SHIFT = 719_468n;

function floorDiv(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

const padded = (value: bigint | number, length: number) => String(value).padStart(length, '0');

/**
 * `2026-01-31` for days since 1970; years outside 0000–9999 have a sign and six digits at least.
 * Source: Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
 */
export function dateText(days: bigint): string {
  const shifted = days + EPOCH_SHIFT;
  const era = floorDiv(shifted, ERA_DAYS);
  const dayOfEra = shifted - era * ERA_DAYS;
  const yearOfEra = (dayOfEra - dayOfEra / 1460n + dayOfEra / 36_524n - dayOfEra / 146_096n) / 365n;
  const dayOfYear = dayOfEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n);
  const fromMarch = (5n * dayOfYear + 2n) / 153n;
  const day = dayOfYear - (153n * fromMarch + 2n) / 5n + 1n;
  const month = fromMarch < 10n ? fromMarch + 3n : fromMarch - 9n;
  const year = yearOfEra + era * 400n + (month <= 2n ? 1n : 0n);
  return `${yearText(year)}-${padded(month, 2)}-${padded(day, 2)}`;
}

function yearText(year: bigint): string {
  if (year >= 0n && year <= 9999n) return padded(year, 4);
  return `${year < 0n ? '-' : '+'}${padded(year < 0n ? -year : year, 6)}`;
}

const DATE = /^([+-]\d{4,10}|\d{4})-(\d{2})-(\d{2})$/;

/** Days since 1970; undefined for a text that is no date. */
export function daysOf(text: string): bigint | undefined {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const days = daysFromCivil(BigInt(year.replace('+', '')), BigInt(Number(month)), Number(day));
  // A day that there is not, such as 30 February, comes back as another.
  const [, , monthBack, dayBack] = DATE.exec(dateText(days)) ?? [];
  return monthBack === month && dayBack === day ? days : undefined;
}

function daysFromCivil(year: bigint, month: bigint, day: number): bigint {
  const fromMarch = month > 2n ? month - 3n : month + 9n;
  const shifted = month <= 2n ? year - 1n : year;
  const era = floorDiv(shifted, 400n);
  const yearOfEra = shifted - era * 400n;
  const dayOfYear = (153n * fromMarch + 2n) / 5n + BigInt(day) - 1n;
  const dayOfEra = yearOfEra * 365n + yearOfEra / 4n - yearOfEra / 100n + dayOfYear;
  return era * ERA_DAYS + dayOfEra - EPOCH_SHIFT;
}

/** `2026-01-31T10:00:00.000Z` for milliseconds since 1970. */
export function momentText(milliseconds: bigint): string {
  const days = floorDiv(milliseconds, DAY_MS);
  const time = timeText((milliseconds - days * DAY_MS) * 1_000_000n).slice(0, -6);
  return `${dateText(days)}T${time}Z`;
}

const MOMENT =
  /^([^T ]+)(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;
const MICRO_OF_MS = 1_000_000n;

/** Milliseconds since 1970, UTC where no offset is given; undefined for a text that is no moment in whole milliseconds. */
export function millisecondsOf(text: string): bigint | undefined {
  const [, date = '', time = '00:00', offset = 'Z'] = MOMENT.exec(text) ?? [];
  const days = daysOf(date);
  const nanoseconds = nanosecondsOf(time);
  if (days === undefined || nanoseconds === undefined) return undefined;
  if (nanoseconds % MICRO_OF_MS !== 0n) return undefined;
  const minutes = offsetMinutes(offset);
  if (minutes === undefined) return undefined;
  return days * DAY_MS + nanoseconds / MICRO_OF_MS - minutes * 60_000n;
}

function offsetMinutes(text: string): bigint | undefined {
  if (/^z$/i.test(text)) return 0n;
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? [];
  if (Number(hours) > 18 || Number(minutes) > 59) return undefined;
  const total = BigInt(Number(hours) * 60 + Number(minutes));
  return sign === '-' ? -total : total;
}

/** `10:00:00.000000000` for nanoseconds of a day. */
export function timeText(nanoseconds: bigint): string {
  const seconds = nanoseconds / 1_000_000_000n;
  const [hours, minutes] = [seconds / 3600n, (seconds / 60n) % 60n];
  const whole = `${padded(hours, 2)}:${padded(minutes, 2)}:${padded(seconds % 60n, 2)}`;
  return `${whole}.${padded(nanoseconds % 1_000_000_000n, 9)}`;
}

/** Nanoseconds of a day; undefined for a text that is no time of day. */
export function nanosecondsOf(text: string): bigint | undefined {
  const [, hours, minutes, seconds = '0', fraction = ''] =
    /^(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?$/.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 23) return undefined;
  if (Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
}
