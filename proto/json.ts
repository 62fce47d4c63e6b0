/** JSON in and out without losing digits: numbers that a double cannot hold keep their text. */

declare global {
  /** TC39 "JSON.parse source text access"; in both runtimes, not yet in the library's types. */
  interface JSON {
    rawJSON(text: string): RawJson;
    isRawJSON(value: unknown): value is RawJson;
    parse(
      text: string,
      reviver: (
        this: unknown,
        key: string,
        value: unknown,
        context: { source?: string },
      ) => unknown,
    ): unknown;
  }
}

/** A number kept as the text it was written with; `JSON.stringify` writes that text. */
export interface RawJson {
  readonly rawJSON: string;
}

/** A JSON value, as requests and results travel. A `RawJson` stands for a number. */
export type Json = null | boolean | number | string | RawJson | Json[] | { [key: string]: Json };

/** Only text with such a run can hold a number that a double rounds, overflows or underflows. */
const MAY_LOSE_DIGITS = /[\d.]{16,}|\d[eE][+-]?\d{3}/;

/**
 * Parses JSON text; integers beyond ±2^53 and decimals with more digits than a double
 * holds become `RawJson`. Text without long runs of digits pays one scan.
 * @throws SyntaxError
 */
export function parseJson(text: string): Json {
  const parsed: unknown = MAY_LOSE_DIGITS.test(text)
    ? JSON.parse(text, keepDigits)
    : JSON.parse(text);
  return parsed as Json; // JSON.parse yields nothing else.
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
export function isJsonObject(value: unknown): value is { [key: string]: Json } {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
  );
}

function keepDigits(
  this: unknown,
  _key: string,
  value: unknown,
  context: { source?: string },
): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  return digitsOf(String(value)) === digitsOf(context.source)
    ? value
    : JSON.rawJSON(context.source);
}

/** A number's value as significant digits and exponent, so that `1.50`, `15e-1` and `1.5` are one. */
function digitsOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.replace('-', '').toLowerCase().split('e');
  const negative = text.startsWith('-');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const scale =
    BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${negative ? '-' : ''}${significant}e${scale}`;
}
