/** Bytes are those that were added, and little more is kept than they are. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { GatheredBytes } from './gathered-bytes.ts';

const sizes = fc.array(fc.oneof(fc.nat(4), fc.nat(3_000)), { maxLength: 300 });

test('what is taken is what was added, in order', () => {
  void fc.assert(
    fc.property(sizes, sizes, (...both) => {
      const gathered = new GatheredBytes();
      for (const lengths of both) {
        const added = lengths.map((length, at) => new Uint8Array(length).fill(at));
        for (const piece of added) gathered.add(piece);
        const all = added.flatMap((piece) => [...piece]);
        expect(gathered.length).toBe(all.length);
        expect([...gathered.take()]).toEqual(all);
      }
    }),
    { numRuns: 50 },
  );
});
