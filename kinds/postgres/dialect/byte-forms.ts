/** What a parameter may write bytes as. Source: backends.md §1.1, "Param encoding". */
import type { Json } from '../../../proto/json.ts';

/** A list of numbers from 0 to 255. */
export function isByteList(value: Json): value is number[] {
  return (
    Array.isArray(value) &&
    value.every(
      (byte) => typeof byte === 'number' && Number.isInteger(byte) && byte >= 0 && byte < 256,
    )
  );
}

/** Base64, also in the alphabet of URLs, with or without its padding. */
export function isBase64(value: Json): value is string {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) return false;
  const { length } = value;
  return length % 4 === 0 || (length % 4 !== 1 && !value.endsWith('='));
}
