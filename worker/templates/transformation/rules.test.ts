/** Rules, member by member. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import type { TransformationDefinition } from '../definition.ts';
import { CREATE } from '../examples.ts';
import { apply, run } from './test/run.ts';

test('runs the example of the API', () => {
  const input = { customer: { name: ' ada ' }, items: [{ sku: 'A1', price: 10, quantity: 2 }] };
  // Constant all through.
  expect(run(CREATE as unknown as TransformationDefinition, input)).toEqual({
    customer: 'Ada',
    lines: [{ sku: 'A1', amount: 20 }],
    total: 23.799999999999997,
  });
});

test('without a rule that writes, the output is an empty object', () => {
  expect(apply([], { a: 1 })).toEqual({});
});

describe('source', () => {
  test.each<[string, Json, Json]>([
    ['a.b', { a: { b: 1 } }, { t: 1 }],
    ['a.b', { a: { b: null } }, { t: null }],
    ['a.c', { a: { b: 1 } }, {}],
    ['a.b.c.d', { a: { b: { c: { d: 'deep' } } } }, { t: 'deep' }],
    ['a[1].b', { a: [{}, { b: 2 }] }, { t: 2 }],
    ['a.1', { a: [7, 8] }, { t: 8 }],
    ['/a/0', { a: [7] }, { t: 7 }],
    ['a/0/b', { a: [{ b: 2 }] }, { t: 2 }],
    ['a/..', { a: [7, 8] }, { t: [7, 8] }],
    ['a/1..', { a: [7, 8, 9] }, { t: [8, 9] }],
    ['$.a[*].b', { a: [{ b: 1 }, {}, { b: 2 }] }, { t: [1, 2] }],
    ['$.a[?@.b > 1].b', { a: [{ b: 1 }, { b: 2 }] }, { t: [2] }],
    ['$.a[-1]', { a: [1, 2] }, { t: 2 }],
    ['$..none', { a: 1 }, { t: [] }],
    ['$', { a: 1 }, { t: { a: 1 } }],
    ['__proto__.x', {}, {}],
    ['constructor', {}, {}],
    ['a.length', { a: [1] }, {}],
    ['a.length', { a: 'text' }, {}],
    ['a.rawJSON', { a: JSON.rawJSON('12345678901234567890') }, {}],
    ['a.map', { a: [1] }, {}],
  ])('%s of %j', (source, input, output) => {
    expect(apply([{ target: 't', source }], input)).toEqual(output);
  });

  test('reads parameters, elements and their indexes by name, and the input behind them', () => {
    const rules = [
      { target: 'rate', source: 'parameters.rate' },
      {
        forEach: { array: 'rows', as: 'row', index: 'i' },
        target: 'rows',
        rules: [
          { target: 'at', source: 'i' },
          { target: 'id', source: 'row.id' },
          { target: 'tags', source: 'row/tags/..' },
          { target: 'all', source: '$.id' },
        ],
      },
    ];
    const input = { id: 9, rows: [{ id: 1, tags: ['a', 'b'] }, { id: 2 }] };
    const parameters = { rate: { default: 0.5 } };
    expect(run({ transformationRules: rules, parameters }, input)).toEqual({
      rate: 0.5,
      rows: [
        { at: 0, id: 1, tags: ['a', 'b'], all: 9 },
        { at: 1, id: 2, tags: [], all: 9 },
      ],
    });
  });
});

describe('target', () => {
  test.each<[string, Json]>([
    ['a', { a: 1 }],
    ['a.b.c', { a: { b: { c: 1 } } }],
    ['a[2]', { a: [null, null, 1] }],
    ['a[0].b', { a: [{ b: 1 }] }],
    ['[1]', [null, 1]],
    ['/a/0/b', { a: [{ b: 1 }] }],
    ['$.a.b', { a: { b: 1 } }],
    ['$', 1],
    [String.raw`a\.b`, { 'a.b': 1 }],
    [String.raw`\0`, { '': 1 }],
  ])('%s', (target, output) => {
    expect(apply([{ target, value: 1 }], {})).toEqual(output);
  });

  test('makes members of any name', () => {
    const output = apply(
      ['__proto__', 'a.__proto__.b', 'constructor', 'toString'].map((target) => ({
        target,
        value: 1,
      })),
      {},
    );
    expect(JSON.stringify(output)).toBe(
      '{"__proto__":1,"a":{"__proto__":{"b":1}},"constructor":1,"toString":1}',
    );
    expect(({} as { b?: number }).b).toBeUndefined();
  });

  test('a later rule has the last word', () => {
    expect(
      apply(
        ['x', 'y'].map((value) => ({ target: 'a', value })),
        {},
      ),
    ).toEqual({ a: 'y' });
  });

  test('cannot lead through a value', () => {
    const rules = [
      { target: 'a', value: 1 },
      { target: 'a.b', value: 2 },
    ];
    expect(() => apply(rules, {})).toThrow(
      'Test: transformationRules.1: there is a value above its target already, which is no object or array',
    );
  });
});

describe('nobody changes what was given', () => {
  test.each<[string, readonly Json[], Json]>([
    [
      'a value that another rule writes into',
      [
        { target: 'b', source: 'a' },
        { target: 'b.c.x', value: 1 },
        { target: 'b.y', value: 2 },
      ],
      { b: { c: { d: 1, x: 1 }, y: 2 } },
    ],
    [
      'a constant',
      [{ initialize: { 'b.list': [{}] } }, { target: 'b.list[0].x', value: 1 }],
      { b: { list: [{ x: 1 }] } },
    ],
    [
      'the whole input',
      [
        { target: '$', source: '$' },
        { target: 'a.c.d', value: 2 },
      ],
      { a: { c: { d: 2 } }, list: [{ v: 1 }] },
    ],
    [
      'elements that a loop takes up',
      [
        { target: 'out', source: 'list' },
        {
          forEach: { array: 'list', as: 'each', index: 'i' },
          rules: [{ target: 'out[i].w', expression: 'each.v + 1' }],
        },
      ],
      { out: [{ v: 1, w: 2 }] },
    ],
    [
      'an array that a loop adds to',
      [
        { target: 'out', source: 'list' },
        {
          forEach: { array: 'list', as: 'each' },
          target: 'out',
          rules: [{ target: 'n', value: 1 }],
        },
      ],
      { out: [{ v: 1 }, { n: 1 }] },
    ],
    [
      'what copy takes over',
      [{ copy: { from: 'a' } }, { target: 'c.x', value: 1 }],
      { c: { d: 1, x: 1 } },
    ],
  ])('%s', (_, rules, output) => {
    const input = { a: { c: { d: 1 } }, list: [{ v: 1 }] };
    const before = JSON.stringify([input, rules]);
    expect(apply(rules, input)).toEqual(output);
    expect(apply(rules, input)).toEqual(output);
    expect(JSON.stringify([input, rules])).toBe(before);
  });
});

describe('expression, function and value', () => {
  const input = { price: 2, quantity: 3, name: 'pen' };
  test.each<[string, Json, Json]>([
    ['the members of the input by name', { expression: 'price * quantity' }, { t: 6 }],
    ['$ the whole input', { expression: '$.price' }, { t: 2 }],
    ['what is not there leaves the target out', { expression: 'nothing.at.all' }, {}],
    [
      'members that are undefined',
      { expression: '({a: nothing, b: 1, c: [nothing]})' },
      { t: { b: 1, c: [null] } },
    ],
    [
      'a function with paths and values',
      { function: 'join', args: ['name', 2, { value: 'x' }, [1], null] },
      { t: '["pen",2,"x",[1],null]' },
    ],
    ['a function without arguments', { function: 'none' }, {}],
    ['a constant', { value: { a: [1, null] } }, { t: { a: [1, null] } }],
    ['a null', { value: null }, { t: null }],
  ])('%s', (_, rule, output) => {
    const functions = { join: '(...all) => JSON.stringify(all)', none: '() => undefined' };
    const transformationRules = [{ target: 't', ...(rule as object) }];
    expect(run({ transformationRules, functions }, input)).toEqual(output);
  });

  const NO_NUMBER =
    'it computes with what is no number, such as a text or what is not there; + joins texts, and Number(x) makes a number of one';
  test.each([
    ['0 / 0', `gives the number NaN, which JSON does not have: ${NO_NUMBER}`],
    [
      '["x"].map((text) => text * 2)',
      `gives the number NaN, which JSON does not have: ${NO_NUMBER}`,
    ],
    ['[1 / 0]', 'gives the number Infinity, which JSON does not have'],
    ['({f: () => 1})', 'gives a function, which JSON does not have'],
    ['[/a/]', 'gives a regular expression, which JSON does not have'],
  ])('%s is no JSON', (expression, message) => {
    expect(() => apply([{ target: 't', expression }], {})).toThrow(
      expect.objectContaining({
        code: 'TEMPLATE_FAILED',
        details: [{ path: 'transformationRules.0', message }],
      }),
    );
  });
});

describe('mapping', () => {
  const mapping = { N: 'new', '1': 'one', true: 'yes', null: 'none', __proto__x: 'odd' };
  test.each<[Json, Json]>([
    ['N', { t: 'new' }],
    [' N ', { t: 'new' }],
    [1, { t: 'one' }],
    [true, { t: 'yes' }],
    [null, { t: 'none' }],
    ['other', {}],
    ['constructor', {}],
  ])('%j', (a, output) => {
    const transformers = typeof a === 'string' ? ['trim'] : [];
    expect(apply([{ target: 't', source: 'a', transformers, mapping }], { a })).toEqual(output);
  });
});

describe('copy', () => {
  const input = { customer: { name: 'Ada', mail: 'a@b.pt', address: { city: 'Porto', zip: '1' } } };
  test.each<[string, readonly Json[], Json]>([
    [
      'members into the output',
      [{ copy: { from: 'customer.address' } }],
      { city: 'Porto', zip: '1' },
    ],
    [
      'a value to a place',
      [{ copy: { from: 'customer.name', to: 'buyer.name' } }],
      { buyer: { name: 'Ada' } },
    ],
    ['some members', [{ copy: { from: 'customer', fields: ['name', 'none'] } }], { name: 'Ada' }],
    [
      'members by path',
      [{ copy: { from: 'customer', to: 'b', fields: ['address.city'] } }],
      { b: { address: { city: 'Porto' } } },
    ],
    ['the whole input', [{ copy: {} }], input],
    ['what is not there', [{ copy: { from: 'nobody', to: 'b' } }], {}],
    [
      'next to what is there',
      [{ target: 'b.vip', value: true }, { copy: { from: 'customer.address', to: 'b' } }],
      { b: { vip: true, city: 'Porto', zip: '1' } },
    ],
  ])('%s', (_, rules, output) => {
    expect(apply(rules, input)).toEqual(output);
  });

  test('needs an object to copy the members of', () => {
    expect(() => apply([{ copy: { from: 'customer.name' } }], input)).toThrow(
      'copies members, and there is no object at `from`',
    );
  });
});

test('initialize puts constants, which later rules may add to', () => {
  const rules = [
    { initialize: { lines: [], 'meta.source': 'shop' } },
    { forEach: { array: 'a', as: 'n' }, target: 'lines', rules: [{ target: 'n', source: 'n' }] },
    { target: 'meta.count', expression: 'a.length' },
  ];
  expect(apply(rules, { a: [1, 2] })).toEqual({
    lines: [{ n: 1 }, { n: 2 }],
    meta: { source: 'shop', count: 2 },
  });
  expect(apply(rules, { a: [] })).toEqual({ lines: [], meta: { source: 'shop', count: 0 } });
});
