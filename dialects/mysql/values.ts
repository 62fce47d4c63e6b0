/** Writes values as JSON text, whichever way they came. Contract §6: "Results never lose a value". */

const SAFE_DIGITS = 15;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
/** A number when a double holds it, else a string. Contract §6: "Results never lose a value". */
export function integerText(text: string): string {
  return text.length <= SAFE_DIGITS || Number.isSafeInteger(Number(text)) ? text : `"${text}"`;
}

/** As `integerText`, of a value. */
export function bigintText(value: bigint): string {
  return value <= SAFE && value >= -SAFE ? value.toString() : `"${value}"`;
}

/** JSON has no other way for it than the sign. */
export function doubleText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** The shortest text that is that single. */
export function floatText(value: number): string {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return doubleText(short);
  }
  return doubleText(Number(value.toPrecision(9)));
}

/** Line ends stand only between the tokens of JSON text; without them a row stays on one line. */
export function jsonText(text: string): string {
  try {
    // MariaDB's JSON is text, and may be none.
    JSON.parse(text);
  } catch {
    return JSON.stringify(text);
  }
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text;
}
