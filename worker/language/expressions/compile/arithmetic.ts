/** Operators on numbers, each in a closure of its own: what most sources do most. */
import type { Budget } from '../budget.ts';
import type { Value } from '../value.ts';
import type { Code } from './code.ts';

/** The operator on whatever else it is given. */
export type Slow = (one: Value, other: Value, budget: Budget) => Value;

/** Whether the host compares it as the language does: of texts comparing is charged, objects may be numbers kept as text. */
const isPlain = (value: Value) => typeof value !== 'object' && typeof value !== 'string';

type Fast = (left: Code, right: Code, slow: Slow) => Code;

/** By operator. */
export const FAST: ReadonlyMap<string, Fast> = new Map<string, Fast>([
  [
    '+',
    (left, right, slow) => (frame, budget) => {
      const one = left(frame, budget);
      const other = right(frame, budget);
      if (typeof one === 'number' && typeof other === 'number') return one + other;
      return slow(one, other, budget);
    },
  ],
  [
    '-',
    (left, right, slow) => (frame, budget) => {
      const one = left(frame, budget);
      const other = right(frame, budget);
      if (typeof one === 'number' && typeof other === 'number') return one - other;
      return slow(one, other, budget);
    },
  ],
  [
    '*',
    (left, right, slow) => (frame, budget) => {
      const one = left(frame, budget);
      const other = right(frame, budget);
      if (typeof one === 'number' && typeof other === 'number') return one * other;
      return slow(one, other, budget);
    },
  ],
  [
    '/',
    (left, right, slow) => (frame, budget) => {
      const one = left(frame, budget);
      const other = right(frame, budget);
      if (typeof one === 'number' && typeof other === 'number') return one / other;
      return slow(one, other, budget);
    },
  ],
  [
    '%',
    (left, right, slow) => (frame, budget) => {
      const one = left(frame, budget);
      const other = right(frame, budget);
      if (typeof one === 'number' && typeof other === 'number') return one % other;
      return slow(one, other, budget);
    },
  ],
  [
    '<',
    (left, right, slow) => (frame, budget) => {
      const one = left(frame, budget);
      const other = right(frame, budget);
      if (typeof one === 'number' && typeof other === 'number') return one < other;
      return slow(one, other, budget);
    },
  ],
  [
    '>',
    (left, right, slow) => (frame, budget) => {
      const one = left(frame, budget);
      const other = right(frame, budget);
      if (typeof one === 'number' && typeof other === 'number') return one > other;
      return slow(one, other, budget);
    },
  ],
  [
    '<=',
    (left, right, slow) => (frame, budget) => {
      const one = left(frame, budget);
      const other = right(frame, budget);
      if (typeof one === 'number' && typeof other === 'number') return one <= other;
      return slow(one, other, budget);
    },
  ],
  [
    '>=',
    (left, right, slow) => (frame, budget) => {
      const one = left(frame, budget);
      const other = right(frame, budget);
      if (typeof one === 'number' && typeof other === 'number') return one >= other;
      return slow(one, other, budget);
    },
  ],
  [
    '===',
    (left, right, slow) => (frame, budget) => {
      const one = left(frame, budget);
      const other = right(frame, budget);
      if (isPlain(one) && isPlain(other)) return one === other;
      return slow(one, other, budget);
    },
  ],
  [
    '!==',
    (left, right, slow) => (frame, budget) => {
      const one = left(frame, budget);
      const other = right(frame, budget);
      if (isPlain(one) && isPlain(other)) return one !== other;
      return slow(one, other, budget);
    },
  ],
]);
