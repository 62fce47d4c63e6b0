/** Large results: kept once, for a while, within bounds. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KEPT_MAX_MS, KEPT_OVER_BYTES, Results } from './results.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const large = new Uint8Array(KEPT_OVER_BYTES + 1).fill(7);
const GONE = 'The result is gone: it is kept for 30 seconds, once';

test('a result of 256 KiB is sent at once, a larger one is kept', () => {
  const results = new Results();
  expect(results.keep(large.subarray(1))).toBeUndefined();
  const id = results.keep(large);
  expect(results.bytes).toBe(large.byteLength);
  const pieces = [...results.collect(id ?? '')];
  expect(pieces.map(({ byteLength }) => byteLength)).toEqual([65536, 65536, 65536, 65536, 1]);
  expect(Buffer.concat(pieces)).toEqual(Buffer.from(large));
  expect(results.bytes).toBe(0);
});

test('a result is collected once', () => {
  const results = new Results();
  const id = results.keep(large) ?? '';
  results.collect(id).next();
  expect(() => results.collect(id).next()).toThrow(GONE);
  expect(() => results.collect('').next()).toThrow(GONE);
});

test('a result is gone after 30 s, and its room is free again', () => {
  const results = new Results();
  const id = results.keep(large) ?? '';
  vi.advanceTimersByTime(KEPT_MAX_MS);
  expect(() => results.collect(id).next()).toThrow(GONE);
  expect(results.bytes).toBe(0);
});

test('a client that leaves in the middle frees the room', () => {
  const results = new Results();
  const pieces = results.collect(results.keep(large) ?? '');
  pieces.next();
  expect(results.bytes).toBe(large.byteLength);
  pieces.return(undefined);
  expect(results.bytes).toBe(0);
});

test('what has no room is sent at once', () => {
  const results = new Results(large.byteLength * 2);
  expect([results.keep(large), results.keep(large), results.keep(large)]).toEqual([
    expect.any(String),
    expect.any(String),
    undefined,
  ]);
});
