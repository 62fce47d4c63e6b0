/** Messages are followed however their stream is cut into parts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Messages } from './messages.ts';

/** A stream of messages of these lengths. */
function streamOf(lengths: readonly number[]): Uint8Array {
  const whole = new Uint8Array(lengths.reduce((sum, each) => sum + 5 + each, 0));
  let at = 0;
  for (const length of lengths) {
    new DataView(whole.buffer).setUint32(at + 1, length);
    at += 5 + length;
  }
  return whole;
}

test('a part answers the length of the message that it leaves open', () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 10 });
  const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(lengths, cuts, (given, sizes) => {
      const whole = streamOf(given);
      const messages = new Messages(1_000_000);
      let at = 0;
      for (let part = 0; at < whole.byteLength; part += 1) {
        const end = Math.min(whole.byteLength, at + (sizes[part % sizes.length] ?? 1));
        const open = messages.take(whole.subarray(at, end));
        at = end;
        let start = 0;
        const found = given.find((length) => {
          const [body, next] = [start + 5, start + 5 + length];
          start = next;
          return at >= body && at < next;
        });
        expect(open).toBe(found ?? 0);
      }
    }),
    { numRuns: 200 },
  );
});
