/** Schedules: lines of cron, read by a library, and time zones. Spec: workflows.md §5, `schedule`. */
import { Cron } from 'croner';

const FIELDS = [5, 6];
/** The six fields of a line in their order, and what each takes. */
const TAKEN: readonly (readonly [name: string, values: string])[] = [
  ['second', '0 to 59'],
  ['minute', '0 to 59'],
  ['hour', '0 to 23'],
  ['day', '1 to 31, L'],
  ['month', '1 to 12, JAN to DEC'],
  ['weekday', '0 to 7, SUN to SAT, 5#2'],
];

/** Why a text is not a schedule; undefined when it is one. */
export function faultOfCron(line: string): string | undefined {
  const fields = line.trim().split(/\s+/);
  if (!FIELDS.includes(fields.length)) {
    return 'must have five fields (minute, hour, day, month, weekday), or six with seconds first';
  }
  try {
    const next = new Cron(line.trim(), { paused: true, timezone: 'UTC' }).nextRun();
    return next === null ? 'never comes: no day is like that' : undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return faultOfField(fields) ?? `is no schedule: ${error.message.replace(/^Cron\w*: /, '')}`;
  }
}

/** The first field that is wrong by itself, as it was written: the library counts days and months from 0. */
function faultOfField(fields: readonly string[]): string | undefined {
  const first = TAKEN.length - fields.length;
  for (const [index, field] of fields.entries()) {
    const [name, values] = TAKEN[first + index] ?? [];
    try {
      new Cron(TAKEN.map((_, at) => (at === first + index ? field : '*')).join(' '), {
        paused: true,
      });
    } catch {
      return `is no schedule: the ${name} "${field}" is none; it takes ${values}, *, lists (1,3), ranges (1-3) and steps (*/2)`;
    }
  }
  return undefined;
}

/** Whether a text is the name of a time zone. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
