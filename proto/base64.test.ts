/** Which texts are base64, of any length. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBase64, isPaddedBase64 } from './base64.ts';

test.each<[text: string, whole: boolean, padded: boolean]>([
  ['', true, true],
  ['AA==', true, true],
  ['AAA=', true, true],
  ['AAAA', true, true],
  ['+/+/AA', true, false],
  ['AAA', true, false],
  ['A', false, false],
  ['AAAAA', false, false],
  ['AA=', false, false],
  ['A===', false, false],
  ['====', false, false],
  ['AA==AA==', false, false],
  ['AA-_', false, false],
  ['AAAA\n', false, false],
  [' AAAA', false, false],
])('%j is such: %j; with its padding: %j', (text, whole, padded) => {
  expect([isBase64(text), isPaddedBase64(text)]).toEqual([whole, padded]);
});

test('any bytes are', () => {
  void fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = btoa(String.fromCharCode(...bytes));
      expect([isBase64(text), isPaddedBase64(text), isBase64(text.replace(/=+$/, ''))]).toEqual([
        true,
        true,
        true,
      ]);
    }),
  );
});

test('as many as a body may have are, too', () => {
  const text = 'AAAA'.repeat(4_000_000);
  expect([isBase64(text), isPaddedBase64(`${text}AA==`), isBase64(`${text}!`)]).toEqual([
    true,
    true,
    false,
  ]);
});
