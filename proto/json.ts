/** JSON in and out without losing digits: numbers that a double cannot hold keep their text. */
import { exactNumbers, type Span } from './exact-numbers.ts';

declare global {
  /** TC39 "JSON.parse source text access"; in both runtimes, not yet in the library's types. */
  interface JSON {
    rawJSON(text: string): RawJson;
    isRawJSON(value: unknown): value is RawJson;
  }
}

/** A number kept as the text it was written with; `JSON.stringify` writes that text. */
export interface RawJson {
  readonly rawJSON: string;
}

/** A JSON value, as requests and results travel. A `RawJson` stands for a number. */
export type Json = null | boolean | number | string | RawJson | Json[] | JsonObject;

/** A JSON object. To set a member whose name comes from outside, use `setMember`. */
export interface JsonObject {
  [name: string]: Json;
}

/** Most arrays and objects within each other that a request may bring. Spec silent. */
export const DEPTH_MAX = 1000;

/**
 * Parses JSON text; integers beyond ±2^53 and decimals with more digits than a double
 * holds become `RawJson`. Text without long runs of digits pays one scan.
 * @throws SyntaxError
 */
export function parseJson(text: string): Json {
  const kept = exactNumbers(text);
  if (kept.length === 0) return JSON.parse(text) as Json; // JSON.parse yields nothing else.
  const mark = crypto.randomUUID().slice(24); // Forty-eight bits: no string of the text begins so.
  return restored(JSON.parse(withMarks(text, kept, mark)) as Json, mark);
}

/** The text of a number, whether it is kept as text or not. */
export function numberText(value: number | RawJson): string {
  return typeof value === 'number' ? String(value) : value.rawJSON;
}

/** Whether a value is a number kept as text. */
export function isRawJson(value: unknown): value is RawJson {
  return JSON.isRawJSON(value);
}

/** Whether a value is an object with members, and neither an array nor a number kept as text. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
  );
}

/** Makes a member, `__proto__` like any other. */
export function setMember(object: JsonObject, name: string, value: Json): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, ...ORDINARY });
}
const ORDINARY = { writable: true, enumerable: true, configurable: true };

/** The text with those numbers as strings that begin with a mark. */
function withMarks(text: string, numbers: readonly Span[], mark: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of numbers) {
    pieces.push(text.slice(at, start), `"${mark}${text.slice(start, end)}"`);
    at = end;
  }
  return pieces.join('') + text.slice(at);
}

/** The value with marked strings as the numbers they were. A list, not recursion: any depth will do. */
function restored(parsed: Json, mark: string): Json {
  const whole = { parsed };
  const left: object[] = [whole];
  /** What replaces a value; containers wait for their turn. */
  const numberOr = (value: Json): Json => {
    if (typeof value === 'string' && value.startsWith(mark)) {
      return JSON.rawJSON(value.slice(mark.length));
    }
    if (typeof value === 'object' && value !== null) left.push(value);
    return value;
  };
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    if (Array.isArray(each)) replaceElements(each, numberOr);
    else replaceMembers(each as JsonObject, numberOr); // Of JSON, the only other sort.
  }
  return whole.parsed;
}

function replaceElements(array: Json[], replace: (value: Json) => Json): void {
  for (const [at, value] of array.entries()) {
    const other = replace(value);
    if (other !== value) array[at] = other;
  }
}

function replaceMembers(object: JsonObject, replace: (value: Json) => Json): void {
  for (const name of Object.keys(object)) {
    const value = object[name] ?? null;
    const other = replace(value);
    if (other !== value) setMember(object, name, other);
  }
}
