/** A check in pieces finds what a check at once finds, in the same words, and no piece is long; nor is one of reading a schema. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { compileInPieces, compileSchema } from './compile.ts';
import { documents, filesOf } from './test/suite.ts';
import { ValidationBudget } from './validation-budget.ts';

describe.each(['draft2020-12', 'draft7'] as const)('all cases of %s', (draft) => {
  const files = [...filesOf(draft), ...filesOf(draft, true)];

  test.each(files)('%s', (_, groups) => {
    for (const { schema, tests } of groups) {
      const { validate, inPieces } = compileSchema(schema, { documents });
      for (const { data } of tests) {
        expect(whole(inPieces(data, new ValidationBudget(), 0))).toEqual(validate(data));
      }
    }
  });
});

const record = (at: number): Json => ({ a: at, b: ['x', { c: `name ${at}` }], d: null });
const RECORDS = Array.from({ length: 20_000 }, (_, at) => record(at));
/** Steps of a piece with what one keyword takes at once of the records. */
const LARGEST_PIECE = 30_000;

test.each<[schema: Json, faults: number]>([
  [{ items: { required: ['a'], properties: { a: { type: 'integer' } } } }, 0],
  [{ items: { anyOf: [{ required: ['z'] }, { properties: { d: { type: 'null' } } }] } }, 0],
  [{ uniqueItems: true }, 0],
  [{ contains: { properties: { a: { const: 19_999 } } }, maxContains: 1 }, 0],
  [{ items: { unevaluatedProperties: false, properties: { a: true, b: true, d: true } } }, 0],
  [{ items: { properties: { b: { items: { type: 'string' } } } } }, 100],
  [{ enum: [1, RECORDS.slice(1)] }, 1],
])('%j', (schema, faults) => {
  const { inPieces, validate } = compileSchema(schema);
  const work = new ValidationBudget();
  let before = work.left;
  let largest = 0;
  const pieces = inPieces(RECORDS, work);
  let piece = pieces.next();
  for (; !piece.done; piece = pieces.next()) {
    largest = Math.max(largest, before - work.left);
    before = work.left;
  }
  expect(piece.value).toEqual(validate(RECORDS));
  expect(piece.value).toHaveLength(faults);
  expect(largest).toBeLessThan(LARGEST_PIECE);
});

/** How often work gives way before it ends. */
function pausesOf(pieces: Pieces<unknown>): number {
  let pauses = 0;
  while (!pieces.next().done) pauses += 1;
  return pauses;
}

test('what looks at each item of a long list looks at few before the first pause', () => {
  let seen = 0;
  const items = new Proxy(Array<Json>(400_000).fill(1), {
    get(list, name, receiver) {
      seen += typeof name === 'string' && /^\d/.test(name) ? 1 : 0;
      return Reflect.get(list, name, receiver);
    },
  });
  const pieces = compileSchema({ items: { type: 'integer' } }).inPieces(items);
  expect(pieces.next().done).toBe(false);
  expect(seen).toBeLessThan(50_000);
});

test('an object is asked for its names once, however many schemas look at them', () => {
  let asked = 0;
  const record = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, 1]));
  const object = new Proxy(record, {
    ownKeys(target) {
      asked += 1;
      return Reflect.ownKeys(target);
    },
  });
  const looks = { additionalProperties: { type: 'integer' } };
  const { inPieces } = compileSchema({ allOf: Array.from({ length: 6 }, () => looks) });
  expect(whole(inPieces(object))).toEqual([]);
  // By the part at once, and by the pieces.
  expect(asked).toBeLessThanOrEqual(2);
});

const many = (count: number) => Array.from({ length: count }, (_, at) => `k${at}`);
const named = (names: readonly string[], value: Json) =>
  Object.fromEntries(names.map((name) => [name, value]));

test.each<[what: string, schema: Json, pauses: number]>([
  ['many properties', { properties: named(many(5_000), { type: 'string' }) }, 200],
  ['many definitions', { $defs: named(many(5_000), { $ref: '#' }) }, 200],
  ['many names that are required', { required: many(60_000) }, 20],
  ['a large default', { default: named(many(50_000), [{}]) }, 20],
  [
    'what is no place of a schema and is referred to',
    { $ref: '#/x', x: { properties: named(many(5_000), {}) } },
    200,
  ],
])('a schema with %s is read in pieces', (_, schema, pauses) => {
  expect(pausesOf(compileInPieces(schema))).toBeGreaterThan(pauses);
});

test('more schemas than may be are refused after those that may', () => {
  const schema = { properties: named(many(60_000), true) };
  expect(() => whole(compileInPieces(schema))).toThrow(
    'schema.properties.k5999: is one of more than 6000 schemas',
  );
});
