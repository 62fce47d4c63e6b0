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
  expect(failedTimes(2).state(0)).toBe('closed');
  expect(failedTimes(3).state(0)).toBe('open');
  const interrupted = failedTimes(2);
  interrupted.succeeded();
  interrupted.failed(0);
  expect(interrupted.state(0)).toBe('closed');
});

test('lets one call through after a second, and others once that did well', () => {
  const breaker = failedTimes(3);
  expect(breaker.state(999)).toBe('open');
  expect(breaker.state(1_000)).toBe('half-open');
  expect(breaker.state(1_000)).toBe('open');
  breaker.succeeded();
  expect(breaker.state(1_001)).toBe('closed');
  expect(breaker.state(1_001)).toBe('closed');
});

test('stays open for twice as long after a probe that failed, at most 30 s', () => {
  const breaker = failedTimes(3);
  let now = 0;
  for (const openMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    expect(breaker.state(now + openMs - 1)).toBe('open');
    now += openMs;
    expect(breaker.state(now)).toBe('half-open');
    breaker.failed(now);
  }
});

test('gives the turn of a probe that never ended to another', () => {
  const breaker = failedTimes(3);
  expect(breaker.state(1_000)).toBe('half-open');
  expect(breaker.state(5_999)).toBe('open');
  expect(breaker.state(6_000)).toBe('half-open');
});
