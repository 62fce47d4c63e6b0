/** Durations and times that a run computes. Source: ISO 8601, RFC 3339. */
import type { Plain } from '../../language/expressions/index.ts';
import { durationMs as msOf, timeMs } from '../definition/duration.ts';
import { ActionFault } from './failure.ts';

/** Milliseconds of a duration. @throws ActionFault INVALID_INPUT */
export function durationMs(value: Plain | undefined, member: string): number {
  const ms = typeof value === 'string' ? msOf(value) : undefined;
  if (ms !== undefined) return ms;
  throw new ActionFault(
    'INVALID_INPUT',
    `${member}: must be a duration of ISO 8601, such as PT30S`,
  );
}

/** A time, as Unix epoch milliseconds. @throws ActionFault INVALID_INPUT */
export function timeOf(value: Plain | undefined, member: string): number {
  const time = typeof value === 'string' ? timeMs(value) : undefined;
  if (time !== undefined) return time;
  throw new ActionFault('INVALID_INPUT', `${member}: must be a time, such as 2026-01-31T12:00:00Z`);
}
