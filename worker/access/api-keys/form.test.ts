/** How API keys are written: their alphabet, length and checksum. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crc32 } from './crc32.ts';
import { isWhole, newKey, writeKey } from './form.ts';

const encoder = new TextEncoder();
const FORM = /^cwk_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/;

test.each([
  ['', 0],
  ['a', 0xe8b7be43],
  ['123456789', 0xcbf43926],
  ['The quick brown fox jumps over the lazy dog', 0x414fa339],
])('the checksum of %j is that of other programs', (text, checksum) => {
  expect(crc32(encoder.encode(text))).toBe(checksum);
});

test.each([
  [new Uint8Array(32), 'cwk_00000000000000000000000000000000000000000002CZclj'],
  [new Uint8Array(32).fill(255), 'cwk_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13sRzl1'],
  [
    Uint8Array.from({ length: 32 }, (_, at) => at),
    'cwk_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1Yo7hP',
  ],
])('32 bytes are written as another program writes them', (bytes, key) => {
  expect(writeKey(bytes)).toBe(key);
});

describe('whatever the bytes', () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

  test('a key has one form, its checksum is right, and no other bytes have it', () => {
    void fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        const key = writeKey(one);
        expect(key).toMatch(FORM);
        expect(isWhole(key)).toBe(true);
        expect(writeKey(other) === key).toBe(one.every((byte, at) => byte === other[at]));
      }),
    );
  });

  test('a character that is changed, left out or added is found by the checksum', () => {
    const at = fc.nat({ max: 52 });
    const other = fc.constantFrom(
      ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    );
    void fc.assert(
      fc.property(bytes, at, other, (given, place, character) => {
        const key = writeKey(given);
        fc.pre(key[place] !== character);
        expect(isWhole(key.slice(0, place) + character + key.slice(place + 1))).toBe(false);
        expect(isWhole(key.slice(0, place) + key.slice(place + 1))).toBe(false);
        expect(isWhole(`${key}${character}`)).toBe(false);
      }),
    );
  });
});

test('two new keys are two', () => {
  expect(newKey()).not.toBe(newKey());
});
