/** What tunnels may send: as much as calls ask for, and little more. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameAllowance } from './frame-allowance.ts';

test('replies to calls are never too much, however many there are', () => {
  const reply = fc.record({
    frames: fc.integer({ min: 2, max: 6 }),
    taken: fc.integer({ min: 0, max: 4_096 }),
    other: fc.integer({ min: 60, max: 1_000 }),
  });
  fc.assert(
    fc.property(fc.array(reply, { minLength: 1, maxLength: 50 }), (replies) => {
      const allowance = new FrameAllowance();
      for (let at = 0; at < 20_000; at += 1) {
        allowance.asked('own', 0);
        const each = replies[at % replies.length];
        if (each) expect(allowance.take('own', each, 0)).toBe(true);
      }
    }),
    { numRuns: 20 },
  );
});

test('a long reply in whole parts is never too much', () => {
  const allowance = new FrameAllowance();
  const part = { frames: 2, taken: 64 * 1024, other: 20 };
  for (let at = 0; at < 100_000; at += 1) expect(allowance.take('own', part, 0)).toBe(true);
});

test('replies to thousands of calls in flight are not too much', () => {
  const allowance = new FrameAllowance();
  for (let at = 0; at < 5_000; at += 1) allowance.asked('own', 0);
  const reply = { frames: 4, taken: 100, other: 400 };
  for (let at = 0; at < 5_000; at += 1) expect(allowance.take('own', reply, 0)).toBe(true);
});

test.each([
  ['many frames', { frames: 10_000, taken: 0, other: 100_000 }, 3],
  ['many messages', { frames: 1, taken: 0, other: 10 }, 2_000],
  ['bytes of a call, one by one', { frames: 11_000, taken: 11_000, other: 110_000 }, 3],
])('%s that nobody asked for are too much, for their organization alone', (_, message, most) => {
  const allowance = new FrameAllowance();
  let taken = 0;
  while (allowance.take('own', message, 0)) taken += 1;
  expect(taken).toBeLessThan(most);
  expect(allowance.take('own', { frames: 1, taken: 0, other: 10 }, 0)).toBe(false);
  expect(allowance.take('other', message, 0)).toBe(true);
  expect([allowance.isClosed('own', 9_999), allowance.isClosed('other', 0)]).toEqual([true, false]);
  expect(allowance.isClosed('own', 10_000)).toBe(false);
  expect(allowance.take('own', { frames: 100, taken: 0, other: 1_000 }, 1_000)).toBe(true);
});
