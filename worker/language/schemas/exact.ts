/** Numbers compared by their digits where a double could not tell, and JSON values told apart. */
import { compareDecimals, decimalOf, sameDecimal } from '../../../proto/decimal.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  numberText,
  type RawJson,
} from '../../../proto/json.ts';
import type { ValidationBudget } from './validation-budget.ts';

/** A number, kept as text or not. */
export type JsonNumber = number | RawJson;

/** Digits that are divided at once; dividing more takes too long. Spec silent. */
const MOST_DIGITS = 4096;
/** Characters of text that cost a step. */
const CHARACTERS_PER_STEP = 32;

/** Negative, zero or positive as `one` is less than, equal to or greater than `other`. @throws GatewayError BAD_REQUEST when it takes too much */
export function compareNumbers(one: JsonNumber, other: JsonNumber, work: ValidationBudget): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return compareDecimals(digitsOf(one, work), digitsOf(other, work));
}

/** Whether a number has no fraction, however it is written. @throws GatewayError BAD_REQUEST when it takes too much */
export function isWhole(number: JsonNumber, work: ValidationBudget): boolean {
  if (typeof number === 'number') return Number.isInteger(number);
  const { digits, exponent } = decimalOf(digitsOf(number, work));
  return digits.length <= Math.max(exponent, 0);
}

/** What reading the digits of a number takes, besides their count. */
const READING_STEPS = 3;

/** A number's text, charged for reading all of it. */
function digitsOf(number: JsonNumber, work: ValidationBudget): string {
  const text = numberText(number);
  work.spend(READING_STEPS + text.length / CHARACTERS_PER_STEP);
  return text;
}

/** What a division takes of numbers of few digits; of others it is their digits, and each of one with each of the other. */
const DIVISION_STEPS = 10;
const DIGITS_PER_STEP = 5;
const PAIRS_PER_STEP = 10_000;

/**
 * Whether `number` divided by `divisor` is whole, exactly: 19.99 is a multiple of 0.01.
 * @throws GatewayError BAD_REQUEST when it takes too much
 */
export function isMultiple(
  number: JsonNumber,
  divisor: JsonNumber,
  work: ValidationBudget,
): boolean {
  if (Number.isSafeInteger(number) && Number.isSafeInteger(divisor)) {
    return Number(number) % Number(divisor) === 0;
  }
  const [value, by] = [decimalOf(digitsOf(number, work)), decimalOf(digitsOf(divisor, work))];
  if (value.digits === '') return true;
  if (by.digits === '' || Math.max(value.digits.length, by.digits.length) > MOST_DIGITS) {
    return false;
  }
  const shift = value.exponent - value.digits.length - (by.exponent - by.digits.length);
  work.spend(divisionSteps(value.digits.length, by.digits.length, shift));
  const [dividend, factor] = [BigInt(value.digits), BigInt(by.digits)];
  if (shift >= 0) return (dividend * powerOfTen(shift, factor)) % factor === 0n;
  // What ends in another digit than zero cannot be divided by more tens than it has digits.
  return -shift <= value.digits.length && dividend % (factor * 10n ** BigInt(-shift)) === 0n;
}

function divisionSteps(digits: number, divisors: number, shift: number): number {
  const rounds = shift > 0 ? 1 + Math.log2(shift) : 0;
  const pairs = divisors * (digits + 2 * rounds * divisors);
  return (
    DIVISION_STEPS + 2 * rounds + (digits + divisors) / DIGITS_PER_STEP + pairs / PAIRS_PER_STEP
  );
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

/** Values of so little are written whatever they are compared to. */
const ALWAYS_WRITTEN = 200_000;

/** Whether the text of a value may be so short: every value takes a character at least. */
export function mayBe(value: Json, length: number, work: ValidationBudget): boolean {
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

/** What the text of a double that is no integer takes. */
const FRACTION_STEPS = 2;

/**
 * One text for all values that are equal, and no other: members in order of their names, numbers
 * by their value.
 * @throws GatewayError BAD_REQUEST when the value is too large or too deep
 */
export function exactText(value: Json, work: ValidationBudget): string {
  work.spend(1);
  if (typeof value === 'string') {
    work.spend(value.length / CHARACTERS_PER_STEP);
    return JSON.stringify(value);
  }
  if (typeof value === 'number' && !Number.isInteger(value)) work.spend(FRACTION_STEPS);
  if (typeof value !== 'object' || value === null) return String(value);
  if (isRawJson(value)) return exactNumber(value.rawJSON, work);
  work.enter();
  const text = Array.isArray(value)
    ? `[${value.map((item) => exactText(item, work)).join()}]`
    : `{${Object.keys(value)
        .sort()
        .map((name) => `${JSON.stringify(name)}:${exactText(value[name] ?? null, work)}`)
        .join()}}`;
  work.leave();
  return text;
}

function exactNumber(number: string, work: ValidationBudget): string {
  work.spend(READING_STEPS + number.length / CHARACTERS_PER_STEP);
  const double = String(Number(number));
  if (Number.isFinite(Number(number)) && sameDecimal(double, number)) return double;
  const { isNegative, digits, exponent } = decimalOf(number);
  return `${isNegative ? '-' : ''}0.${digits}e${exponent}`;
}
