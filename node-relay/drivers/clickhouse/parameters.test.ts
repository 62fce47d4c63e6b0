/** Promises of parameters.ts that need no server. */
import { expect, test } from 'vitest';
import { parametersOf } from './parameters.ts';
import { oneStatement } from './statement.ts';

test('a long text that is nearly a number is read once', () => {
  const { placeholders } = oneStatement('SELECT {a:Int64}');
  // Read anew at each of its zeros, it takes minutes.
  const text = `${'0'.repeat(700_000)}x`;
  expect(JSON.stringify(parametersOf(placeholders, { a: text })).includes('0x')).toBe(true);
});
