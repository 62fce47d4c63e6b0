/** Comparisons of a filter, RFC 9535 §2.3.5.2.2, where numbers kept as text are numbers. */
import { compareDecimals } from '../../../proto/decimal.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  numberText,
} from '../../../proto/json.ts';
import type { Budget } from './budget.ts';

/** What a filter compares: a value, or nothing where a query found none. */
export type Comparable = Json | undefined;

/** Characters of a text that are compared in one step. */
const CHARACTERS_PER_STEP = 64;

/** The steps that looking at a text takes. */
export function stepsOf(text: string): number {
  return 1 + Math.floor(text.length / CHARACTERS_PER_STEP);
}

/** By operator: whether it holds between two values. */
export const COMPARISONS: Readonly<
  Record<string, (left: Comparable, right: Comparable, budget: Budget) => boolean>
> = {
  '==': isEqual,
  '!=': (left, right, budget) => !isEqual(left, right, budget),
  '<': isLess,
  '>': (left, right, budget) => isLess(right, left, budget),
  '<=': (left, right, budget) => isLess(left, right, budget) || isEqual(left, right, budget),
  '>=': (left, right, budget) => isLess(right, left, budget) || isEqual(left, right, budget),
};

function isEqual(left: Comparable, right: Comparable, budget: Budget): boolean {
  budget.charge(1);
  if (left === right) {
    if (typeof left === 'string') budget.charge(stepsOf(left));
    return true;
  }
  if (isRawJson(left) || isRawJson(right)) return isSameNumber(left, right, budget);
  if (Array.isArray(left)) return Array.isArray(right) && haveSameElements(left, right, budget);
  if (isJsonObject(left)) return isJsonObject(right) && haveSameMembers(left, right, budget);
  if (typeof left === 'string' && typeof right === 'string') budget.charge(stepsOf(left));
  return false;
}

function haveSameElements(left: readonly Json[], right: readonly Json[], budget: Budget): boolean {
  return left.length === right.length && left.every((each, at) => isEqual(each, right[at], budget));
}

function haveSameMembers(left: JsonObject, right: JsonObject, budget: Budget): boolean {
  const names = Object.keys(left);
  budget.charge(names.length);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name], budget))
  );
}

function isSameNumber(left: Comparable, right: Comparable, budget: Budget): boolean {
  return isNumber(left) && isNumber(right) && orderOf(left, right, budget) === 0;
}

function isLess(left: Comparable, right: Comparable, budget: Budget): boolean {
  budget.charge(1);
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  if (isNumber(left) && isNumber(right)) return orderOf(left, right, budget) < 0;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  budget.charge(stepsOf(left));
  return isBefore(left, right, budget);
}

function isNumber(value: Comparable): value is Exclude<Comparable, JsonObject> & NumberValue {
  return typeof value === 'number' || isRawJson(value);
}
type NumberValue = Parameters<typeof numberText>[0];

function orderOf(left: NumberValue, right: NumberValue, budget: Budget): number {
  const [one, other] = [numberText(left), numberText(right)];
  budget.charge(stepsOf(one) + stepsOf(other));
  return compareDecimals(one, other);
}

/**
 * Order by Unicode scalar values, which is not that of UTF-16 code units where a surrogate meets
 * one above them.
 */
function isBefore(left: string, right: string, budget: Budget): boolean {
  const length = Math.min(left.length, right.length);
  let at = 0;
  while (at < length && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  budget.charge(at);
  if (at === length) return left.length < right.length;
  return rank(left.charCodeAt(at)) < rank(right.charCodeAt(at));
}

/** Puts surrogates behind all other code units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit;
}
