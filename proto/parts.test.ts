/** Which part serves a key. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partOf } from './parts.ts';

test('every key has one of the parts', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.integer({ min: 1, max: 64 }), (key, parts) => {
      const part = partOf(key, parts);
      expect(part).toBe(partOf(key, parts));
      expect(part).toBeGreaterThanOrEqual(0);
      expect(part).toBeLessThan(parts);
    }),
  );
});

test.each([2, 3, 8])('%d parts have about as many keys each', (parts) => {
  const counts = Array.from({ length: parts }, () => 0);
  const each = 1_000;
  for (let made = 0; made < each * parts; made += 1) {
    const part = partOf(crypto.randomUUID(), parts);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - each)).toBeLessThan(each / 4);
});
