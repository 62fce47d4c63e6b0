/** Every transformer by its documented example, and by what it refuses. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { TRANSFORMERS } from './index.ts';
import { apply } from './test/run.ts';

const raw = (text: string) => JSON.rawJSON(text);

function through(name: string, value: Json | undefined, args?: readonly Json[]): Json {
  const transformers = [args === undefined ? name : { name, args: [...args] }];
  const rules = [{ target: 'made', source: 'given', transformers }];
  return apply(rules, value === undefined ? {} : { given: value });
}

describe('the documented example of', () => {
  test.each(TRANSFORMERS.map(({ name, example }) => ({ name, ...example })))(
    '$name',
    ({ name, input, args, output }) => {
      expect(through(name, input, args)).toEqual({ made: output });
    },
  );
});

test('every transformer is documented in one sentence', () => {
  for (const { about } of TRANSFORMERS) expect(about).toMatch(/^[A-Z].*\.$/s);
  const names = TRANSFORMERS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(TRANSFORMERS.filter(({ ofNothing }) => !ofNothing))(
  '$name',
  ({ name, example: { args } }) => {
    test('lets null and what is not there pass', () => {
      expect(through(name, null, args)).toEqual({ made: null });
      expect(through(name, undefined, args)).toEqual({});
    });
  },
);

test('default takes the place of null and of what is not there alone', () => {
  expect([undefined, null, '', 0, false].map((each) => through('default', each, [7]))).toEqual([
    { made: 7 },
    { made: 7 },
    { made: '' },
    { made: 0 },
    { made: false },
  ]);
});

describe('edges', () => {
  test.each<[string, Json, readonly Json[] | undefined, Json]>([
    ['capitalize', '', undefined, ''],
    ['capitalize', 'élan', undefined, 'Élan'],
    ['titleCase', "o'neill DE sá", undefined, "O'neill De Sá"],
    ['replace', 'a.b.c', ['.'], 'abc'],
    ['replace', 'a$&b', ['$&', '$1'], 'a$1b'],
    ['split', 'a,b', undefined, ['a', 'b']],
    ['split', 'a😀', [''], ['a', '😀']],
    ['length', 'a😀', undefined, 2],
    ['length', { a: 1 }, undefined, 1],
    ['reverse', 'a😀', undefined, '😀a'],
    ['slice', 'abcd', [-2], 'cd'],
    ['truncate', 'abc', [3], 'abc'],
    ['truncate', 'abcdef', [2, '...'], '..'],
    ['toString', raw('12345678901234567890'), undefined, '12345678901234567890'],
    ['toString', true, undefined, 'true'],
    ['toString', { a: raw('1.00000000000000000001') }, undefined, '{"a":1.00000000000000000001}'],
    ['toNumber', '12345678901234567890', undefined, raw('12345678901234567890')],
    ['toNumber', '007', undefined, 7],
    ['toNumber', '-.5', undefined, -0.5],
    ['toNumber', '1e3', undefined, 1000],
    ['toNumber', true, undefined, 1],
    ['toBoolean', 0, undefined, false],
    ['toBoolean', 'OFF', undefined, false],
    ['round', 2.5, undefined, 3],
    ['round', -2.5, undefined, -3],
    ['round', 1250, [-2], 1300],
    ['round', raw('12345678901234567890.5'), undefined, raw('12345678901234567891')],
    ['floor', raw('-12345678901234567890.5'), undefined, raw('-12345678901234567891')],
    ['abs', raw('-12345678901234567890'), undefined, raw('12345678901234567890')],
    ['sum', [raw('9007199254740993'), 1], undefined, 9007199254740994],
    ['sum', [], undefined, 0],
    ['sum', [1e21, 0.5], undefined, raw('1000000000000000000000.5')],
    ['max', [1, raw('9007199254740993'), 9007199254740992], undefined, raw('9007199254740993')],
    ['min', [], undefined, {}],
    ['sort', ['b', 'a', null], undefined, ['a', 'b', null]],
    ['sort', [10, 9, raw('9.5000000000000000001')], [], [9, raw('9.5000000000000000001'), 10]],
    ['sort', [{ n: 1 }, { n: 2 }, {}], ['n', 'descending'], [{ n: 2 }, { n: 1 }, {}]],
    [
      'unique',
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      undefined,
      [{ a: 1, b: 2 }],
    ],
    [
      'unique',
      [
        { id: 1, v: 1 },
        { id: 1, v: 2 },
      ],
      ['id'],
      [{ id: 1, v: 1 }],
    ],
    ['flatten', [1, [2, [3, [4]]]], [2], [1, 2, 3, [4]]],
    ['first', [], undefined, {}],
    ['fromJson', '{"a":12345678901234567890}', undefined, { a: raw('12345678901234567890') }],
    ['fromEntries', [['__proto__', 1]], undefined, JSON.parse('{"__proto__":1}') as Json],
    ['pick', { a: 1 }, ['toString'], {}],
    ['toDate', 0, undefined, '1970-01-01T00:00:00.000Z'],
    ['toDate', raw('1000.00000000000000001'), undefined, '1970-01-01T00:00:01.000Z'],
    ['hash', 'abc', ['sha512'], expect.stringMatching(/^ddaf35a1/)],
    ['base64Decode', 'b2zDoQ', undefined, 'olá'],
    ['slugify', ' --Straße & Söhne-- ', undefined, 'straße-sohne'],
    ['average', [raw('9007199254740993'), 1], undefined, 4503599627370497],
  ])('%s of %j with %j', (name, input, args, output) => {
    const isNothing = ['min', 'first'].includes(name);
    expect(through(name, input, args)).toEqual(isNothing ? {} : { made: output });
  });
});

describe('refuses', () => {
  test.each<[string, Json, readonly Json[] | undefined, string]>([
    ['trim', 5, undefined, 'trim takes a text, not a number'],
    ['uppercase', ['a'], undefined, 'uppercase takes a text, not an array'],
    ['join', 'a', undefined, 'join takes an array, not a text'],
    [
      'join',
      [1, {}],
      undefined,
      'join takes texts, numbers and booleans, and element 1 is an object',
    ],
    [
      'sum',
      [1, '10.10'],
      undefined,
      'sum takes numbers, and element 1 is a text, "10.10": make numbers first, by an expression such as rows.map(({ n }) => Number(n))',
    ],
    ['sum', [null], undefined, 'sum takes numbers, and element 0 is null'],
    ['sort', [1, 'a'], undefined, 'sort takes either numbers or texts, not both at once'],
    ['round', '1.5', [1], 'round takes a number, not a text'],
    ['toNumber', 'ten', undefined, 'toNumber takes the text of a number, such as -12.50'],
    ['toNumber', '', undefined, 'toNumber takes the text of a number, such as -12.50'],
    ['toBoolean', 'perhaps', undefined, 'toBoolean takes true, false, yes, no, on, off, 1 or 0'],
    [
      'toDate',
      raw('1e400'),
      undefined,
      'toDate takes a date in ISO 8601, such as 2026-11-21T08:00:00Z',
    ],
    ['toDate', 'soon', undefined, 'toDate takes a date in ISO 8601, such as 2026-11-21T08:00:00Z'],
    ['keys', [1], undefined, 'keys takes an object, not an array'],
    ['fromJson', '{', undefined, 'fromJson takes JSON text'],
    ['base64Decode', '$$', undefined, 'base64Decode takes base64 text'],
    ['base64Decode', '/w==', undefined, 'base64Decode takes base64 of a text in UTF-8'],
    ['urlDecode', '%E0%A4', undefined, 'urlDecode takes text with escapes such as %20 of UTF-8'],
    ['urlEncode', '\ud800', undefined, 'urlEncode takes well-formed Unicode'],
    ['sum', [raw('1e999999999')], undefined, 'sum takes numbers of at most 1100 digits'],
  ])('%s of %j', (name, input, args, message) => {
    expect(() => through(name, input, args)).toThrow(message);
  });
});

describe('refuses as a definition', () => {
  test.each<[Json, string, string]>([
    ['shout', '0', 'shout is no transformer: there are trim, '],
    [{ name: 'replace' }, '0.args', 'replace takes 1 to 2 arguments (text, by), not 0'],
    [{ name: 'trim', args: [1] }, '0.args', 'trim takes no arguments, not 1'],
    [
      { name: 'round', args: ['2'] },
      '0.args.0',
      'round takes an integer from -100 to 100 as decimals',
    ],
    [
      { name: 'hash', args: ['md5'] },
      '0.args.0',
      'hash takes one of sha256, sha384, sha512 as algorithm',
    ],
    [{ name: 'pick', args: [] }, '0.args', 'pick takes at least 1 arguments (name, names), not 0'],
    [{ name: 'get', args: ['a['] }, '0.args.0', 'get takes a path as path: does not parse at '],
    [{ name: 'trim', arg: [] }, '0.arg', 'is no member of a transformer'],
    [5, '0', 'must be the name of a transformer, or an object {name, args}'],
  ])('%j', (transformer, path, message) => {
    const rules = [{ target: 't', source: 's', transformers: [transformer] }];
    expect(() => apply(rules, {})).toThrow(
      `"path":"transformationRules.0.transformers.${path}","message":"${message}`,
    );
  });
});
