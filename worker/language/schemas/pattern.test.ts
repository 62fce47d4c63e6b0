/** Promises of pattern.ts: what can be run finds what ECMAScript's own engine finds. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pattern } from './pattern.ts';
import { ValidationBudget } from './validation-budget.ts';

/** Texts that tell classes, escapes and ends apart. */
const TEXTS = [
  ...['', 'a', 'b', 'ab', 'ba', 'aab', 'foo', 'foobar', '1', '42', 'A', 'é', 'ß', 'π', 'ſ', '٣'],
  ...['😀', '🐲', '\ud83d', '\u00a0', '\u2028', '\u2029', '\ufeff', '\u180e', '\u0085', '\u3000'],
  ...['\n', '\r', '\t', '\v', '\f', '\b', '\0', '\u0003', ' ', '_', '-', '[', ']', '\\', '{', '}'],
  ...['a{,5}', 'x{a}', 'a-b', 'user.name@example.com', '2024-02-29', 'a\nb', 'a.b', '(', '/', '^$'],
];

function finds(source: string, text: string): boolean {
  const pattern = Pattern.compile(source);
  if (typeof pattern === 'string') throw new Error(`${source} ${pattern}`);
  return pattern.test(text, new ValidationBudget());
}

describe('finds what the own engine finds', () => {
  test.each([
    ...['^a*$', 'a.b', '^.$', '^[^]$', '^[]$', '^(?:a|b)+$', '^a{2,3}', 'a|', '(?:)', '^\\/$'],
    ...['^\\d+$', '^\\D$', '^\\w$', '^\\W$', '^\\s$', '^\\S$', '^[\\s]$', '^[^\\s]$', '^[\\S]$'],
    ...['^[\\d_]$', '^[^\\w]$', '\\bfoo\\b', 'foo\\B', '^[\\b]$', '^\\t$', '^[\\n\\r\\v\\f]$'],
    ...['^\\cC$', '^\\cc$', '^\\0$', '^\\x41$', '^\\u0041$', '^\\u{1F600}$', '^\\ud83d\\ude00$'],
    ...['^[\\ud83d\\ude00]$', '^🐲*$', '^[😀-🙏]$', '^\\p{Letter}+$', '^\\p{L}$', '^\\P{Lu}$'],
    ...['^\\p{Script=Greek}$', '^\\p{sc=Greek}$', '^\\p{gc=Nd}$', '^\\p{digit}+$', '^\\p{Emoji}$'],
    ...['^[\\p{Lu}\\p{Nd}]$', '^[^\\p{L}]$', '^\\p{ASCII}$', '^\\P{ASCII}$', '^[\\P{ASCII}]$'],
    ...['^\\p{Any}$', '^\\p{Alphabetic}$', '^\\p{Cased_Letter}$', '^\\p{Unassigned}$', '(?<=a)b'],
    ...[
      '(?<!a)b',
      '(?<year>\\d{4})-\\d',
      '^[\\]\\\\^-]$',
      '^[a\\-z]$',
      '^[-a]$',
      '^[a-]$',
      '^\\.$',
    ],
    ...['^[.]$', '^[*+?(){}|$^]$', '^\\^\\$$', '^\\{\\}$', '[A-Za-z]{2,}', 'a+?b', '^(a(b)?)+$'],
    ...['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', '^\\d{4}-\\d{2}-\\d{2}$', '^[\\u0061-\\u007a]$'],
  ])('of %s', (source) => {
    const own = new RegExp(source, 'u');
    for (const text of TEXTS) expect([text, finds(source, text)]).toEqual([text, own.test(text)]);
  });

  test.each([
    '^[\\w-.]+@[\\w-]+\\.\\w+$',
    '^a{,5}$',
    '^x{a}$',
    '^\\-$',
    '^{$',
    '^\\_$',
    '^[\\d-z]$',
    '^]$',
  ])('of %s, which only the older grammar allows', (source) => {
    const own = new RegExp(source);
    for (const text of TEXTS) expect([text, finds(source, text)]).toEqual([text, own.test(text)]);
  });

  test('of any expression made of parts', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '\\s',
      '\\W',
      '[ab]',
      '[^a-f]',
      '\\x61',
      'é',
      '🐲',
    );
    const part = fc
      .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,1}', '*?'))
      .map((both) => both.join(''));
    const expression = fc
      .array(fc.oneof(part, part, fc.constantFrom('^', '$', '|', '\\b')), { maxLength: 6 })
      .map((parts) => parts.join(''));
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'g', '1', ' ', '\n', 'é', '🐲', '-'),
    });
    void fc.assert(
      fc.property(expression, text, (source, given) => {
        expect(finds(source, given)).toBe(new RegExp(source, 'u').test(given));
      }),
      { numRuns: 500 },
    );
  });
});

describe('says what cannot be run', () => {
  test.each([
    ['(', 'is not a regular expression'],
    ['a**', 'is not a regular expression'],
    ['[z-a]', 'is not a regular expression'],
    ['a(?=b)', /^looks ahead/],
    ['^(?!b)', /^looks ahead/],
    ['(a)\\1', /^refers back/],
    ['(?<n>a)\\k<n>', /^refers back/],
    ['\\p{Script_Extensions=Greek}', /^uses the property Script_Extensions/],
    ['a{1001}', /^uses what cannot be matched in linear time, or repeats more than 1000 times/],
    ['(a{20}){20}', /^is too large/],
  ])('%s', (source, why) => {
    const told = Pattern.compile(source);
    expect(told).toEqual(typeof why === 'string' ? why : expect.stringMatching(why));
  });
});
