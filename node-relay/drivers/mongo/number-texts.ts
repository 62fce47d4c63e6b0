/** Numbers and moments of BSON as Extended JSON, relaxed or canonical. Source: MongoDB Extended JSON (v2). */

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const YEAR_10000 = 253_402_300_800_000n;

/** A whole double keeps its point, so that it comes back as one. */
export function doubleText(value: number, isCanonical: boolean): string {
  const written = Object.is(value, -0) ? '-0' : String(value);
  const text = /^-?\d+$/.test(written) ? `${written}.0` : upperExponent(written);
  if (Number.isFinite(value) && !isCanonical) return text;
  return `{"$numberDouble":"${text}"}`;
}

/** Of 32 bits. */
export function int32Text(value: number, isCanonical: boolean): string {
  return isCanonical ? `{"$numberInt":"${value}"}` : String(value);
}

/** Of 64 bits. Contract §6: outside ±2^53 its own form, in the relaxed form too. */
export function int64Text(value: bigint, isCanonical: boolean): string {
  const isSafe = value >= -SAFE && value <= SAFE;
  return isSafe && !isCanonical ? String(value) : `{"$numberLong":"${value}"}`;
}

/** Of milliseconds since 1970. */
export function dateText(value: bigint, isCanonical: boolean): string {
  if (isCanonical || value < 0n || value >= YEAR_10000) {
    return `{"$date":{"$numberLong":"${value}"}}`;
  }
  return `{"$date":"${new Date(Number(value)).toISOString().replace('.000Z', 'Z')}"}`;
}

/** As the corpus and other writers have it. */
function upperExponent(text: string): string {
  return text.replace('e', 'E');
}
