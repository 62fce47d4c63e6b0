/** What the proof takes for growth beyond the length: by work of known size. */
import { expect, test } from 'vitest';
import { growthOf } from './measure.ts';

const MOST = 1_048_576;
/** Steps for each character of an input; of some hundred thousand characters it takes some milliseconds. */
const STEPS = 20;

function busy(steps: number): number {
  let mixed = 1;
  for (let left = steps; left > 0; left -= 1) mixed = Math.imul(mixed, 0x6d2b79f5) ^ left;
  return mixed;
}

/** @param stepsOf how many steps an input of a size takes */
const growth = (stepsOf: (size: number) => number) =>
  growthOf((size) => () => void busy(stepsOf(size)), MOST);

test('what grows with its length passes', () => {
  expect(growth((size) => size * STEPS)).toBeUndefined();
});

test('the square of the length does not', () => {
  expect(growth((size) => size ** 2)).toBeDefined();
});

test('nor does it where it is refused from some length on', () => {
  expect(growth((size) => (size > 65_536 ? 1 : size ** 2))).toBeDefined();
});
