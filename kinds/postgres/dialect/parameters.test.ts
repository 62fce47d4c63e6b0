/** Parameters in text format, at once and in pieces. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { withNames } from '../../../proto/ordered-json.ts';
import { whole } from '../../../proto/work/pieces.ts';
import type { PostgresRequest } from '../index.ts';
import type { FieldValue, TypeInfo } from './encode.ts';
import { keepTexts } from './keep-texts.ts';
import { encodeParameters, parametersInPieces, parametersOf } from './parameters.ts';

const TEXT: TypeInfo = { name: 'text', format: 'text' };
const JSONB: TypeInfo = { name: 'jsonb', format: 'json' };
const arrayOf = (type: TypeInfo): TypeInfo => ({
  name: `${type.name}[]`,
  format: 'text',
  element: { type, delimiter: ',' },
});
const TYPES = [undefined, TEXT, JSONB, arrayOf(TEXT), arrayOf(JSONB)];

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const tagged = fc.oneof(
  fc.record({ Json: json }),
  fc.record({ Int8: fc.integer() }),
  fc.record({ Bytes: fc.array(fc.nat(300), { maxLength: 3 }) }),
  fc.constant({ Null: null }),
);
const value = fc.oneof(json, tagged, fc.array(fc.oneof(json, tagged))) as fc.Arbitrary<Json>;

const request: fc.Arbitrary<PostgresRequest> = fc.oneof(
  fc.record({
    type: fc.constant('query' as const),
    query: fc.constant('q'),
    params: fc.array(value),
  }),
  fc.record({
    type: fc.constant('query_typed' as const),
    query: fc.constant('q'),
    params: fc.array(fc.tuple(value, fc.constantFrom('text', 'jsonb', 'int8'))),
  }),
);

/** What work answers or throws. */
function outcome(work: () => unknown) {
  try {
    return { answer: work() };
  } catch (thrown) {
    return { thrown };
  }
}

describe('in pieces', () => {
  test('parameters are what they are at once', () =>
    fc.assert(
      fc.property(request, fc.array(fc.constantFrom(...TYPES)), (given, types) => {
        const parameters = parametersOf(given);
        const typeAt = (index: number) => types[index];
        expect(outcome(() => whole(parametersInPieces(parameters, typeAt)))).toEqual(
          outcome(() => encodeParameters(parameters, typeAt)),
        );
      }),
      { numRuns: 1_000 },
    ));

  const many = Array.from({ length: 60_000 }, (_, at) => `é${at}`);
  test.each([
    ['a large array as JSON', [many], undefined],
    ['a large object', [{ many }], undefined],
    ['a large array of texts', [many], arrayOf(TEXT)],
    ['many', many, undefined],
  ])('%s: others work between', (_, values, type) => {
    const pieces = parametersInPieces({ values }, () => type);
    let pauses = 0;
    let piece = pieces.next();
    for (; !piece.done; piece = pieces.next()) pauses += 1;
    expect(
      JSON.stringify(piece.value) === JSON.stringify(encodeParameters({ values }, () => type)),
    ).toBe(true);
    expect(pauses).toBeGreaterThan(10);
  });
});

test.each<[string, Json, TypeInfo | undefined, string | null]>([
  ['an array where no array is wanted is JSON', [1, { a: [] }], undefined, '[1,{"a":[]}]'],
  ['an array within an array has no quotes', [['a', null]], arrayOf(TEXT), '{{"a",NULL}}'],
  [
    'an array within one of JSON is an element',
    [[1], { Int8: 1 }],
    arrayOf(JSONB),
    '{"[1]","{\\"Int8\\":1}"}',
  ],
  ['of data no element is a tag', { Json: [{ Int8: 1 }] }, arrayOf(TEXT), '{"{\\"Int8\\":1}"}'],
  [
    'a tag within an array is its value',
    [{ Int8: 1 }, { Null: null }],
    arrayOf(TEXT),
    '{"1",NULL}',
  ],
])('%s', (_, given, type, text) => {
  expect(encodeParameters({ values: [given] }, () => type)).toEqual([text]);
});

test('does not ask an object for very many names: that holds the thread for a second', () => {
  const names = Array.from({ length: 5_000 }, (_, at) => `k${at}`);
  const members = Object.fromEntries(names.map((name) => [name, 1]));
  let asked = 0;
  const ownKeys = (object: object) => {
    asked += 1;
    return Reflect.ownKeys(object);
  };
  const object = new Proxy<Record<string, Json>>(members, { ownKeys });
  withNames(object, names);
  asked = 0;
  const types = [undefined, TEXT, JSONB, arrayOf(JSONB)];
  for (const type of types) {
    const texts = whole(parametersInPieces({ values: [object] }, () => type));
    expect(texts).toEqual([JSON.stringify(members)]);
  }
  expect(asked).toBe(0);
});

test('a request of texts instead of values is sent as it was, whatever the server takes it for', () =>
  fc.assert(
    fc.property(
      request,
      fc.constantFrom(...TYPES),
      fc.constantFrom(...TYPES),
      (given, first, then) => {
        let texts: FieldValue[];
        try {
          texts = encodeParameters(parametersOf(given), () => first);
        } catch {
          return; // It was refused, and so not sent.
        }
        const { types } = parametersOf(given);
        keepTexts(given, texts);
        expect(parametersOf(given).types).toEqual(types);
        expect(encodeParameters(parametersOf(given), () => then)).toEqual(texts);
      },
    ),
  ));
