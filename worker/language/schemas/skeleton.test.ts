/** Promises of skeleton.ts: what is a skeleton is clear, and it says what it seems to say. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { compileSchema, schemaOf } from './compile.ts';

describe('a skeleton', () => {
  test.each<[skeleton: Json, schema: Json]>([
    ['string', { type: 'string' }],
    ['Number', { type: 'number' }],
    ['any', true],
    [[], { type: 'array' }],
    [['integer'], { type: 'array', items: { type: 'integer' } }],
    [
      { name: 'string', tags: ['number'], address: { city: 'string', extra: {} } },
      {
        type: 'object',
        properties: {
          name: { type: 'string' },
          tags: { type: 'array', items: { type: 'number' } },
          address: {
            type: 'object',
            properties: {
              city: { type: 'string' },
              extra: { type: 'object', properties: {} },
            },
          },
        },
      },
    ],
  ])('%j is %j', (skeleton, schema) => {
    expect(schemaOf(skeleton)).toEqual(schema);
  });

  test.each<[skeleton: Json, why: string]>([
    [{ id: 'string', type: 'string' }, 'id is no keyword'],
    [{ title: 'string', description: 'string' }, 'as a schema it would ask for nothing'],
    [{ items: [{ sku: 'string' }] }, 'no schema has a list of items'],
    [{ minimum: 'number', maximum: 'number' }, 'bounds are no texts'],
    [{ properties: 'object' }, 'properties are no text'],
    [{ $oid: 'string' }, '$oid is no keyword'],
    [{ address: { type: 'string' } }, 'what is in a skeleton is one'],
  ])('is %j: %s', (skeleton) => {
    const { properties } = schemaOf(skeleton) as { properties?: object }; // Of a skeleton it has.
    expect(Object.keys(properties ?? {})).toEqual(Object.keys(skeleton as object));
  });
});

test.each<[schema: Json]>([
  [true],
  [{}],
  [{ type: 'string' }],
  [{ type: 'object', properties: { name: { type: 'string' } } }],
  [{ type: 'string', title: 'string' }],
  [{ enum: ['string'] }],
  [{ required: ['string'] }],
  [{ $ref: '#/$defs/a', $defs: { a: { type: 'object' } } }],
  [{ type: 'strng', name: 'string' }],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }],
])('a schema is %j, and comes back as it is', (schema) => {
  expect(schemaOf(schema)).toBe(schema);
});

test.each<[skeleton: Json, path: string, message: RegExp]>([
  ['strng', 'schema', /^is no type: string, number, /],
  [1, 'schema', /^is no type/],
  [null, 'schema', /^is no type/],
  [{ name: 'strng' }, 'schema.name', /^is no type/],
  [{ a: { 'b.c': [{ d: 5 }] } }, 'schema.a.b\\.c[0].d', /^is no type/],
  [['string', 'number'], 'schema', /^has more than one element$/],
])('%j is refused', (skeleton, path, message) => {
  let thrown: unknown;
  try {
    schemaOf(skeleton);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(GatewayError);
  expect(thrown).toMatchObject({
    code: 'BAD_REQUEST',
    details: [{ path, message: expect.stringMatching(message) }],
  });
});

test('a skeleton too deep is refused', () => {
  let skeleton: Json = 'string';
  for (let depth = 0; depth < 100_000; depth += 1) skeleton = { a: skeleton };
  expect(() => schemaOf(skeleton)).toThrow('schema: is nested more than 400 deep');
});

/** A skeleton with a value of that shape, and one that has another type somewhere. */
interface Example {
  readonly skeleton: Json;
  readonly value: Json;
  readonly other: Json;
}

const LEAVES: Record<string, [value: fc.Arbitrary<Json>, other: Json]> = {
  string: [fc.string(), 1],
  number: [fc.double({ noNaN: true, noDefaultInfinity: true }), 'a'],
  integer: [fc.integer(), 1.5],
  boolean: [fc.boolean(), null],
  null: [fc.constant(null), false],
};

const example: fc.Arbitrary<Example> = fc.letrec<{ any: Example }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc
      .constantFrom(...Object.entries(LEAVES))
      .chain(([skeleton, [value, other]]) =>
        value.map((each) => ({ skeleton, value: each, other })),
      ),
    fc.tuple(tie('any'), fc.nat(3)).map(([of, length]) => ({
      skeleton: [of.skeleton],
      value: Array.from({ length }, () => of.value),
      other: [of.value, of.other],
    })),
    fc.tuple(fc.string(), tie('any')).map(([name, of]) => ({
      // A name that no draft knows makes an object a skeleton.
      skeleton: Object.fromEntries([
        ['my own', 'any'],
        [name, of.skeleton],
      ]),
      value: Object.fromEntries(
        [
          ['my own', 1],
          [name, of.value],
          ['more', true],
        ].map(asEntry),
      ),
      other: Object.fromEntries(
        [
          ['my own', 1],
          [name, of.other],
        ].map(asEntry),
      ),
    })),
  ),
})).any;

function asEntry([name, value]: Json[]): [string, Json] {
  return [String(name), value ?? null];
}

test('a value of that shape fits, and one of another type does not', () => {
  void fc.assert(
    fc.property(example, ({ skeleton, value, other }) => {
      const { validate } = compileSchema(schemaOf(skeleton));
      expect(validate(value)).toEqual([]);
      expect(validate(other).length).toBeGreaterThan(0);
    }),
  );
});
