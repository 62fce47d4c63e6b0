/** Whose calls are in flight is told when it changes, and steady traffic changes nothing. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { InFlight } from './in-flight.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What is told, and who is busy by it. */
function heard() {
  const busy = new Set<string>();
  let told = 0;
  const inFlight = new InFlight({
    busy(key) {
      told += 1;
      busy.add(key);
    },
    idle(keys) {
      told += 1;
      for (const key of keys) busy.delete(key);
    },
  });
  return { inFlight, busy, told: () => told };
}

test('who has a call in flight is always told to be busy, and after a while nobody else', () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), waitMs: fc.nat(200) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { inFlight, busy } = heard();
      const open: string[] = [];
      for (const { key, waitMs } of steps) {
        const at = open.indexOf(key);
        if (at >= 0 && waitMs % 2 === 0) inFlight.leave(...(open.splice(at, 1) as [string]));
        else {
          inFlight.enter(key);
          open.push(key);
        }
        vi.advanceTimersByTime(waitMs);
        for (const one of open) expect(busy).toContain(one);
      }
      vi.advanceTimersByTime(1_000);
      expect(busy).toEqual(new Set(open));
    }),
  );
});

test('calls that overlap are told once', () => {
  const { inFlight, told } = heard();
  inFlight.enter('a');
  for (let call = 0; call < 10_000; call += 1) {
    inFlight.enter('a');
    vi.advanceTimersByTime(1);
    inFlight.leave('a');
  }
  expect(told()).toBe(1);
});
