/** Random programs of the language, as text, for comparing it with the JavaScript engine. */
import fc from 'fast-check';
import { sourceOf } from './quick.ts';

/** What programs may name: two of each type, and what is often missing. */
export const INPUT = {
  n: 3,
  m: -2.5,
  s: 'Hello, World',
  t: ' äb-c ab ',
  xs: [3, 1, 2, 10, 1],
  ys: ['b', '', 'a', 'B'],
  os: [
    { k: 'x', v: 1, w: { y: [1, 2] } },
    { k: 'y', v: 2 },
    { k: 'x', v: null },
  ],
  o: { a: 1, b: 'two', c: [1, [2, [3]]], d: { e: null } },
  u: undefined,
  z: null,
  p: true,
};

/** Kinds within each other; a program that fails is made smaller by taking less. */
const DEPTH = 4;

function ofKind(kind: string): fc.Arbitrary<string> {
  const seed = fc.noShrink(fc.integer());
  return fc
    .tuple(seed, fc.integer({ min: 0, max: DEPTH }))
    .map(([each, depth]) => sourceOf(kind, depth, each));
}

/** Expressions. */
export const any = ofKind('any');
/** Statements that are the body of a function. */
export const body = ofKind('body');
