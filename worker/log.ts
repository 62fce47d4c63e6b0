/** What the worker writes to its log: one JSON object a line, in the shape that all programs share. */
import { boundedLine } from '../proto/log-line.ts';

/** How much a line matters. */
export type LogLevel = 'info' | 'warn' | 'error';

/** Writes one line. No secret, no address of a backend and no text of a request may be in `fields`. */
export function log(level: LogLevel, message: string, fields: object = {}): void {
  write(lineOf(level, message, fields));
}

/** Writes lines that are made already. */
export function write(lines: string): void {
  console.error(lines);
}

/** One line, with the time of now; no longer than `LINE_MAX_BYTES`. */
export function lineOf(level: LogLevel, message: string, fields: object): string {
  const time = new Date().toISOString();
  return boundedLine({ time, level, program: 'worker', message, ...fields });
}
