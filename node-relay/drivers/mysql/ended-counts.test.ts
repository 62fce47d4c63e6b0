/** What the counts of a session tell of a program that has run in between. */
import { expect, test } from 'vitest';
import { type Counts, mayHaveEndedXa, mayHaveKept } from './ended-counts.ts';

const counts = (given: Readonly<Record<string, number>>): Counts => new Map(Object.entries(given));
const BEFORE = counts({ Com_begin: 2, Com_commit: 1, Com_flush: 1, Com_select: 4 });

test.each([
  ['reads alone', { ...Object.fromEntries(BEFORE), Com_select: 5 }, false],
  ['a commit', { ...Object.fromEntries(BEFORE), Com_commit: 2 }, true],
  ['counts that began anew', { Com_begin: 1, Com_commit: 1, Com_flush: 1, Com_select: 1 }, true],
])('after %s something may be kept: %j', (_, after, isKept) => {
  expect(mayHaveKept(BEFORE, counts(after), 0)).toBe(isKept);
});

test('what is not known may be kept, and may have ended an XA transaction', () => {
  const [kept, ended] = [mayHaveKept(BEFORE, undefined, 0), mayHaveEndedXa(BEFORE, counts({}))];
  expect([kept, ended]).toEqual([true, true]);
});
