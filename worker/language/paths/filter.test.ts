/** Promises of filters beyond the compliance suite: numbers with all their digits, order of texts, strictness. */
import { describe, expect, test } from 'vitest';
import { PathFault } from './fault.ts';
import { Path } from './path.ts';
import { search, valuesIn } from './test/search.ts';

describe('numbers are compared by all their digits', () => {
  const text =
    '[9007199254740992,9007199254740993,-9223372036854775808,1e400,0.1000000000000000055511151231257827,"9007199254740993",[9007199254740993],{"n":9007199254740993},null]';

  test.each([
    ['$[?@ == 9007199254740993]', '[9007199254740993]'],
    ['$[?@ == 9007199254740992]', '[9007199254740992]'],
    ['$[?@ == 9007199254740993.0]', '[9007199254740993]'],
    [
      '$[?@ != 9007199254740993 && @ > 0]',
      '[9007199254740992,1e400,0.1000000000000000055511151231257827]',
    ],
    ['$[?@ > 9007199254740992]', '[9007199254740993,1e400]'],
    ['$[?@ >= 9007199254740993]', '[9007199254740993,1e400]'],
    ['$[?@ < -9223372036854775807]', '[-9223372036854775808]'],
    ['$[?@ <= 0.1]', '[-9223372036854775808]'],
    ['$[?@ > 0.1 && @ < 1]', '[0.1000000000000000055511151231257827]'],
    ['$[?@ == 1e400]', '[1e400]'],
    ['$[?@ == $[1]]', '[9007199254740993]'],
    ['$[?@ == $[6]]', '[[9007199254740993]]'],
    ['$[?@ == $[7]]', '[{"n":9007199254740993}]'],
    ['$[?@.n == $[1]]', '[{"n":9007199254740993}]'],
    ['$[?@.rawJSON]', '[]'],
    ['$[?length(@) == 1]', '[[9007199254740993],{"n":9007199254740993}]'],
    ['$[?count(@.*) == 1]', '[[9007199254740993],{"n":9007199254740993}]'],
    ["$[?match(@, '9.*')]", '["9007199254740993"]'],
  ])('%s finds %s', (path, values) => {
    expect(valuesIn(path, text)).toBe(values);
  });
});

describe('what the library misses is read', () => {
  test.each([
    ['a number below one', '$[?@ == 0.5]', '[0.5]'],
    ['such a number with an exponent', '$[?@ == 0.05e+1]', '[0.5]'],
    ['a zero with an exponent', '$[?@ == 0e10]', '[0]'],
    ['a zero in a name', "$[?@.x0 == 'a0.5']", '[{"x0":"a0.5"}]'],
    ['an escaped control character in a name', String.raw`$["\u0001"]`, '["one"]'],
    ['one in a text', String.raw`$[?@ == '\u001F\u0000']`, String.raw`["\u001f\u0000"]`],
    ['a backslash before u0001', String.raw`$['\\u0001']`, '["two"]'],
    ['a private character', '$["\uf8e1"]', '["three"]'],
    ['a private character that is escaped', String.raw`$["\uF8E1"]`, '["three"]'],
  ])('%s', (_, path, values) => {
    const text =
      '{"a":0.5,"b":0,"c":{"x0":"a0.5"},"\\u0001":"one","\\\\u0001":"two","\uf8e1":"three","d":"\\u001f\\u0000"}';
    expect(valuesIn(path, text)).toBe(values);
  });
});

describe('what the library lets through is refused', () => {
  test.each([
    ['$.a-b', 'a name with a hyphen stands in brackets and quotes', 2],
    ['$[1:2 3]', 'a slice is start:end:step', 2],
    ['$[?@.a == -01]', 'not a number', 10],
    ['$[?!!@.a]', 'negates twice', 3],
    ['$[?count(@.*,) == 1]', 'an argument is missing', 12],
    ['$[?@.a && count(@.*)]', 'a value, which must be compared', 10],
    ['$[?!true]', 'a value, which must be compared', 4],
    ['$[?(@.a == 1) == (@.b == 1)]', 'not a value that can be compared', 8],
  ])('%s', (path, message, position) => {
    expect(() => new Path(path)).toThrow(new PathFault(message, position));
  });
});

test('texts are ordered and measured by characters, not by their halves', () => {
  const document = ['\u{1F600}', '\uffff', '\ud800', 'a', 'ab'];
  const found = (path: string) => search(path, document).map(({ value }) => value);
  expect(found("$[?@ > '\uffff']")).toEqual(['\u{1F600}', '\ud800']);
  expect(found("$[?@ < 'ab']")).toEqual(['a']);
  expect(found("$[?@ <= 'ab']")).toEqual(['a', 'ab']);
  expect(found('$[?length(@) == 1]')).toEqual(['\u{1F600}', '\uffff', '\ud800', 'a']);
});
