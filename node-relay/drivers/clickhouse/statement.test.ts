/** What is remembered of statements is bounded by what it weighs. */
import { expect, test } from 'vitest';
import { oneStatement, REMEMBERED_MAX_CHARACTERS } from './statement.ts';

test('a statement is read once while there is room', () => {
  expect(oneStatement('select 1')).toBe(oneStatement('select 1'));
});

test('a few statements of nothing but calls leave no room for others', () => {
  const before = oneStatement('select 2');
  for (let at = 0; at < 10; at += 1) {
    const dense = `select ${at},${'f(),'.repeat(REMEMBERED_MAX_CHARACTERS / 4 - 20)}1`;
    expect(oneStatement(dense)).toBe(oneStatement(dense));
  }
  expect(oneStatement('select 2')).not.toBe(before);
});
