/** Promises of the four notations: what they find, how they write it down, where they go wrong. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../../proto/json.ts';
import { dotted, parseDotted } from './dotted.ts';
import { faultOf, PathFault } from './fault.ts';
import { notationOf, Path, pathTo } from './path.ts';
import { pointer } from './pointer.ts';
import { entriesIn, search, UNBOUNDED, valuesIn } from './test/search.ts';

const DOCUMENT: Json = {
  users: [
    { name: 'Ada', tags: ['a', 'b', 'c'] },
    { name: 'Bo', tags: [] },
  ],
  'a.b': { '': 1, 'c/d~e': 2, '[0]': 3 },
  '': { '': 4 },
  '0': 5,
};

test.each([
  ['$', 'jsonpath'],
  ['$.a/b', 'jsonpath'],
  ['/', 'pointer'],
  ['/a/..', 'pointer'],
  ['a/0', 'slash'],
  ['a.b/c', 'slash'],
  ['..', 'slash'],
  ['1..', 'slash'],
  ['1..3', 'slash'],
  ['', 'dotted'],
  ['a.b[0]', 'dotted'],
  ['a', 'dotted'],
  [' $', 'jsonpath'],
  ['\t\r\n$.a', 'jsonpath'],
  ['a $', 'dotted'],
])('"%s" is in the notation %s', (path, notation) => {
  expect(notationOf(path)).toBe(notation);
});

describe('a path finds, and writes down in its own notation,', () => {
  test.each<[string, [string, Json][]]>([
    ['', [['', DOCUMENT]]],
    ['users[1].name', [['users[1].name', 'Bo']]],
    ['users.1.name', [['users.1.name', 'Bo']]],
    ['users[2].name', []],
    ['users.name', []],
    [String.raw`a\.b.\0`, [[String.raw`a\.b.\0`, 1]]],
    [String.raw`a\.b.\[0\]`, [[String.raw`a\.b.\[0\]`, 3]]],
    [String.raw`\0.\0`, [[String.raw`\0.\0`, 4]]],
    ['0', [['0', 5]]],
    ['/users/0/name', [['/users/0/name', 'Ada']]],
    ['/a.b/c~1d~0e', [['/a.b/c~1d~0e', 2]]],
    ['//', [['//', 4]]],
    ['/users/00', []],
    ['/users/-', []],
    ['/users/..', []],
    ['users/0/name', [['users/0/name', 'Ada']]],
    [
      'users/../name',
      [
        ['users/0/name', 'Ada'],
        ['users/1/name', 'Bo'],
      ],
    ],
    ['users/1../name', [['users/1/name', 'Bo']]],
    [
      'users/0/tags/1..3',
      [
        ['users/0/tags/1', 'b'],
        ['users/0/tags/2', 'c'],
      ],
    ],
    ['users/0/tags/..1', [['users/0/tags/0', 'a']]],
    ['users/../tags/2..9', [['users/0/tags/2', 'c']]],
    ['a.b/c~1d~0e', [['a.b/c~1d~0e', 2]]],
    ['../name', []],
    ['$.users[-1].name', [['$.users[-1].name', 'Bo']]],
    ['$.users[1:].name', [["$['users'][1]['name']", 'Bo']]],
    [
      "$['a.b'].*",
      [
        ["$['a.b']['']", 1],
        ["$['a.b']['c/d~e']", 2],
        ["$['a.b']['[0]']", 3],
      ],
    ],
  ])('%s', (path, entries) => {
    expect(entriesIn(path, DOCUMENT)).toEqual(entries);
  });
});

test('a range of the document itself begins with an index', () => {
  expect(entriesIn('../a', [{ a: 1 }, { a: 2 }])).toEqual([
    ['0/a', 1],
    ['1/a', 2],
  ]);
});

test('a path of one place keeps its text; one that may name several does not, though it names one', () => {
  expect(entriesIn('$.a', { a: 1 })).toEqual([['$.a', 1]]);
  expect(entriesIn('$..a', { a: 1 })).toEqual([["$['a']", 1]]);
});

describe('a path that does not parse shows where', () => {
  test.each([
    ['a..b', 'at character 3, ".b": a name is missing; the empty name is \\0'],
    ['a.', 'at its end: a name is missing; the empty name is \\0'],
    ['.a', 'at character 1, ".a": a name is missing; the empty name is \\0'],
    ['a.[0]', 'at character 3, "[0]": a name is missing; the empty name is \\0'],
    ['a[0', 'at character 2, "[0": the bracket is not closed'],
    [
      'a[-1]',
      'at character 3, "-1]": in brackets stands an index; a bracket of a name is written \\[',
    ],
    [
      'a[01]',
      'at character 3, "01]": in brackets stands an index; a bracket of a name is written \\[',
    ],
    [
      'a[*]',
      'at character 3, "*]": in brackets stands an index; a bracket of a name is written \\[',
    ],
    ['a[0]b', 'at character 5, "b": a dot or a bracket is missing'],
    ['a]', 'at character 2, "]": a bracket of a name is written \\]'],
    [
      String.raw`ab\n`,
      String.raw`at character 3, "\\n": a backslash stands before one of . [ ] \, or alone before 0`,
    ],
    [
      'ab\\',
      String.raw`at character 3, "\\": a backslash stands before one of . [ ] \, or alone before 0`,
    ],
    ['/a/b~2', 'at character 5, "~2": a tilde of a name is written ~0'],
    ['a/~', 'at character 3, "~": a tilde of a name is written ~0'],
    [' $', 'at character 1, " $": a JSONPath begins with $, without blanks before it'],
    ['$.a[', 'at its end: unclosed bracketed selection'],
    ['$.a]', `at character 4, "]": expected '.', '..' or a bracketed selection, found ']'`],
    ['$[?@.a==]', 'at character 9, "]": unexpected end of expression'],
    ['$[?nope(@)]', `at character 4, "nope(@)]": no such function 'nope'`],
    ['$[?@.a=="(\']', 'at its end: unclosed string starting at index 9'],
    [`a${'.a'.repeat(1000)}`, 'at its end: more than 1000 steps'],
    ['a'.repeat(4097), 'at character 4097, "a": longer than 4096 characters'],
  ])('%s', (path, where) => {
    const fault = faultIn(path);
    expect(fault && faultOf(path, fault)).toBe(`does not parse ${where}`);
  });
});

function faultIn(path: string): PathFault | undefined {
  try {
    new Path(path);
    return undefined;
  } catch (fault) {
    if (fault instanceof PathFault) return fault;
    throw fault;
  }
}

test('any text is a path or a fault', () => {
  const unit = fc.constantFrom(...'$./[]()?@\'"\\~0a*:&|!=<, -', '..', '[?', 'count(', '\ud800');
  void fc.assert(
    fc.property(fc.string({ unit, maxLength: 30 }), (path) => {
      const fault = faultIn(path);
      expect(fault === undefined || faultOf(path, fault)).toBeTruthy();
    }),
    { numRuns: 5_000 },
  );
});

describe('__proto__ is a name like any other', () => {
  const document = parseJson('{"a":{"__proto__":{"x":1}},"b":{}}');

  test.each([
    ['a.__proto__.x', '[1]'],
    ['/a/__proto__/x', '[1]'],
    ["$.a['__proto__'].x", '[1]'],
    ['$[?@.__proto__.x == 1].*', '[{"x":1}]'],
    ['$..x', '[1]'],
    ['b.__proto__', '[]'],
    ['/b/__proto__', '[]'],
    ['$.b.__proto__', '[]'],
    ['b.constructor.name', '[]'],
    ['$[?@.constructor]', '[]'],
    ['$[?@.__proto__ == $.b]', '[]'],
    ['a/length', '[]'],
  ])('%s finds %s', (path, values) => {
    expect(JSON.stringify(search(path, document).map(({ value }) => value))).toBe(values);
  });
});

describe('a number kept as text is a leaf', () => {
  const text = '{"n":9007199254740993,"list":[12345678901234567890]}';

  test.each([
    ['$.*', '[9007199254740993,[12345678901234567890]]'],
    ['$..*', '[9007199254740993,[12345678901234567890],12345678901234567890]'],
    ['$.n.*', '[]'],
    ['n.rawJSON', '[]'],
    ['/n/rawJSON', '[]'],
    ['$..rawJSON', '[]'],
    ['list/..', '[12345678901234567890]'],
  ])('%s finds %s', (path, values) => {
    expect(valuesIn(path, text)).toBe(values);
  });
});

describe('every place has a path that finds it again', () => {
  const name = fc.string({ unit: fc.constantFrom(...'.[]\\/~\'"$a0\u0001\ud800', '__proto__') });
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.integer(),
      fc.array(tie('value')),
      fc.dictionary(name, tie('value')),
    ),
  }));

  test('in JSONPath', () => {
    void fc.assert(
      fc.property(value, (document) => {
        for (const [path, found] of entriesIn('$..*', document)) {
          expect(entriesIn(path, document)).toEqual([[path, found]]);
        }
      }),
    );
  });

  test('in JSON Pointer', () => {
    void fc.assert(
      fc.property(value, (document) => {
        for (const match of search('$..*', document)) {
          const path = pathTo(match, pointer, UNBOUNDED);
          expect(entriesIn(path, document)).toEqual([[path, match.value]]);
        }
      }),
    );
  });

  test('in the dotted notation', () => {
    void fc.assert(
      fc.property(fc.array(fc.oneof(name, fc.nat())), (keys) => {
        expect(parseDotted(keys.reduce(dotted.child, dotted.top))).toEqual(keys);
      }),
    );
  });
});
