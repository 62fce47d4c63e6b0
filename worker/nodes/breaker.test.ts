/** When a breaker opens, lets one through, and closes. */
import { expect, test } from 'vitest';
import { Breaker } from './breaker.ts';

/** A breaker that so many calls failed on at time 0. */
function failedTimes(times: number): Breaker {
  const breaker = new Breaker();
  for (let time = 0; time < times; time += 1) breaker.failed(0);
  return breaker;
}

test('opens after three failures one after another', () => {
  expect(failedTimes(2).isOpen(0)).toBe(false);
  expect(failedTimes(3).isOpen(0)).toBe(true);
  const interrupted = failedTimes(2);
  interrupted.succeeded();
  interrupted.failed(0);
  expect(interrupted.isOpen(0)).toBe(false);
});

test('lets one call through after a second, and others once that did well', () => {
  const breaker = failedTimes(3);
  expect(breaker.isOpen(999)).toBe(true);
  expect(breaker.isOpen(1_000)).toBe(false);
  expect(breaker.isOpen(1_000)).toBe(true);
  breaker.succeeded();
  expect(breaker.isOpen(1_001)).toBe(false);
  expect(breaker.isOpen(1_001)).toBe(false);
});

test('stays open for twice as long after a probe that failed, at most 30 s', () => {
  const breaker = failedTimes(3);
  let now = 0;
  for (const openMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    expect(breaker.isOpen(now + openMs - 1)).toBe(true);
    now += openMs;
    expect(breaker.isOpen(now)).toBe(false);
    breaker.failed(now);
  }
});

test('gives the turn of a probe that never ended to another', () => {
  const breaker = failedTimes(3);
  expect(breaker.isOpen(1_000)).toBe(false);
  expect(breaker.isOpen(5_999)).toBe(true);
  expect(breaker.isOpen(6_000)).toBe(false);
});
