/** Arguments for built-ins: texts, numbers, arrays and objects of any size, and functions. */
import { type Json, parseJson } from '../../../proto/json.ts';
import type { Choices } from '../random.ts';

/** Each made of a size in characters or elements. */
const TEXTS: Readonly<Record<string, (size: number) => string>> = {
  letters: (size) => 'a'.repeat(size),
  words: (size) => 'ab, cd; '.repeat(size / 8 + 1),
  digits: (size) => '7'.repeat(size),
  zeros: (size) => `0.${'0'.repeat(size)}1`,
  'a long fraction': (size) => `1.${'123456789'.repeat(size / 9 + 1)}e-5`,
  spaces: (size) => `${' '.repeat(size)}1`,
  'spaces on both sides': (size) => `${' '.repeat(size / 2)}1${'\u3000'.repeat(size / 2)}`,
  hex: (size) => `0x${'f'.repeat(size)}`,
  umlauts: (size) => 'äöüß'.repeat(size / 4 + 1),
  capitals: (size) => 'ÄÖÜİ'.repeat(size / 4 + 1),
  pictures: (size) => '😀'.repeat(size / 2 + 1),
  marks: (size) => `a${'\u0301\u0323'.repeat(size / 2 + 1)}`,
  hangul: (size) => '각ᄀ\u1161'.repeat(size / 3 + 1),
  ligatures: (size) => '\ufdfa'.repeat(size),
  escaped: (size) => '%C3%A4%20'.repeat(size / 9 + 1),
  'JSON of numbers': (size) => `[${'1,'.repeat(size / 2)}1]`,
  'JSON of long numbers': (size) => `[${'12345678901234567890,'.repeat(size / 21)}1]`,
  'JSON of one long number': (size) => `1${'7'.repeat(size)}`,
  'JSON of members': (size) =>
    `{${Array.from({ length: size / 8 + 1 }, (_, at) => `"a${at}":1`).join()}}`,
  'JSON of escapes': (size) => `"${'\\u0041\\n'.repeat(size / 8 + 1)}"`,
  'JSON that nests': (size) => `${'['.repeat(150)}${'1,'.repeat(size / 2)}1${']'.repeat(150)}`,
  quotes: (size) => '"\\\n'.repeat(size / 3 + 1),
  dollars: (size) => "$1$&$'$`".repeat(size / 8 + 1),
};

const VALUES: Readonly<Record<string, (size: number) => Json>> = {
  'a number': () => 12.345,
  'a negative number': () => -3,
  'a small number': () => 2,
  nothing: () => null,
  true: () => true,
  'many digits': (size) => parseJson(`1${'7'.repeat(size)}`),
  'a fraction of many digits': (size) => parseJson(`0.7${'7'.repeat(size)}`),
  'an exponent of many digits': (size) => parseJson(`1e${'0'.repeat(size)}999`),
  numbers: (size) => Array.from({ length: size }, (_, at) => (at * 7919) % size),
  fractions: (size) => Array.from({ length: size }, (_, at) => at * 1.1),
  'numbers of all lengths': (size) =>
    Array.from({ length: size }, (_, at) =>
      at % 2 === 0 ? at + 0.5 : parseJson(`1234567890123456789${at}`),
    ),
  'equal numbers': (size) => Array.from({ length: size }, () => 1),
  texts: (size) => Array.from({ length: size }, (_, at) => `t${(at * 7919) % size}`),
  'long texts': (size) =>
    Array.from({ length: Math.ceil(size / 100) }, (_, at) => 'a'.repeat(100) + at),
  'long numbers': (size) =>
    Array.from({ length: Math.ceil(size / 20) }, (_, at) => parseJson(`1234567890123456789${at}`)),
  'large exponents': (size) =>
    Array.from({ length: size }, (_, at) => parseJson(`1${at}e999999999999999`)),
  'long fractions': (size) =>
    Array.from({ length: Math.ceil(size / 1_000) }, (_, at) =>
      parseJson(`0.${'9'.repeat(3_000)}${at}1`),
    ),
  'one of each': (size) => [1, 'a', null, true, { a: 1 }, [1], 'x'.repeat(size)],
  arrays: (size) => Array.from({ length: size }, (_, at) => [at]),
  pairs: (size) => Array.from({ length: size }, (_, at) => [`k${at}`, at]),
  'equal pairs': (size) => Array.from({ length: size }, () => ['k', 1]),
  objects: (size) => Array.from({ length: size }, (_, at) => ({ a: at, b: 'x' })),
  'arrays in arrays': (size) =>
    Array.from({ length: Math.ceil(size / 100) }, () =>
      Array.from({ length: 100 }).reduce<Json>((inner) => [inner], 1),
    ),
  members: (size) => Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, at])),
  indexes: (size) => Object.fromEntries(Array.from({ length: size }, (_, at) => [at, at])),
  'a long name': (size) => ({ ['n'.repeat(size)]: 1 }),
  'a length': (size) => ({ length: size }),
  ...TEXTS,
};

/** Functions and regular expressions, which are written in the source. */
const SOURCES = [
  'x => x',
  '(x, y) => x < y ? -1 : 1',
  '(x, y) => y - x',
  '() => undefined',
  'x => [x, x]',
  '/a/g',
  '/a/',
  '/[a-z]+[0-9]*x?/g',
  '/(a|b)*c/g',
  '/\\p{L}{1,20}/gu',
  '/(?<n>a)|(b)|(c)/gi',
  '/$/gm',
  "''",
  "'a'",
  "'NFKD'",
  '16',
  '0',
  '-1',
  '1e6',
  '{...a}',
  '[...b]',
] as const;

/** Elements of an array or object are no more. */
const ELEMENTS_MAX = 20_000;
const SIZES = [0, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] as const;

/** A value by chance, and what to call it. */
export function valueBy(
  choices: Choices,
  most: number,
): { readonly name: string; readonly value: Json } {
  const [name = '', make = () => null] = choices.pickAny(Object.entries(VALUES)) ?? [];
  const size = Math.floor(Math.min(choices.pick(SIZES), most) * (0.5 + choices.next() / 2));
  const isOfElements = !(name in TEXTS);
  const made = isOfElements ? Math.min(size, ELEMENTS_MAX) : size;
  return { name: `${name} (${made})`, value: make(made) };
}

/** An argument in a source: one of the values `a`, `b` and `c`, a function or a constant. */
export function argumentBy(choices: Choices): string {
  return choices.chance(0.6) ? choices.pick(['a', 'b', 'c']) : choices.pick(SOURCES);
}
