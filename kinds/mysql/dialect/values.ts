/** Writes values as JSON text, whichever way they came. Contract §6: "Results never lose a value". */
import { doubleText, plainString, shortestSingle } from '../../json-forms.ts';

/** Servers take no FLOAT beyond it, not even a double that rounds to it. */
const FLOAT_MAX = 3.4028234663852886e38;

/** The shortest text that is that single, and that servers take as one. */
export function floatText(value: number): string {
  const nearest = shortestSingle(value);
  return doubleText(Math.abs(nearest) <= FLOAT_MAX ? nearest : value);
}

/** The zero of TIMESTAMP is no moment, so it has no zone. */
const ZERO = '0000-00-00';

/** A moment that servers write as `2024-02-29 23:59:59`, in ISO 8601. @param zone `Z` or empty */
export function momentText(text: string, zone: string): string {
  const date = text.slice(0, ZERO.length);
  return plainString(`${date}T${text.slice(ZERO.length + 1)}${date === ZERO ? '' : zone}`);
}
