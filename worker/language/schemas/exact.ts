/** Numbers compared by their digits where a double could not tell, and JSON values told apart. */
import { compareDecimals, decimalOf, sameDecimal } from '../../../proto/decimal.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  numberText,
  type RawJson,
} from '../../../proto/json.ts';
import type { Work } from './work.ts';

/** A number, kept as text or not. */
export type JsonNumber = number | RawJson;

/** Digits that are divided at once; dividing more takes longer than anybody waits. Spec silent. */
const MOST_DIGITS = 4096;
/** Characters of text that cost a step. */
const CHARACTERS_PER_STEP = 32;

/** Negative, zero or positive as `one` is less than, equal to or greater than `other`. */
export function compareNumbers(one: JsonNumber, other: JsonNumber): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return compareDecimals(numberText(one), numberText(other));
}

/** Whether a number has no fraction, however it is written. */
export function isWhole(number: JsonNumber): boolean {
  if (typeof number === 'number') return Number.isInteger(number);
  const { digits, exponent } = decimalOf(number.rawJSON);
  return digits.length <= Math.max(exponent, 0);
}

/** Whether `number` divided by `divisor` is whole, exactly: 19.99 is a multiple of 0.01. */
export function isMultiple(number: JsonNumber, divisor: JsonNumber): boolean {
  if (Number.isSafeInteger(number) && Number.isSafeInteger(divisor)) {
    return Number(number) % Number(divisor) === 0;
  }
  const [value, by] = [decimalOf(numberText(number)), decimalOf(numberText(divisor))];
  if (value.digits === '') return true;
  if (by.digits === '' || Math.max(value.digits.length, by.digits.length) > MOST_DIGITS) {
    return false;
  }
  const shift = value.exponent - value.digits.length - (by.exponent - by.digits.length);
  const [dividend, factor] = [BigInt(value.digits), BigInt(by.digits)];
  if (shift >= 0) return (dividend * powerOfTen(shift, factor)) % factor === 0n;
  // What ends in another digit than zero cannot be divided by more tens than it has digits.
  return -shift <= value.digits.length && dividend % (factor * 10n ** BigInt(-shift)) === 0n;
}

/** Ten to the `exponent`, modulo `modulus`. */
function powerOfTen(exponent: number, modulus: bigint): bigint {
  let power = 1n % modulus;
  let square = 10n % modulus;
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = (power * square) % modulus;
    square = (square * square) % modulus;
  }
  return power;
}

/** Values of which so little is there are written whatever they are compared to. */
const ALWAYS_WRITTEN = 200_000;

/** Whether the text of a value may be so short: every value takes a character at least. */
export function mayBe(value: Json, length: number, work: Work): boolean {
  if (typeof value !== 'object' || value === null) return true;
  let room = Math.max(length, ALWAYS_WRITTEN);
  const left: Json[] = [value];
  for (let each = left.pop(); each !== undefined && room >= 0; each = left.pop()) {
    work.spend(1);
    room -= typeof each === 'string' ? each.length + 2 : 1;
    const within = childrenOf(each);
    if (within.length > room) return false;
    for (const one of within) left.push(one);
  }
  return room >= 0;
}

function childrenOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

/**
 * One text for all values that are equal, and no other: members in order of their names, numbers
 * by their value.
 * @throws GatewayError BAD_REQUEST when the value is too large or too deep
 */
export function textOf(value: Json, work: Work): string {
  work.spend(1);
  if (typeof value === 'string') {
    work.spend(value.length / CHARACTERS_PER_STEP);
    return JSON.stringify(value);
  }
  if (typeof value !== 'object' || value === null) return String(value);
  if (isRawJson(value)) return exactText(value.rawJSON, work);
  work.enter();
  const text = Array.isArray(value)
    ? `[${value.map((item) => textOf(item, work)).join()}]`
    : `{${Object.keys(value)
        .sort()
        .map((name) => `${JSON.stringify(name)}:${textOf(value[name] ?? null, work)}`)
        .join()}}`;
  work.leave();
  return text;
}

function exactText(number: string, work: Work): string {
  work.spend(number.length / CHARACTERS_PER_STEP);
  const double = String(Number(number));
  if (Number.isFinite(Number(number)) && sameDecimal(double, number)) return double;
  const { isNegative, digits, exponent } = decimalOf(number);
  return `${isNegative ? '-' : ''}0.${digits}e${exponent}`;
}
