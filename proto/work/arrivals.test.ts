/** Who is alone on a thread, by a clock that only the test moves. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Arrivals } from './arrivals.ts';

test('a request is alone once no other was heard of for 250 ms, in whichever order they came', () => {
  const requests = [{}, {}, {}];
  const one = fc.constantFrom(...requests);
  const heard = fc.array(fc.record({ who: one, after: fc.nat(300) }));
  fc.assert(
    fc.property(heard, one, fc.nat(600), (each, asks, later) => {
      const arrivals = new Arrivals();
      let at = 0;
      let otherAt = Number.NEGATIVE_INFINITY;
      for (const { who, after } of each) {
        at += after;
        arrivals.note(who, at);
        if (who !== asks) otherAt = at;
      }
      expect(arrivals.isAlone(asks, at + later)).toBe(at + later - otherAt > 250);
    }),
  );
});
