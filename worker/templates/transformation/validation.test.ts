/** `validation` in all its spellings, and every check. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { read, runOf } from './test/run.ts';

const raw = (text: string) => JSON.rawJSON(text);

/** What is told of a value; nothing when it passes. */
function told(validation: Json, value: Json | undefined): unknown {
  const rules = [{ target: 't', source: 'v', validation }];
  const functions = { even: '(n) => n % 2 === 0' };
  const compiled = read({ transformationRules: rules, functions });
  try {
    expect(compiled.run(value === undefined ? {} : { v: value }, runOf())).toBeTypeOf('object');
    return [];
  } catch (error) {
    return (error as { details: { path: string }[] }).details.map(({ path: _, ...rest }) => rest);
  }
}

describe('checks', () => {
  test.each<[string, Json, readonly (Json | undefined)[], readonly (Json | undefined)[]]>([
    ['required', true, ['', 0, false], [undefined, null]],
    ['required', false, [undefined, null], []],
    ['type', 'string', ['a', undefined], [1, null]],
    ['type', 'number', [1, raw('12345678901234567890')], ['1']],
    ['type', 'integer', [1, raw('12345678901234567890')], [1.5, raw('1.00000000000000000001')]],
    ['type', 'boolean', [true], [0]],
    ['type', 'array', [[]], [{}]],
    ['type', 'object', [{}], [[], raw('12345678901234567890')]],
    ['type', ['string', 'null'], ['a', null], [1]],
    [
      'enum',
      ['a', 1, { x: [1] }, null],
      ['a', 1, { x: [1] }, null, undefined],
      ['b', '1', { x: [2] }],
    ],
    ['minimum', 1, [1, 2, undefined], [0.9, '5', null]],
    ['maximum', raw('9007199254740993'), [raw('9007199254740993'), 1], [raw('9007199254740994')]],
    ['exclusiveMinimum', 1, [1.1], [1]],
    ['exclusiveMaximum', 1, [0.9], [1]],
    ['minLength', 2, ['ab', '😀😀'], ['a', '😀', 12]],
    ['maxLength', 2, ['ab', '😀😀'], ['abc']],
    ['minItems', 1, [[1]], [[], 'a']],
    ['maxItems', 1, [[1]], [[1, 2]]],
    [
      'uniqueItems',
      true,
      [[1, '1', { a: 1 }]],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    ['pattern', '^a/[bc]+$', ['a/bcb', undefined], ['a/', 'xa/b', 5]],
    ['format', 'email', ['a.b+c@d.example', undefined], ['a@b', 'a b@c.d', '', 5]],
    ['format', 'uuid', ['7b0e8e24-5f0e-4f7c-9f9e-0b8c58e2d7a1'], ['7b0e8e24']],
    ['format', 'date', ['2024-02-29'], ['2026-02-29', '2026-2-1']],
    ['format', 'date-time', ['2026-01-01T00:00:00+02:00'], ['2026-01-01T00:00:00', '2026-01-01']],
    ['format', 'duration', ['P1DT2H'], ['P', '1D']],
    ['format', 'uri', ['https://a.b/c?d', 'urn:isbn:1'], ['a/b', 'http://', '//a.b']],
    ['format', 'hostname', ['a.b'], ['a_b']],
    ['format', 'ipv4', ['1.2.3.4'], ['256.1.1.1']],
    ['format', 'ipv6', ['::1'], ['1::2::3', `${':'.repeat(9000)}`]],
  ])('%s %j', (type, bound, good, bad) => {
    if (!['type'].includes(type)) {
      for (const value of good) expect(told([{ type, [type]: bound }], value)).toEqual([]);
      for (const value of bad) {
        expect(told([{ type, [type]: bound, message: 'no', code: 'C' }], value)).toEqual([
          { message: 'no', code: 'C' },
        ]);
      }
    }
    for (const value of good) expect(told({ [type]: bound }, value)).toEqual([]);
    for (const value of bad) expect(told({ [type]: bound }, value)).toHaveLength(1);
  });
});

describe('spellings', () => {
  test('an object of bounds tells all that fail, in our words', () => {
    expect(told({ type: 'integer', minimum: 1, maximum: 9 }, 0.5)).toEqual([
      { message: 'is not of type integer' },
      { message: 'is less than 1' },
    ]);
  });

  test('a list tells all that fail, in the words of its author', () => {
    const list = [
      { type: 'required', message: 'name it', code: 'NAME' },
      { type: 'minLength', minLength: 3, message: 'longer', code: 'SHORT' },
      { type: 'pattern', pattern: '^[A-Z]', code: 'CASE' },
      { type: 'string' },
    ];
    expect(told(list, 'ab')).toEqual([
      { message: 'longer', code: 'SHORT' },
      { message: 'does not match ^[A-Z]', code: 'CASE' },
    ]);
    expect(told(list, undefined)).toEqual([{ message: 'name it', code: 'NAME' }]);
  });

  test('bounds and a list at once', () => {
    const both = {
      type: 'number',
      rules: [{ type: 'maximum', maximum: 3, code: 'BIG' }],
      message: 'm',
    };
    expect(told(both, 5)).toEqual([{ message: 'is greater than 3', code: 'BIG' }]);
    expect(told(both, 'x')).toEqual([
      { message: 'm' },
      { message: 'is not a number', code: 'BIG' },
    ]);
  });

  test('a single check stands alone as well', () => {
    const one = { type: 'pattern', pattern: '^[A-Z]', message: 'a capital', code: 'CASE' };
    expect(told(one, 'ab')).toEqual([{ message: 'a capital', code: 'CASE' }]);
    expect(told({ type: 'required' }, undefined)).toEqual([{ message: 'is required' }]);
    expect(told({ type: 'custom', expression: 'value > 3' }, 1)).toEqual([
      { message: 'is not valid' },
    ]);
  });

  test('what is told says which it is: another type, or out of bounds', () => {
    const bounds = { minimum: 1, maxLength: 2, minItems: 1, uniqueItems: true, format: 'uuid' };
    const words = (value: Json) => told(bounds, value);
    expect(words(0)).toEqual(
      ['is less than 1', 'is not a text', 'is not an array'].map((message) => ({ message })),
    );
    expect(words('abc')).toContainEqual({ message: 'is not of the format uuid' });
    expect(words([1, 1])).toContainEqual({ message: 'has an element twice' });
  });

  test('unique elements are asked for by the name alone', () => {
    expect(told([{ type: 'uniqueItems' }], [1, 1])).toHaveLength(1);
  });

  test.each<[Json, Json, number]>([
    [{ expression: 'value > v - 1' }, 1, 0],
    [{ expression: 'value > 10' }, 1, 1],
    [{ function: 'even' }, 2, 0],
    [{ function: 'even' }, 3, 1],
  ])('custom %j of %j', (custom, value, count) => {
    const check = { type: 'custom', code: 'MINE', ...(custom as object) };
    expect(told([check], value)).toEqual(
      count === 0 ? [] : [{ message: 'is not valid', code: 'MINE' }],
    );
  });

  test('custom sees the loop that it is in', () => {
    const validation = [
      { type: 'custom', expression: 'value === e.n && i >= 0 && parameters.p === 1' },
    ];
    const rules = [
      {
        forEach: { array: 'l', as: 'e', index: 'i' },
        target: 'l',
        rules: [{ target: 'n', source: 'e.n', validation }],
      },
    ];
    const compiled = read({ transformationRules: rules, parameters: { p: { default: 1 } } });
    expect(compiled.run({ l: [{ n: 1 }, { n: 2 }] }, runOf())).toEqual({ l: [{ n: 1 }, { n: 2 }] });
  });
});

test('onError decides on what is not valid', () => {
  const rule = { target: 't', source: 'v', validation: { maximum: 1 } };
  const of = (onError: Json) =>
    read({ transformationRules: [{ ...rule, onError }] }).run({ v: 2 }, runOf());
  expect(of({ action: 'default', value: 1 })).toEqual({ t: 1 });
  expect(of({ action: 'skip' })).toEqual({});
  expect(() => of({ action: 'fail', message: 'too much' })).toThrow(
    'Test: transformationRules.0: too much',
  );
});
