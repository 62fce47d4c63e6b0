/** Ids that clients choose. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChosenId, idFromName, isUuid } from './ids.ts';

describe('ChosenId', () => {
  test.each(['a', '0', 'Acme', 'a.b_c-d', 'a'.repeat(128), '123e4567e89b12d3a456426614174000'])(
    'takes %s',
    (id) => expect(ChosenId.parse(id)).toBe(id),
  );

  test.each([
    '',
    '.a',
    '-a',
    '_a',
    'a b',
    'a/b',
    'ä',
    'a\n',
    'a'.repeat(129),
    '123e4567-e89b-12d3-a456-426614174000',
    '123E4567-E89B-12D3-A456-426614174000',
  ])('refuses %j', (id) => expect(ChosenId.safeParse(id).success).toBe(false));
});

describe('isUuid', () => {
  test.each([
    ['00000000-0000-0000-0000-000000000000', true],
    ['ffffffff-ffff-ffff-ffff-FFFFFFFFFFFF', true],
    ['{00000000-0000-0000-0000-000000000000}', false],
    ['00000000-0000-0000-0000-00000000000', false],
    ['g0000000-0000-0000-0000-000000000000', false],
    ['00000000-0000-0000-0000-000000000000\n', false],
  ])('%j: %s', (text, expected) => expect(isUuid(text)).toBe(expected));
});

describe('idFromName', () => {
  test.each([
    ['Acme Corp', 'acme-corp'],
    ['  Ünïcode  & Søns ', 'unicode-s-ns'],
    ['v1.2_beta', 'v1.2_beta'],
    ['--Leading', 'leading'],
    ['a'.repeat(200), 'a'.repeat(128)],
    ['株式会社', ''],
  ])('%j becomes %j', (name, id) => expect(idFromName(name)).toBe(id));

  test('gives an id or nothing, and leaves an id it gave as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (name) => {
        const id = idFromName(name);
        expect(id === '' || ChosenId.safeParse(id).success || isUuid(id)).toBe(true);
        expect(idFromName(id)).toBe(id);
      }),
    );
  });
});
