/** Values that are only passed on, as they were written, among others that are read. */
import { sameDecimal } from './decimal.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  parseJson,
  type RawJson,
  setMember,
} from './json.ts';

/** Members' names with a dot between each and the one it is in; arrays on the way are not named. `all` are all members. */
export type Passes = readonly string[] | 'all';

/** A value of `parseWritten` with those members as they were written; all others are what `parseJson` makes of them. */
export function passedOf(written: Json, passes: Passes): Json {
  if (Array.isArray(written)) return written.map((each) => passedOf(each, passes));
  if (isRawJson(written)) return parseJson(written.rawJSON);
  if (!isJsonObject(written)) return written;
  const whole: JsonObject = {};
  for (const [name, value] of Object.entries(written)) {
    setMember(whole, name, memberOf(name, value, passes));
  }
  return whole;
}

/** One member of that. */
export function memberOf(name: string, written: Json, passes: Passes): Json {
  const within = passesIn(name, passes);
  return within === 'all' ? written : passedOf(written, within);
}

function passesIn(name: string, passes: Passes): Passes {
  if (passes === 'all' || passes.includes(name)) return 'all';
  const before = `${name}.`;
  return passes.flatMap((path) => (path.startsWith(before) ? path.slice(before.length) : []));
}

/** Characters of texts that have no more digits than every double gives back, where their exponent is small. */
const SHORT = 15;
const LARGE_EXPONENT = /[eE][+-]?\d{3}/;

/** A value, of a number what it would be were it not written in another way: `1` for `1.0`. */
export function plainNumber(value: number | RawJson): number | RawJson;
export function plainNumber(value: NonNullable<Json>): NonNullable<Json>;
export function plainNumber(value: Json): Json;
export function plainNumber(value: Json): Json {
  if (!isRawJson(value)) return value;
  const { rawJSON: text } = value;
  const number = Number(text);
  if (text.length <= SHORT && !LARGE_EXPONENT.test(text)) return number;
  return sameDecimal(String(number), text) ? number : value;
}
