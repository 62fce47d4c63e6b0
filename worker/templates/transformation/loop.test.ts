/** Loops and blocks of rules, and what decides whether a rule is run. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { apply, read, runOf } from './test/run.ts';

const sku = { target: 'sku', source: 'item.sku' };

describe('forEach', () => {
  const input = {
    orders: [
      {
        id: 1,
        items: [
          { sku: 'a', n: 1 },
          { sku: 'b', n: 0 },
        ],
      },
      { id: 2, items: [] },
    ],
  };

  test('nests', () => {
    const items = {
      forEach: { array: 'order.items', as: 'item', index: 'j' },
      target: 'lines',
      rules: [sku, { target: 'key', expression: 'i + "/" + j + "/" + order.id' }],
    };
    const rules = [
      {
        forEach: { array: 'orders', as: 'order', index: 'i' },
        target: 'orders',
        rules: [{ target: 'id', source: 'order.id' }, items],
      },
    ];
    expect(apply(rules, input)).toEqual({
      orders: [
        {
          id: 1,
          lines: [
            { sku: 'a', key: '0/0/1' },
            { sku: 'b', key: '0/1/1' },
          ],
        },
        { id: 2, lines: [] },
      ],
    });
  });

  test('without a target writes to the whole output, by index', () => {
    const rules = [
      {
        forEach: { array: 'orders', as: 'order', index: 'i' },
        rules: [
          { target: 'ids[i]', source: 'order.id' },
          { target: 'orders[i].id', source: 'order.id' },
          {
            forEach: { array: 'order.items', as: 'item', index: 'j' },
            rules: [{ target: 'orders[i].lines[j].sku', source: 'item.sku' }],
          },
          { target: 'last', source: 'order.id' },
        ],
      },
    ];
    expect(apply(rules, input)).toEqual({
      ids: [1, 2],
      orders: [{ id: 1, lines: [{ sku: 'a' }, { sku: 'b' }] }, { id: 2 }],
      last: 2,
    });
  });

  test.each<[string, Json, readonly Json[], Json]>([
    ['filter', { array: '$.orders[0].items', as: 'item', filter: 'item.n > 0' }, [sku], [[]]],
    [
      'filter on elements',
      { array: 'orders[0].items', as: 'item', filter: 'item.n > 0' },
      [sku],
      [{ sku: 'a' }],
    ],
    [
      'elements that are no objects',
      { array: 'orders', as: 'item' },
      [{ target: '$', source: 'item.id' }],
      [1, 2],
    ],
    ['elements without any value', { array: 'orders', as: 'item' }, [sku], [{}, {}]],
    [
      'several matches',
      { array: '$..sku', as: 'item' },
      [{ target: '$', source: 'item' }],
      ['a', 'b'],
    ],
    [
      'arrays of arrays',
      { array: 'orders', as: 'item' },
      [{ target: '[0]', source: 'item.id' }],
      [[1], [2]],
    ],
  ])('%s', (name, forEach, rules, lines) => {
    const output = name === 'filter' ? {} : { lines };
    const input2 = name === 'filter' ? { orders: [{}] } : input;
    expect(apply([{ forEach, target: 'lines', rules: [...rules] }], input2)).toEqual(output);
  });

  test('two loops to one target join', () => {
    const loop = {
      forEach: { array: 'orders', as: 'item' },
      target: 'all',
      rules: [{ target: 'id', source: 'item.id' }],
    };
    expect(apply([loop, loop], input)).toEqual({
      all: [{ id: 1 }, { id: 2 }, { id: 1 }, { id: 2 }],
    });
  });

  test('of an array that is not there leaves the target out, and of anything else fails', () => {
    const rules = (array: string) => [
      { forEach: { array, as: 'item' }, target: 'lines', rules: [sku] },
    ];
    expect(apply(rules('none'), input)).toEqual({});
    expect(() => apply(rules('orders[0]'), input)).toThrow('forEach takes an array, not an object');
  });

  test('validation is of the array', () => {
    const validation = [{ type: 'minItems', minItems: 3, message: 'too few orders', code: 'FEW' }];
    const rules = [
      { forEach: { array: 'orders', as: 'item', validation }, target: 'a', rules: [] },
    ];
    expect(() => apply(rules, input)).toThrow(
      expect.objectContaining({
        details: [{ path: 'transformationRules.0', message: 'too few orders', code: 'FEW' }],
      }),
    );
  });
});

describe('blocks', () => {
  const block = {
    condition: 'vip',
    rules: [{ target: 'level', value: 'gold' }],
    else: [
      { condition: 'points > 10', rules: [{ target: 'level', value: 'silver' }] },
      { target: 'points', source: 'points', condition: 'points > 20' },
    ],
  };
  test.each<[Json, Json]>([
    [{ vip: true }, { level: 'gold' }],
    [{ points: 11 }, { level: 'silver' }],
    [{ points: 21 }, { level: 'silver', points: 21 }],
    [{ points: 1 }, {}],
    [{}, {}],
  ])('%j', (input, output) => {
    expect(apply([block], input)).toEqual(output);
  });

  test('stand in loops', () => {
    const rules = [
      {
        forEach: { array: 'a', as: 'each' },
        target: 'a',
        rules: [{ ...block, condition: 'each.vip' }],
      },
    ];
    expect(apply(rules, { points: 11, a: [{ vip: true }, {}] })).toEqual({
      a: [{ level: 'gold' }, { level: 'silver' }],
    });
  });
});

test.each<[Json, boolean]>([
  [true, true],
  [1, true],
  ['no', true],
  [{}, true],
  [[], true],
  [JSON.rawJSON('12345678901234567890'), true],
  [false, false],
  [0, false],
  ['', false],
  [null, false],
])('a condition of %j holds: %s', (a, isTrue) => {
  const rules = [{ target: 't', value: 1, condition: 'a' }];
  expect(apply(rules, { a })).toEqual(isTrue ? { t: 1 } : {});
});

describe('onError', () => {
  const failing = { target: 't', source: 'a', transformers: ['trim'] };
  const details = (rules: readonly Json[], input: Json): unknown => {
    try {
      return read({ transformationRules: rules }).run(input, runOf());
    } catch (error) {
      return (error as { details: unknown }).details;
    }
  };

  test.each<[string, Json, unknown]>([
    ['default puts its value', { action: 'default', value: [0] }, { t: [0] }],
    ['skip leaves the target out', { action: 'skip', logLevel: 'warn' }, {}],
    [
      'fail tells its message',
      { action: 'fail', message: 'no name' },
      [{ path: 'transformationRules.0', message: 'no name' }],
    ],
    [
      'fail without one tells ours',
      { action: 'fail' },
      [{ path: 'transformationRules.0', message: 'trim takes a text, not a number' }],
    ],
  ])('%s', (_, onError, outcome) => {
    expect(details([{ ...failing, onError }], { a: 1 })).toEqual(outcome);
  });

  test('faults of several rules are all told, with places', () => {
    const rules = [
      failing,
      { target: 'u', expression: 'a.b.c()' },
      { target: 'v', function: 'no', args: [] },
    ];
    const functions = { no: '() => {\n  throw new Error("not today");\n}' };
    expect(() => read({ transformationRules: rules, functions }).run({ a: 1 }, runOf())).toThrow(
      expect.objectContaining({
        code: 'TEMPLATE_FAILED',
        details: [
          { path: 'transformationRules.0', message: 'trim takes a text, not a number' },
          {
            path: 'transformationRules.1',
            message: expect.any(String),
            line: 1,
            column: expect.any(Number),
          },
          {
            path: 'transformationRules.2',
            message: 'not today',
            line: 2,
            column: expect.any(Number),
          },
        ],
      }),
    );
  });

  test("in a loop our words say which element, the author's stay, and each is told once", () => {
    const loop = (rules: Json[]) => [{ forEach: { array: 'l', as: 'e' }, target: 'l', rules }];
    const rule = { target: 't', source: 'e', transformers: ['trim'] };
    const path = 'transformationRules.0.rules.0';
    expect(details(loop([rule]), { l: ['a', 1, 2] })).toEqual([
      { path, message: 'trim takes a text, not a number (at element 1)' },
      { path, message: 'trim takes a text, not a number (at element 2)' },
    ]);
    const onError = { action: 'fail', message: 'no text' };
    expect(details(loop([{ ...rule, onError }]), { l: [1, 2] })).toEqual([
      { path, message: 'no text' },
    ]);
  });

  test('of a loop decides on faults of its rules', () => {
    const loop = {
      forEach: { array: 'l', as: 'e' },
      target: 'l',
      rules: [{ target: 't', source: 'e', transformers: ['trim'] }],
    };
    expect(details([{ ...loop, onError: { action: 'skip' } }], { l: ['a', 1] })).toEqual({});
    const many = Array.from({ length: 1000 }, (_, at) => at);
    expect(details([{ ...loop, onError: { action: 'skip' } }], { l: many })).toEqual({});
    expect(details([{ ...loop, onError: { action: 'default', value: 0 } }], { l: [1] })).toEqual({
      l: 0,
    });
    expect(
      details([{ ...loop, onError: { action: 'fail', message: 'bad list' } }], { l: [1] }),
    ).toEqual([{ path: 'transformationRules.0', message: 'bad list' }]);
  });

  test('tells at most 100 faults, and ends there', () => {
    const rules = [
      {
        forEach: { array: 'l', as: 'e' },
        target: 'l',
        rules: [{ target: 't', source: 'e', transformers: ['trim'] }],
      },
    ];
    expect(details(rules, { l: Array.from({ length: 1000 }, (_, at) => at) })).toHaveLength(100);
  });

  test('a thrown text is cut at 1 KiB', () => {
    const [fault] = details(
      [{ target: 't', expression: '(() => { throw "x".repeat(5000) })()' }],
      {},
    ) as { message: string }[];
    expect(fault?.message).toBe('x'.repeat(1024));
  });
});
