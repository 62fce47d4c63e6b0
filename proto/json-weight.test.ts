/** What a JSON text weighs: no more than its compact form. */
import { expect, test } from 'vitest';
import { isHeavierThan } from './json-weight.ts';
import { whole } from './work/pieces.ts';

const encoder = new TextEncoder();

/** The least bound that a text is not heavier than. */
function weight(text: string): number {
  const bytes = encoder.encode(text);
  let most = 0;
  while (whole(isHeavierThan(bytes, most))) most += 1;
  return most;
}

test.each([
  ['compact text', '{"a":[1,true,"b c"]}', 20],
  ['white space between values', '{ "a" :\n\t[ 1,\r true, "b c" ] }  ', 20],
  ['a short escape', String.raw`"\n\"\\"`, 5],
  ['a long escape', String.raw`"\u000a\u00e9"`, 4],
  ['an escaped quote, and white space behind it', String.raw`"\" "`, 4],
  ['characters of several bytes', '"é"', 4],
])('of %s', (_what, text, expected) => {
  expect(weight(text)).toBe(expected);
});

test('gives way at white space as well, and counts none of it', () => {
  const bytes = encoder.encode(`[${' '.repeat(2 * 1024 * 1024)}1]`);
  const pieces = isHeavierThan(bytes, 3);
  let count = 1;
  let piece = pieces.next();
  for (; !piece.done; piece = pieces.next()) count += 1;
  expect([piece.value, count > 4]).toEqual([false, true]);
});
