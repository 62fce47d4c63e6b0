/** Bytes are written and read alike in the edge runtime and in Node. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { base64Of, bytesOfBase64, bytesOfHex, hexOf } from './bytes.ts';

test('all bytes come back from both forms', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect([...bytesOfHex(hexOf(bytes))]).toEqual([...bytes]);
      expect([...bytesOfBase64(base64Of(bytes))]).toEqual([...bytes]);
      expect([...bytesOfBase64(base64Of(bytes).replace(/=+$/, ''))]).toEqual([...bytes]);
    }),
  );
});

test('a view of a part is that part alone', () => {
  const part = Uint8Array.from([0, 1, 250, 255, 9]).subarray(1, 4);
  expect([hexOf(part), base64Of(part)]).toEqual(['01faff', 'Afr/']);
});

test('both alphabets and both cases are read', () => {
  expect([...bytesOfBase64('-_-_')]).toEqual([...bytesOfBase64('+/+/')]);
  expect([...bytesOfHex('FFaB')]).toEqual([255, 171]);
});
