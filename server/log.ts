/** What a running gateway writes to stderr: a line for each event, in the shape that all programs share. */
import { type LogFormat, painter, readable } from '../node-relay/log-format.ts';
import { isJsonObject, type Json } from '../proto/json.ts';
import { boundedLine, LINE_MAX_BYTES } from '../proto/log-line.ts';

/** How much a line matters. */
type LogLevel = 'info' | 'warn' | 'error';

/** A program that this one runs, and that writes no log of its own. */
type Program = 'server' | 'worker' | 'password-hasher' | 'json-worker';

const paint = painter(process.stderr);
const output = { format: 'json' as LogFormat };

/** Has all lines from now on written in that format; before, it is JSON. */
export function logAs(format: LogFormat): void {
  output.format = format;
}

/** Writes one line of ours. No secret may be in `fields`. */
export function log(level: LogLevel, message: string, fields: object = {}): void {
  write(lineOf('server', level, message, fields));
}

/**
 * Passes on what another program wrote, line by line: JSON objects as they are, any other text as a
 * message of that program.
 */
export function logOf(
  program: Program,
  level: LogLevel,
  text: string,
  { timestamp, runtime }: Origin = {},
): void {
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const isWhole = line.length <= LINE_MAX_BYTES && isEntry(line);
    const entry = isWhole ? line : lineOf(program, level, line, {}, timestamp);
    write(runtime === undefined ? entry : entry.replace(/\}$/, `,"runtime":"${runtime}"}`));
  }
}

/** Where a text comes from. */
interface Origin {
  /** Unix epoch milliseconds; now by default. */
  readonly timestamp?: number | undefined;
  /** Which of several runtimes wrote it. */
  readonly runtime?: string | undefined;
}

function lineOf(
  program: Program,
  level: LogLevel,
  message: string,
  fields: object,
  timestamp = Date.now(),
): string {
  const time = new Date(timestamp).toISOString();
  return boundedLine({ time, level, program, message, ...fields });
}

function write(line: string): void {
  process.stderr.write(`${output.format === 'pretty' ? readable(line, paint) : line}\n`);
}

function isEntry(line: string): boolean {
  if (!line.startsWith('{')) return false;
  try {
    return isJsonObject(JSON.parse(line) as Json); // JSON.parse yields nothing else.
  } catch {
    return false;
  }
}
