/** Who is alone on a thread, by a clock that only the test moves. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Arrivals } from './arrivals.ts';

test('a request is alone once no other has come for 250 ms, in whichever order they came', () => {
  const arriving = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c'), after: fc.nat(300) }));
  fc.assert(
    fc.property(arriving, fc.constantFrom('a', 'b', 'c'), fc.nat(600), (each, asks, later) => {
      const arrivals = new Arrivals();
      let at = 0;
      let before = '';
      const others: number[] = [];
      for (const { id, after } of each) {
        at += after;
        arrivals.note(id, at);
        // One that goes on has not come again.
        if (id !== before && id !== asks) others.push(at);
        before = id;
      }
      const last = others.at(-1) ?? Number.NEGATIVE_INFINITY;
      expect(arrivals.isAlone(asks, at + later)).toBe(at + later - last > 250);
    }),
  );
});

test('nobody has come: each is alone', () => {
  expect(new Arrivals().isAlone('a', 0)).toBe(true);
});
