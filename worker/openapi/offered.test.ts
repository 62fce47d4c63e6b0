/** What is marked as not to be sent unasked. */
import { expect, test } from 'vitest';
import { offered } from './offered.ts';

const marked = (value: unknown) => JSON.parse(JSON.stringify({ a: [value] }, offered)).a[0];
const parameter = { name: 'limit', in: 'query', description: 'Most', schema: { type: 'integer' } };

test.each([
  ['its example', { example: 50 }, 50],
  ["its schema's example", { schema: { examples: [51, 52], default: 1000 } }, 51],
  ["its schema's default", { schema: { default: 1000 } }, 1000],
  ["its schema's constant", { schema: { const: 'string' } }, 'string'],
  ["its schema's first value", { schema: { enum: ['success', 'denied'] } }, 'success'],
])('an optional parameter is offered with %s, and is not to be sent unasked', (_, more, value) => {
  const { schema } = { ...parameter, ...more };
  expect(marked({ ...parameter, ...more })).toEqual({
    ...parameter,
    schema,
    examples: { optional: { value, 'x-disabled': true } },
  });
});

test.each([
  ['a required parameter', { ...parameter, required: true, example: 50 }],
  ['one in the path', { ...parameter, in: 'path', required: true, example: 'shop' }],
  ['one without an example', parameter],
  ['a reference', { $ref: '#/components/parameters/If-Match' }],
  ['a reply that resembles one', { name: 'limit', in: 'query' }],
])('%s stays as it is', (_, value) => {
  expect(marked(value)).toEqual(value);
});
