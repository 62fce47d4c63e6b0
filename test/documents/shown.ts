/**
 * What a page shows, as what a real reply is compared with. What differs from run to run is
 * matched by its form: a UUID by any, a timestamp by any, `…` by any text, a number of
 * milliseconds (`latency_ms`), what a statement cost (`elapsed`, `rows_read`, `bytes_read`) and a
 * render (`processingTimeMs`, `fuel`) by any number. All else stays as it is.
 */
import { expect } from 'vitest';
import { isJsonObject, type Json, parseJson } from '../../proto/json.ts';
import type { Block } from './examples.ts';

const DYNAMIC =
  /…|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/gi;
const UUID = '[\\da-f]{8}-(?:[\\da-f]{4}-){3}[\\da-f]{12}';
const TIMESTAMP = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z';

const MEASURED = /_ms$|^(?:elapsed|rows_read|bytes_read|processingTimeMs|fuel)$/;

/** A reply, and what it is to equal: for JSON the value, for anything else its lines. */
interface Comparison {
  readonly actual: unknown;
  readonly expected: unknown;
}

/** Compares as JSON what the page marks as such; output that is none is compared as text, and differs. */
export function comparison({ language, text }: Block, output: string): Comparison {
  if (language !== 'json') return { actual: linesOf(output), expected: linesOf(text).map(formOf) };
  return { actual: jsonOr(output), expected: expectedOf(parseJson(text)) };
}

function jsonOr(output: string): Json {
  try {
    return parseJson(output);
  } catch {
    return output;
  }
}

function expectedOf(value: Json): unknown {
  if (typeof value === 'string') return formOf(value);
  if (Array.isArray(value)) return value.map(expectedOf);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      MEASURED.test(name) && typeof each === 'number' ? expect.any(Number) : expectedOf(each),
    ]),
  );
}

/** The text itself where none of it differs from run to run. */
function formOf(text: string): unknown {
  const dynamic = text.match(DYNAMIC);
  if (dynamic === null) return text;
  const between = text.split(DYNAMIC).map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const pattern = between
    .map((each, index) => each + (index < dynamic.length ? patternOf(dynamic[index]) : ''))
    .join('');
  return expect.stringMatching(new RegExp(`^${pattern}$`, 'is'));
}

function patternOf(part: string | undefined): string {
  if (part === '…') return '.+';
  return part?.includes('T') ? TIMESTAMP : UUID;
}

function linesOf(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
}
