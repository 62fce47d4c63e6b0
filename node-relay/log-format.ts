/** How log lines are written: as JSON, or as people read them at a terminal. */
import { styleText } from 'node:util';
import { GatewayError } from '../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../proto/json.ts';

/** JSON for programs, `pretty` for people. */
export type LogFormat = 'json' | 'pretty';

/**
 * The format that a setting means: `auto`, which is the default, is `pretty` on a terminal.
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function readLogFormat(text: string | undefined, isTerminal: boolean): LogFormat {
  switch (text || 'auto') {
    case 'json':
      return 'json';
    case 'pretty':
      return 'pretty';
    case 'auto':
      return isTerminal ? 'pretty' : 'json';
    default:
      throw new GatewayError(
        'INVALID_CONFIGURATION',
        `LOG_FORMAT (--log) must be json, pretty or auto, not ${text}`,
      );
  }
}

type Style = Parameters<typeof styleText>[0];

/** Colours a text where the stream is a terminal that takes colours, unless `NO_COLOR` is set. */
export function painter(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}
type Paint = (style: Style, text: string) => string;

/** A line of JSON as one for people, without its end; any other text as it is. */
export function readable(line: string, paint: Paint): string {
  const entry = entryIn(line);
  if (entry === undefined) return printable(line.trimEnd());
  const { time, level, program, message, ...fields } = entry;
  const clock = paint('gray', clockOf(time));
  if (message === 'request' && fields.method !== undefined) {
    return `${clock} ${requestLine(fields, paint)}`;
  }
  const label = paint(STYLES[fieldText(level)] ?? 'none', fieldText(level).padEnd(5));
  return [
    clock,
    label,
    `${fieldText(program)}:`,
    fieldText(message),
    ...others(fields, paint),
  ].join(' ');
}

const STYLES: Readonly<Record<string, Style>> = {
  debug: 'gray',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};

const SERVER_ERROR = 500;
const CLIENT_ERROR = 400;

function requestLine(fields: JsonObject, paint: Paint): string {
  const { method, path, status, ms, endpoint, user, organization, request_id, ...rest } = fields;
  const code = Number(status);
  const style = code >= SERVER_ERROR ? 'red' : code >= CLIENT_ERROR ? 'yellow' : 'green';
  const known = [endpoint, user].filter((each) => each !== undefined).map(fieldText);
  return [
    paint('bold', fieldText(method).padEnd(6)),
    fieldText(path),
    paint(style, fieldText(status)),
    `${fieldText(ms)} ms`,
    ...known,
    ...others(rest, paint),
  ].join(' ');
}

function others(fields: JsonObject, paint: Paint): string[] {
  return Object.entries(fields).map(([name, value]) =>
    paint('gray', `${printable(name)}=${fieldText(value)}`),
  );
}

function entryIn(line: string): JsonObject | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const parsed = JSON.parse(line) as Json; // JSON.parse yields nothing else.
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Local time, as the clock on the same desk shows it. */
function clockOf(time: Json | undefined): string {
  const at = new Date(fieldText(time));
  if (Number.isNaN(at.getTime())) return '--:--:--.---';
  const parts = [at.getHours(), at.getMinutes(), at.getSeconds()].map((each) => pad(each, 2));
  return `${parts.join(':')}.${pad(at.getMilliseconds(), 3)}`;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

function fieldText(value: Json | undefined): string {
  if (value === undefined) return '';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A terminal obeys control characters: none of a caller's may reach it. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}
