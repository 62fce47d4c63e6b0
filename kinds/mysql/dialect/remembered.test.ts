/** What is remembered of statements is bounded by what it weighs. */
import { expect, test } from 'vitest';
import { parseText, REMEMBERED_MAX_CHARACTERS } from './statement.ts';

test('a statement is taken apart once while there is room', () => {
  expect(parseText('select 1', false)).toBe(parseText('select 1', false));
});

test('a few statements of nothing but tokens leave no room for others', () => {
  const before = parseText('select 2', false);
  for (let at = 0; at < 30; at += 1) {
    const dense = `select ${at},${'1,'.repeat(REMEMBERED_MAX_CHARACTERS / 2 - 20)}1`;
    expect(parseText(dense, false)).toBe(parseText(dense, false));
  }
  expect(parseText('select 2', false)).not.toBe(before);
});
