/** Checks that a server's text is valid JSON before it is copied into JSON as it is. */

const MINUS = 45;
const ZERO = 48;
const NINE = 57;

/** Whether a text is an integer as JSON writes it. A loop, because results have many and short ones. */
export function isJsonInteger(text: string): boolean {
  const first = text.charCodeAt(0) === MINUS ? 1 : 0;
  const { length } = text;
  if (text.charCodeAt(first) === ZERO) return length === first + 1;
  for (let at = first; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return false;
  }
  return length > first;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether a text is a number as JSON writes it. */
export function isJsonNumber(text: string): boolean {
  return NUMBER.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has to escape them.
const TO_ESCAPE = /["\\\u0000-\u001f]/;

/** Whether a text holds what JSON escapes. */
export function isEscaped(text: string): boolean {
  return TO_ESCAPE.test(text);
}

/** A text that is known to should need no escaping, as a JSON string. */
export function plainString(text: string): string {
  return isEscaped(text) ? JSON.stringify(text) : `"${text}"`;
}

/** JSON text on one line; as a string where it is not JSON. */
export function jsonOrString(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return JSON.stringify(text);
  }
  return onOneLine(text);
}

/** JSON text with spaces for the line ends between its tokens. */
export function onOneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text;
}

/** Digits of an integer that every double holds. */
const SAFE_DIGITS = 15;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** A number when a double holds it, else a string. Contract §6: "Results never lose a value". */
export function integerText(text: string): string {
  const isSafe = text.length <= SAFE_DIGITS || Number.isSafeInteger(Number(text));
  return isSafe && isJsonInteger(text) ? text : plainString(text);
}

/** As `integerText`, of a value. */
export function bigintText(value: bigint): string {
  return value <= SAFE && value >= -SAFE ? value.toString() : `"${value}"`;
}

/** Smaller singles have fewer digits of their own. Source: IEEE 754, "subnormal". */
const NORMAL_SINGLE = 2 ** -126;

/** The double of the fewest digits that is that single. */
export function shortestSingle(value: number): number {
  if (!Number.isFinite(value) || value === 0) return value;
  for (let digits = Math.abs(value) < NORMAL_SINGLE ? 1 : 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

/** JSON has no other way for zero than the sign, and none for what is no number: those are strings. */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  return Object.is(value, -0) ? '-0' : String(value);
}
