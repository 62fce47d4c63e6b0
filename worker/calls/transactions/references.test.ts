/** References of transactions: what has none is neither copied nor asked for its names, which are very many of a large value. */
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { withNames } from '../../../proto/ordered-json.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { asData, mapReferences, membersAsData, placesIn } from './references.ts';

const NAMES = Array.from({ length: 5_000 }, (_, at) => `k${at}`);

test.each<[string, (value: Json) => unknown, (value: Json) => unknown]>([
  ['mapped', (value) => mapReferences(value, () => 1), (value) => value],
  ['looked for places', (value) => whole(placesIn(value, 1)), () => new Set()],
  ['taken as data', asData, (value) => value],
  [
    'looked through for data',
    (value) => whole(membersAsData(value as JsonObject)),
    (value) => value,
  ],
])('%s', (_, work, expected) => {
  let asked = 0;
  const ownKeys = (object: object) => {
    asked += 1;
    return Reflect.ownKeys(object);
  };
  const members = Object.fromEntries(NAMES.map((name) => [name, 1]));
  const many = new Proxy<JsonObject>(members, { ownKeys });
  withNames(many, NAMES);
  asked = 0;
  const value = { query: 'select $1', params: [[many]] };
  const done = work(value);
  expect(asked).toBe(0);
  expect(done).toEqual(expected(value));
  if (expected(value) === value) expect(done).toBe(value);
});

test('those within others are replaced, those in literals are not', () => {
  const literal = { $literal: { $result: '[0].a' } };
  const value = { a: [{ $result: '[0].a' }, literal, { b: { $result: '[1]' } }], c: 1 };
  const replaced = mapReferences(value, (place, path) => `${place} ${path}`);
  expect(replaced).toEqual({ a: ['0 [0].a', literal, { b: '1 [1]' }], c: 1 });
  expect(whole(placesIn(value, 2))).toEqual(new Set([0, 1]));
  expect(asData(value)).toEqual({
    ...{ a: [{ $literal: { $result: '[0].a' } }, { $literal: literal }] },
    ...{ a: [literal, { $literal: literal }, { b: { $literal: { $result: '[1]' } } }], c: 1 },
  });
});

test('of a body its members are data, and what is none is put away', () => {
  const reference = { $result: '[0].a' };
  expect(whole(membersAsData({ query: 'q', params: [[1], reference] }))).toEqual({
    query: 'q',
    params: [[1], { $literal: reference }],
  });
  expect(whole(membersAsData({ $result: '[0].a' }))).toEqual({ $result: '[0].a' });
});

test('very many values give way', () => {
  const value = { params: [Array.from({ length: 100_000 }, () => [1])] };
  for (const pieces of [placesIn(value, 0), membersAsData(value)] as Pieces<unknown>[]) {
    let pauses = 0;
    while (!pieces.next().done) pauses += 1;
    expect(pauses).toBeGreaterThan(10);
  }
});
