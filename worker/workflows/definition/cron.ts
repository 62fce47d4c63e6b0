/** Schedules: lines of cron, read by a library, and time zones. Spec: workflows.md §5, `schedule`. */
import { Cron } from 'croner';

const FIELDS = [5, 6];

/** Why a text is not a schedule; undefined when it is one. */
export function faultOfCron(line: string): string | undefined {
  const fields = line.trim().split(/\s+/).length;
  if (!FIELDS.includes(fields)) {
    return 'must have five fields (minute, hour, day, month, weekday), or six with seconds first';
  }
  try {
    const next = new Cron(line.trim(), { paused: true, timezone: 'UTC' }).nextRun();
    return next === null ? 'never comes: no day is like that' : undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `is no schedule: ${error.message.replace(/^Cron\w*: /, '')}`;
  }
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
