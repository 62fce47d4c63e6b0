/** Durations of ISO 8601, such as `PT30S` and `P1DT12H`. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Of years, months, weeks, days, hours, minutes and seconds. Spec silent: a month has 30 days, a year 365. */
const UNITS = [365 * DAY, 30 * DAY, 7 * DAY, DAY, HOUR, MINUTE, SECOND];
const NUMBER = String.raw`(\d{1,9}(?:[.,]\d{1,9})?)`;
const DURATION = new RegExp(
  `^P(?=.)(?:${NUMBER}Y)?(?:${NUMBER}M)?(?:${NUMBER}W)?(?:${NUMBER}D)?(?:T(?=.)(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
);
/** Longest, in milliseconds: ten years. Spec silent. */
const LONGEST = 10 * 365 * DAY;

/** Milliseconds of a duration; undefined for any other text, for a duration of zero, and beyond ten years. */
export function durationMs(text: string): number | undefined {
  const [, ...numbers] = DURATION.exec(text) ?? [];
  const ms = UNITS.reduce(
    (sum, unit, at) => sum + Number((numbers[at] ?? '0').replace(',', '.')) * unit,
    0,
  );
  const rounded = Math.round(ms);
  return rounded >= 1 && rounded <= LONGEST ? rounded : undefined;
}

/** Milliseconds since 1970 of a time of RFC 3339, such as `2030-01-31T12:00:00Z`; undefined for any other text. */
export function timeMs(text: string): number | undefined {
  if (!TIME.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

const TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
