/** References of transactions: what has none is neither copied nor asked for its names, which are very many of a large value. */
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { withNames } from '../../../proto/ordered-json.ts';
import { whole } from '../../../proto/work/pieces.ts';
import { asData, mapReferences, placesIn } from './references.ts';

const NAMES = Array.from({ length: 5_000 }, (_, at) => `k${at}`);

test.each<[string, (value: Json) => unknown, (value: Json) => unknown]>([
  ['mapped', (value) => mapReferences(value, () => 1), (value) => value],
  ['looked for places', (value) => whole(placesIn(value, 1)), () => new Set()],
  ['taken as data', asData, (value) => value],
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
