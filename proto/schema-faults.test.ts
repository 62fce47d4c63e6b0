/** What is told of members that an object does not have. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { faultsOf, IN_OUR_WORDS } from './schema-faults.ts';

const Order = z.strictObject({ query: z.string(), params: z.string().optional() });

function told(value: unknown) {
  const { error } = Order.safeParse(value, IN_OUR_WORDS);
  return error && faultsOf(error, 'body');
}

test('a name that is near a known one comes first, and others get the names that there are', () => {
  expect(told({ query: 'a', colour: 1, parms: 2 })).toEqual([
    {
      path: 'body',
      message:
        '"parms" is not known; did you mean "params"? "colour" is not known; known are query, params',
    },
  ]);
});

test('a name that is there already is meant by its very next alone', () => {
  expect(told({ query: 'a', qery: 1 })).toEqual([
    { path: 'body', message: '"qery" is not known; did you mean "query"?' },
  ]);
  expect(told({ query: 'a', qry: 1 })).toEqual([
    { path: 'body', message: '"qry" is not known; known are query, params' },
  ]);
});

test('of many names a hundred are told, and how many more there are', () => {
  const names = Array.from({ length: 200_000 }, (_, at) => `m${at}`);
  const first = names
    .slice(0, 100)
    .map((name) => `"${name}"`)
    .join(', ');
  expect(told({ query: 'a', ...Object.fromEntries(names.map((name) => [name, 1])) })).toEqual([
    {
      path: 'body',
      message: `${first} are not known; known are query, params; 199900 more are not known`,
    },
  ]);
});
