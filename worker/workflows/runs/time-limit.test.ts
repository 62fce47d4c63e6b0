/** Time limits of what runs do. */
import { expect, test } from 'vitest';
import { withinTime } from './time-limit.ts';

/** Timers that the runtime lets an object have at a time. */
const TIMERS_MAX = 10_000;

test('work that ends in time leaves no timer behind', async () => {
  let done = 0;
  for (let each = 0; each <= TIMERS_MAX; each += 1) {
    done += await withinTime(3_600_000, () => Promise.resolve(1));
  }
  expect(done).toBe(TIMERS_MAX + 1);
});

test('work that takes too long is told so', async () => {
  const told = await withinTime(10, async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return signal.aborted;
  });
  expect(told).toBe(true);
});
