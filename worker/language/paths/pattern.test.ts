/** Promises of regular expressions in filters: RFC 9485's grammar, and linear time. */
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { Budget } from './budget.ts';
import { Patterns } from './pattern.ts';
import { EXHAUSTED } from './test/search.ts';

const plenty = () => new Budget(10_000_000, () => EXHAUSTED);
const matches = (pattern: string, text: string) =>
  new Patterns().get(pattern, 'whole', plenty())(text, plenty());
const isIn = (pattern: string, text: string) =>
  new Patterns().get(pattern, 'part', plenty())(text, plenty());

describe('matches the whole text', () => {
  test.each([
    ['a|bc', 'bc'],
    ['(a|b)*c', 'ababc'],
    ['[a-c\\-x-]{2,3}', 'b-x'],
    ['[^-a]', 'b'],
    ['\\p{Lu}\\P{Lu}[\\p{Nd}\\p{Zs}]', 'Äb٣'],
    ['a{2}b{0,1}c{1,}', 'aacc'],
    ['\\(\\)\\*\\+\\-\\.\\?\\[\\\\\\]\\^\\{\\|\\}\\n\\r\\t', '()*+-.?[\\]^{|}\n\r\t'],
    ['', ''],
    ['a||b', ''],
    ['.', '\u{1F600}'],
    ['^a$', 'a'],
    ['a_~-,/', 'a_~-,/'],
  ])('%s', (pattern, text) => {
    expect([matches(pattern, text), matches(pattern, `${text}x\n`)]).toEqual([true, false]);
    expect(isIn(pattern, text)).toBe(true);
  });
});

describe('matches nothing, being no I-Regexp', () => {
  test.each([
    '(',
    ')',
    'a)(b',
    '*a',
    '|*',
    'a**',
    'a*?',
    'a{,2}',
    'a{x}',
    '(?i)a',
    '(?:a)',
    '\\d',
    '\\w',
    '\\bx',
    '\\u0061',
    '\\p{Greek}',
    '\\pL',
    '[a',
    '[]',
    '[^]',
    '[[:alpha:]]',
    '[z-a]',
    '[\\d]',
    'a]',
    '}',
  ])('%s', (pattern) => {
    expect([matches(pattern, 'a'), isIn(pattern, 'a'), isIn(pattern, '')]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

test('half a character matches nothing either', () => {
  expect(isIn('\ud800', '\ud800')).toBe(false);
});

describe('takes linear time', () => {
  test.each([
    ['(a*)*b', 'a'.repeat(50_000)],
    ['(a|a)*b', 'a'.repeat(50_000)],
    ['(a|aa)+b', 'a'.repeat(50_000)],
    ['(.*)(.*)(.*)(.*)(.*)b', 'a'.repeat(50_000)],
    ['(a?){100}a{100}', 'a'.repeat(100)],
    ['(([ab]*a)[ab]{20})*c', 'ab'.repeat(10_000)],
  ])('%s', (pattern, text) => {
    const started = Date.now();
    expect([matches(pattern, text), isIn(pattern, text)]).toEqual([
      pattern === '(a?){100}a{100}',
      pattern === '(a?){100}a{100}',
    ]);
    expect(Date.now() - started).toBeLessThan(15_000);
  });
});

describe('is bounded', () => {
  test.each([
    ['in length', 'a'.repeat(1_001)],
    ['in repetitions', 'a{1001}'],
    ['in repetitions of repetitions', '((a{10}){11}){12}'],
    ['in repetitions of nothing', '(((){100}){100}){100}'],
    ['in categories', '\\p{L}'.repeat(60)],
    ['in digits of a repetition', `a{${'9'.repeat(400)}}`],
  ])('%s', (_, pattern) => {
    expect(() => matches(pattern, 'a')).toThrow(
      new GatewayError(
        'BAD_REQUEST',
        'A regular expression in a path has more than 1000 characters and 1000 repetitions',
      ),
    );
  });

  test('by the budget, for each pattern and each character', () => {
    const few = () => new Budget(5_000, () => EXHAUSTED);
    expect(() => new Patterns().get('a{500}', 'whole', few())).toThrow(EXHAUSTED);
    const pattern = new Patterns().get('a*', 'whole', few());
    expect(() => pattern('a'.repeat(5_001), few())).toThrow(EXHAUSTED);
  });
});
