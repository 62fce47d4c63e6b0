/** A check in pieces finds what a check at once finds, in the same words, and no piece is long. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { whole } from '../../../proto/work/pieces.ts';
import { compileSchema } from './compile.ts';
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
