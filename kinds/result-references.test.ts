/** References to earlier results: what they point to, and what is no reference. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../proto/json.ts';
import { pointIn, resolveReferences } from './result-references.ts';

const RESULTS: Json[] = [{ rows: [{ id: 7, 'odd.name': { a: [1, null] } }], row_count: 1 }, [5]];
const resolve = (value: Json, literals: 'unwrapped' | 'kept' = 'unwrapped') =>
  resolveReferences(
    value,
    pointIn((index) => RESULTS[index]),
    literals,
  );

describe('a reference', () => {
  test.each<[Json, Json]>([
    [{ $result: '[0].rows[0].id' }, 7],
    [{ $result: '[0].row_count' }, 1],
    [{ $result: '[0]["rows"][0]["odd.name"].a' }, [1, null]],
    [{ $result: '[0]["rows"][0]["odd.name"].a[1]' }, null],
    [{ $result: '[1][0]' }, 5],
    [{ $result: '[1]' }, [5]],
    [[{ a: { b: { $result: '[1][0]' } } }], [{ a: { b: 5 } }]],
  ])('%j is %j', (value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  test.each([
    '[2]',
    '[0].nothing',
    '[0].rows[1]',
    '[0].rows.id',
    '[0].rows[0].id.x',
    '[0]..rows',
    '[x]',
    '[0',
    '[0].rows[-1]',
    '[0].__proto__',
    '["a"]',
    '[0].rows[0]["unclosed]',
  ])('%s is refused', ($result) => {
    expect(() => resolve({ $result })).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  });
});

describe('what only looks like one', () => {
  test.each<Json>([
    { $result: 'rows' },
    { $result: 1 },
    { $result: '[0]', other: 1 },
    '[0].rows',
    { result: '[0]' },
  ])('%j stays', (value) => {
    expect(resolve(value)).toEqual(value);
  });

  test('a literal is its inside, looked at by nobody', () => {
    expect(resolve({ $literal: { $result: '[0]' } })).toEqual({ $result: '[0]' });
    expect(resolve({ $literal: { $literal: 1 } })).toEqual({ $literal: 1 });
  });

  test('a literal stays where it is an operator of the backend', () => {
    expect(resolve({ $literal: { $result: '[1][0]' } }, 'kept')).toEqual({ $literal: 5 });
  });

  test('any value without references is itself', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = value as Json; // JSON by construction.
        if (!JSON.stringify(json).includes('$')) expect(resolve(json)).toEqual(json);
      }),
    );
  });
});

describe('what references may cost', () => {
  const big = [{ text: 'x'.repeat(1024 * 1024) }];

  test('they put no more into one operation than a request may have', () => {
    const params = (count: number) => Array(count).fill({ $result: '[0].text' });
    const put = (count: number) =>
      resolveReferences(
        params(count),
        pointIn((index) => big[index]),
        'unwrapped',
      );
    expect(put(9)).toHaveLength(9);
    expect(() => put(10)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('puts in more than 10485760') }),
    );
  });

  test('a path is at most 1024 characters long', () => {
    expect(() => resolve({ $result: `[0]${'.a'.repeat(600)}` })).toThrow(
      expect.objectContaining({ message: expect.stringContaining('is longer than 1024') }),
    );
  });
});
