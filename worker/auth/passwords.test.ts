/** Password hashes, and who may wait for one. */
import { describe, expect, test } from 'vitest';
import { countedCheck, hashOf } from '../test/accounts.ts';
import { hashPassword, isOutdated, isPassword, NewPassword } from './passwords.ts';

/** scrypt of "password" with the salt "NaCl" and 2^10, 8, 16: RFC 7914 §12, cut to 32 bytes. */
const RFC_7914 = '$scrypt$ln=10,r=8,p=16$TmFDbA$_bq-HJ00cgB4VucZDQHp_nxq18vII3gw53N2Y0s3MWI';

async function matches(password: string, stored: string | null | undefined): Promise<boolean> {
  const { ctx, check } = await countedCheck();
  return isPassword(ctx, check, password, stored);
}

test('a check that was counted is good for one hash', async () => {
  const { ctx, check } = await countedCheck();
  expect(await isPassword(ctx, check, 'password', null)).toBe(false);
  await expect(hashPassword(ctx, check, 'password')).rejects.toThrow('was spent before');
});

describe('a stored password', () => {
  test('is scrypt with N=2^15, r=8, p=1 and a salt of 16 bytes', async () => {
    const stored = await hashOf('correct horse');
    expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/);
    expect(isOutdated(stored)).toBe(false);
    expect(await hashOf('correct horse')).not.toBe(stored);
  });

  test('is recognized, whichever way its letters are composed, and no other is', async () => {
    const stored = await hashOf('pässwörd: 密码 🔑'.normalize('NFC'));
    expect(await matches('pässwörd: 密码 🔑'.normalize('NFD'), stored)).toBe(true);
    expect(await matches('passwörd: 密码 🔑', stored)).toBe(false);
  });

  test('of other parameters is recognized by those, and outdated', async () => {
    expect(await matches('password', RFC_7914)).toBe(true);
    expect(await matches('Password', RFC_7914)).toBe(false);
    expect(isOutdated(RFC_7914)).toBe(true);
  });

  test.each([null, undefined, '', 'password', '$scrypt$ln=15,r=8,p=1$$', '$argon2id$v=19$x$y'])(
    'of %j is none',
    async (stored) => expect(await matches('password', stored)).toBe(false),
  );
});

describe('a new password', () => {
  const accepted = (password: string) => NewPassword.safeParse(password).success;

  test.each([
    { what: '8 characters', password: 'a'.repeat(8), expected: true },
    { what: '7 characters', password: 'a'.repeat(7), expected: false },
    { what: '7 characters of two code units', password: '🔑'.repeat(7), expected: false },
    { what: '8 characters of two code units', password: '🔑'.repeat(8), expected: true },
    { what: '1,024 bytes', password: 'ä'.repeat(512), expected: true },
    { what: '1,025 bytes', password: `${'ä'.repeat(512)}a`, expected: false },
    { what: 'half a character', password: `${'a'.repeat(8)}\ud800`, expected: false },
    {
      what: 'control characters, quotes and colons',
      password: '\u0000\t\n\'":;\\',
      expected: true,
    },
    { what: 'nothing', password: '', expected: false },
  ])('of $what: $expected', ({ password, expected }) => expect(accepted(password)).toBe(expected));
});
