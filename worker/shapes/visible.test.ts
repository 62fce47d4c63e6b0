/** Names that look like what they are: every code point of Unicode. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KnownUsername, Username } from '../auth/username.ts';
import { SubjectName } from '../grants/subjects.ts';
import { ChosenId } from './ids.ts';
import { revealed, visible } from './visible.ts';

const LAST = 0x10ffff;
/** The categories by which the promise is made, one by one. */
const CATEGORIES = [
  ...['Cc', 'Cf', 'Cs', 'Co', 'Cn', 'Zl', 'Zp', 'Zs', 'Default_Ignorable_Code_Point'],
].map((name) => new RegExp(`^\\p{${name}}$`, 'u'));
/** Drawn as nothing, though it counts as a symbol. */
const BLANK = '\u2800';

const CODES = Array.from({ length: LAST + 1 }, (_, code) => code);
const isHidden = (one: string) =>
  one !== ' ' && (one === BLANK || CATEGORIES.some((category) => category.test(one)));

test('just the hidden characters are written out, and found again', () => {
  const wrong = CODES.filter((code) => {
    const name = `a${String.fromCodePoint(code)}b`;
    const shown = visible(name);
    return isHidden(String.fromCodePoint(code))
      ? shown !== `a\\u{${code.toString(16)}}b` || revealed(shown) !== name
      : shown !== name;
  });
  expect(wrong).toEqual([]);
});

test('no new name has a hidden character, and all others are taken', () => {
  // All of the first planes and of the tags; of the rest, which is unassigned or private, some.
  const some = CODES.filter(
    (code) => code < 0x3100 || code % 61 === 0 || (code >= 0xe0000 && code < 0xe0200),
  );
  const wrong = some.filter((code) => {
    const one = String.fromCodePoint(code);
    const taken = [
      Username.safeParse(`a${one}b`).success,
      SubjectName.safeParse(`group:a${one}b`).success,
    ];
    const promised = isHidden(one) ? [false, false] : [one !== ':', true];
    const isId = isHidden(one) && ChosenId.safeParse(`a${one}`).success;
    return isId || taken.join() !== promised.join();
  });
  expect(wrong).toEqual([]);
});

test.each(['\u202e', '\u200b', '\u2028', '\ufeff', '\u00ad', '\ufe0f', '\u{e0041}', '\u3164'])(
  '%j in a name from before is written out, and still names its account where mail is asked for',
  (one) => {
    expect(Username.safeParse(`ada${one}`).success).toBe(false);
    expect(KnownUsername.safeParse(`ada${one}`).success).toBe(true);
    expect(visible(`ada${one}`)).toMatch(/^ada\\u\{[0-9a-f]+\}$/);
  },
);

test.each(['ada\\u{202e}', ' ada', 'ada ', 'ada  lovelace', ' ', 'ada\u00a0lovelace'])(
  'no new name looks like another: %j',
  (name) => {
    expect(Username.safeParse(name).success).toBe(false);
    expect(Username.safeParse('ada lovelace').success).toBe(true);
  },
);

test('what is written out is found again, and writing it out twice is writing it out once', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, (each) => {
      expect(visible(visible(each))).toBe(visible(each));
      if (!each.includes('\\u{')) expect(revealed(visible(each))).toBe(each);
    }),
  );
});
