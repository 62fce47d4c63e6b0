/** Writes values as JSON text, whichever way they came. Contract §6: "Results never lose a value". */
import { isJsonInteger, plainString } from '../../json-forms.ts';

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

/** JSON has no other way for zero than the sign, and none for what is no number: those are strings. */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
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
