/** About how much memory a value takes that is remembered. */

/** Parts that are looked at; of a value with more, the rest is taken to be like these. */
const LOOKED_AT_MAX = 5_000;
/** Bytes of a part besides its characters. */
const PART = 16;

/** Bytes of a value as rows have them: texts, bytes, numbers, lists and records; about, and never less than its texts where it has few parts. */
export function weightOf(value: unknown): number {
  const waiting: unknown[] = [value];
  let [weight, looked] = [0, 0];
  while (waiting.length > 0 && looked < LOOKED_AT_MAX) {
    const part = waiting.pop();
    looked += 1;
    weight += PART;
    if (typeof part === 'string') weight += part.length;
    else if (part instanceof ArrayBuffer || ArrayBuffer.isView(part)) weight += part.byteLength;
    else if (part instanceof Map || part instanceof Set) waiting.push(...part);
    else if (typeof part === 'object' && part !== null) waiting.push(...Object.values(part));
  }
  return weight + (waiting.length * weight) / looked;
}
