/** Rules, member by member. */
import { describe, expect, test } from 'vitest';
import { CREATE } from '../examples.ts';
import { apply, type Draft, run } from './test/run.ts';

test('runs the example of the API', () => {
  const input = { customer: { name: ' ada ' }, items: [{ sku: 'A1', price: 10, quantity: 2 }] };
  expect(run({ ...CREATE, transformationRules: [...CREATE.transformationRules] } as unknown as Draft, input)).toEqual({
    customer: 'Ada',
    lines: [{ sku: 'A1', amount: 20 }],
    total: 23.799999999999997,
  });
});

describe('source', () => {
  test.each([
    ['a.b', { a: { b: 1 } }, { t: 1 }],
    ['a.c', { a: { b: 1 } }, {}],
    ['/a/0', { a: [7] }, { t: 7 }],
    ['a/..', { a: [7, 8] }, { t: [7, 8] }],
    ['$.a[*].b', { a: [{ b: 1 }, {}, { b: 2 }] }, { t: [1, 2] }],
    ['$', { a: 1 }, { t: { a: 1 } }],
    ['__proto__.x', {}, {}],
    ['a.length', { a: [1] }, {}],
  ])('%s', (source, input, output) => {
    expect(apply([{ target: 't', source }], input)).toEqual(output);
  });
});
