/** The order of numbers and texts. */
import { compareDecimals } from '../../../../proto/decimal.ts';
import { isRawJson, type Json, numberText, type RawJson } from '../../../../proto/json.ts';
import type { Execution } from '../execution.ts';
import { RuleFault } from '../failure.ts';
import { kindOf, numberIn } from './transformer.ts';

/** Compares numbers with all their digits. */
export function order(one: number | RawJson, other: number | RawJson): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return compareDecimals(numberText(one), numberText(other));
}

/** Null and what is not there come last, whichever the order. */
export function sorted(
  array: readonly Json[],
  key: (element: Json) => Json | undefined,
  sign: 1 | -1,
  x: Execution,
): Json[] {
  const pairs = array.map((element, at) => ({ element, key: keyIn(key(element), at) }));
  const kinds = new Set(
    pairs.flatMap((each) => (each.key === null ? [] : [typeof each.key === 'string'])),
  );
  if (kinds.size > 1) throw new RuleFault('takes either numbers or texts, not both at once');
  x.take(48 * array.length);
  x.spend(Math.ceil(array.length * Math.log2(array.length + 1)));
  return pairs
    .sort((one, other) => compared(one.key, other.key, sign, x))
    .map(({ element }) => element);
}

function keyIn(value: Json | undefined, at: number): string | number | RawJson | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || isRawJson(value)) return value;
  throw new RuleFault(`takes numbers or texts, and of element ${at} it is ${kindOf(value)}`);
}

type SortKey = string | number | RawJson | null;

function compared(one: SortKey, other: SortKey, sign: 1 | -1, x: Execution): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (typeof one === 'string' && typeof other === 'string') {
    x.spend(Math.min(one.length, other.length) >> 5);
    return one < other ? -sign : one > other ? sign : 0;
  }
  return sign * order(numberIn(one), numberIn(other));
}
