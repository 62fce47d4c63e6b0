/** Usernames. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Username, usernameKey } from './username.ts';

describe('Username', () => {
  test.each(['a', 'Ada Lovelace', 'ada@example.com', "o'hara", '"', '株式会社', '🔑'.repeat(255)])(
    'takes %s as it is written',
    (name) => expect(Username.parse(name)).toBe(name),
  );

  test.each([
    '',
    'a:b',
    'group:admins',
    'a\u0000b',
    'a\n',
    'a\u007f',
    'a\u0085',
    'a'.repeat(256),
    '123e4567-e89b-12d3-a456-426614174000',
  ])('refuses %j', (name) => expect(Username.safeParse(name).success).toBe(false));
});

test('Username refuses half a character', () => {
  expect(Username.safeParse('a\ud800').success).toBe(false);
});

describe('usernameKey', () => {
  test.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['A\u030aNGSTRO\u0308M', 'ångström'],
    ['\u212A', 'k'],
    ['J\u030c', '\u01f0'],
  ])('%j is compared as %j', (name, key) => expect(usernameKey(name)).toBe(key));

  test('is the same for what it made, and for other compositions and letter cases', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const key = usernameKey(name);
        expect(usernameKey(key)).toBe(key);
        expect(usernameKey(name.normalize('NFD'))).toBe(key);
        expect(usernameKey(name.normalize('NFC'))).toBe(key);
      }),
    );
  });
});
