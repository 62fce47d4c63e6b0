/** Promises of building documents from places: any order, no overwriting, no gap without an end. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { Builder } from './build.ts';
import { Path } from './path.ts';

/** What is when values were put at those paths; the fault if one was in the way. */
function built(entries: Readonly<Record<string, Json>>): Json | undefined {
  const builder = new Builder();
  for (const [path, value] of Object.entries(entries)) {
    const fault = builder.put(new Path(path).steps ?? [], value);
    if (fault !== undefined) return `${path}: ${fault}`;
  }
  return builder.finish();
}

describe('values go where their paths say', () => {
  test.each<[Record<string, Json>, Json | undefined]>([
    [{}, undefined],
    [{ '': 1 }, 1],
    [{ 'a.b[1].c': 1, 'a.b[0]': 2 }, { a: { b: [2, { c: 1 }] } }],
    [{ '[2]': 1 }, [null, null, 1]],
    [{ 'a[1]': null, 'a[0]': 1 }, { a: [1, null] }],
    [{ '/a/1/b': 1, '/a/0': 2 }, { a: [2, { b: 1 }] }],
    [{ 'a/0': 1 }, { a: [1] }],
    [{ 'a.0': 1 }, { a: { '0': 1 } }],
    [{ 'a.x': 1, '/a/0': 2 }, { a: { x: 1, '0': 2 } }],
    [{ "$['a'][0]['b.c']": 1 }, { a: [{ 'b.c': 1 }] }],
    [{ 'a.b': {}, 'a.c': [] }, { a: { b: {}, c: [] } }],
  ])('%j', (entries, document) => {
    expect(built(entries)).toEqual(document);
  });
});

describe('a place has a value or children, and one value', () => {
  test.each<[Record<string, Json>, string]>([
    [{ a: 1, 'a.b': 2 }, 'a.b: there is a value above it already'],
    [{ a: {}, 'a.b': 2 }, 'a.b: there is a value above it already'],
    [{ 'a.b': 1, a: 2 }, 'a: there are values below it already'],
    [{ 'a[0]': 1, 'a.b': 2 }, 'a.b: an array is there already, which takes indexes alone'],
    [{ 'a.b': 1, 'a[0]': 2 }, 'a[0]: an object is there already, which takes names alone'],
    [{ '/a': 1, a: 2 }, 'a: there is a value already'],
    [{ '': 1, a: 2 }, 'a: there is a value above it already'],
    [{ 'a[0]': 1, '/a/x': 2 }, '/a/x: an array is there already, which takes indexes alone'],
    [{ 'a[0]': 1, '/a/-': 2 }, '/a/-: an array is there already, which takes indexes alone'],
    [{ '[4294967295]': 1 }, '[4294967295]: it leaves more than 1000000 elements without a value'],
    [{ 'a[999999]': 1, 'b[9]': 2 }, 'b[9]: it leaves more than 1000000 elements without a value'],
    [
      { 'a[9007199254740991]': 1 },
      'a[9007199254740991]: it leaves more than 1000000 elements without a value',
    ],
  ])('%j', (entries, fault) => {
    expect(built(entries)).toBe(fault);
  });
});

test('gaps that are filled later cost nothing', () => {
  const builder = new Builder();
  for (let round = 0; round < 5; round += 1) {
    for (let at = 299_999; at >= 0; at -= 1) builder.put([round, at], at);
  }
  expect(JSON.stringify(builder.finish()).length).toBeGreaterThan(1_500_000);
});

test('no name reaches a prototype', () => {
  const builder = new Builder();
  builder.put(['__proto__', 'polluted'], 1);
  builder.put(['constructor', 'prototype', 'polluted'], 2);
  builder.put(['a', 'toString'], 3);
  expect(JSON.stringify(builder.finish())).toBe(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"a":{"toString":3}}',
  );
  expect('polluted' in {}).toBe(false);
});
