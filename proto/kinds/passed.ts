/** What of a request a kind only passes on: it arrives there as its client wrote it. */
import { sameDecimal } from '../decimal.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  type RawJson,
  setMember,
} from '../json.ts';
import { type Kind, kindSpec } from './index.ts';

/** Where a request, or those of a transaction, may stand within a body. */
const AROUND = ['request', 'operations'];

/**
 * The body with those values as they were written; all others are what `parseJson` makes of them.
 * @param plain of `parseJson` @param written the same text, of `parseWritten`
 */
export function withPassed(kind: Kind, plain: Json, written: Json): Json {
  const { passes } = kindSpec(kind);
  return passes === undefined ? plain : grafted(plain, written, passes);
}

function grafted(plain: Json, written: Json, passes: readonly string[] | 'all'): Json {
  if (Array.isArray(plain) && Array.isArray(written)) {
    return plain.map((each, at) => grafted(each, written[at] ?? null, passes));
  }
  if (!isJsonObject(plain) || !isJsonObject(written)) return plain;
  const whole: JsonObject = {};
  for (const [name, value] of Object.entries(plain)) {
    const own = written[name] ?? null;
    setMember(whole, name, memberOf(name, value, own, passes));
  }
  return whole;
}

function memberOf(name: string, plain: Json, written: Json, passes: readonly string[] | 'all') {
  if (AROUND.includes(name)) return grafted(plain, written, passes);
  if (name === 'timeout_ms') return plain;
  return passes === 'all' || passes.includes(name) ? written : plain;
}

/** A value, of a number what it would be were it not written in another way: `1` for `1.0`. */
export function plainNumber(value: number | RawJson): number | RawJson;
export function plainNumber(value: Json): Json;
export function plainNumber(value: Json): Json {
  if (!isRawJson(value)) return value;
  const number = Number(value.rawJSON);
  return sameDecimal(String(number), value.rawJSON) ? number : value;
}
