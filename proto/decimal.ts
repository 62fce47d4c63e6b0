/** Numbers as they are written, compared digit by digit: nothing is rounded on the way. */

/** A number's value: `0.digits` times ten to the `exponent`; no digits are zero. */
interface Decimal {
  readonly isNegative: boolean;
  /** Without zeros at either end. */
  readonly digits: string;
  readonly exponent: number;
}

/** Exponents beyond are taken for this one: there are no digits enough in any text to reach them. */
const EXPONENT_MAX = 1e15;

/** One way alone to read each text: digits that two parts could take cost the square of their number. */
const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Whether a text is a number in digits as servers write floats: `+1.`, `.5` and `1E9` are. */
export function isFloatText(text: string): boolean {
  return FLOAT.test(text);
}

/** Whether two texts of JSON numbers have one value: `1.50`, `15e-1` and `1.5` do. */
export function sameDecimal(one: string, other: string): boolean {
  return compareDecimals(one, other) === 0;
}

/** Digits alone, where a number is whole and has no more than `most` of them; any other text as it is. */
export function wholeText(text: string, most: number): string {
  if (/^-?\d+$/.test(text)) return text;
  const { isNegative, digits, exponent } = decimalOf(text);
  if (exponent < digits.length || exponent > most) return text;
  return `${isNegative ? '-' : ''}${digits.padEnd(exponent, '0') || '0'}`;
}

/** The number without an exponent; undefined where that has more than `most` digits. */
export function plainDecimal(text: string, most: number): string | undefined {
  const { isNegative, digits, exponent } = decimalOf(text);
  if (digits === '') return '0';
  if (Math.max(exponent, digits.length) - Math.min(exponent, 0) > most) return undefined;
  const whole = digits.slice(0, Math.max(exponent, 0)).padEnd(exponent, '0') || '0';
  const fraction = '0'.repeat(Math.max(-exponent, 0)) + digits.slice(Math.max(exponent, 0));
  return `${isNegative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Negative, zero or positive as `one` is less than, equal to or greater than `other`; both are JSON numbers. */
export function compareDecimals(one: string, other: string): number {
  const [left, right] = [decimalOf(one), decimalOf(other)];
  if (left.digits === '' || right.digits === '' || left.isNegative !== right.isNegative) {
    return signOf(left) - signOf(right);
  }
  const magnitude =
    left.exponent - right.exponent ||
    Number(left.digits > right.digits) - Number(left.digits < right.digits);
  // Not by the sign: of what is equal that would make -0.
  return left.isNegative ? 0 - magnitude : magnitude;
}

function signOf({ digits, isNegative }: Decimal): number {
  if (digits === '') return 0;
  return isNegative ? -1 : 1;
}

/** The value of a JSON number. */
export function decimalOf(text: string): Decimal {
  const isNegative = text.startsWith('-');
  const [mantissa = '', exponent = '0'] = text.slice(isNegative ? 1 : 0).split(/e/i);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  const first = firstDigit(all);
  return {
    isNegative,
    digits: all.slice(first, lastDigit(all) + 1),
    exponent: boundedExponent(exponent) + whole.length - first,
  };
}

/** Of a text such as `+0012`; one that no double can tell apart from others beyond is cut. */
function boundedExponent(text: string): number {
  return Math.min(Math.max(Number(text), -EXPONENT_MAX), EXPONENT_MAX);
}

/** Where the zeros before end. A loop: a pattern would look at long runs of zeros again and again. */
function firstDigit(digits: string): number {
  let at = 0;
  while (digits.charAt(at) === '0') at += 1;
  return at;
}

/** Where the zeros behind begin, less one. */
function lastDigit(digits: string): number {
  let at = digits.length - 1;
  while (digits.charAt(at) === '0') at -= 1;
  return at;
}
