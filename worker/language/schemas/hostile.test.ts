/** Promises of validation-budget.ts: no schema and no value holds the isolate, whatever they are. */
import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../../proto/json.ts';
import { compileSchema } from './compile.ts';
import { DEEPEST } from './validation-budget.ts';

const TOO_MUCH = /^The value takes more than 6000000 steps to check/;
const TOO_DEEP = /^The value leads through more than 400 schemas inside one another/;
const CIRCLE = 'leads back to itself without an end';

/** An array in an array in an array. */
function nested(depth: number): Json {
  let value: Json = 1;
  for (let left = depth; left > 0; left -= 1) value = [value];
  return value;
}

const many = (length: number, of: (index: number) => Json): Json[] =>
  Array.from({ length }, (_, index) => of(index));

describe('schemas that lead back to themselves', () => {
  test.each<[schema: Json, path: string]>([
    [{ $ref: '#' }, 'schema'],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', $ref: '#' }, 'schema'],
    [{ allOf: [{ anyOf: [{ not: { $ref: '#' } }] }] }, 'schema.allOf[0].anyOf[0].not'],
    [{ if: { $ref: '#' } }, 'schema.if'],
    [
      {
        $ref: '#/$defs/a',
        $defs: { a: { $ref: '#/$defs/b' }, b: { oneOf: [{ $ref: '#/$defs/a' }] } },
      },
      'schema.$defs.b.oneOf[0]',
    ],
  ])('%j is refused', (schema, path) => {
    expect(() => compileSchema(schema)).toThrow(
      `${path === 'schema' ? 'schema' : path}: ${CIRCLE}`,
    );
  });

  test.each<[schema: Json]>([
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    [{ if: true, then: { $ref: '#' } }],
    [{ $dynamicAnchor: 'a', $dynamicRef: '#a' }],
    [{ dependentSchemas: { a: { $ref: '#' } } }],
  ])('%j ends when it is gone through', (schema) => {
    expect(() => compileSchema(schema).validate({ a: 1 })).toThrow(TOO_DEEP);
  });

  test('through what a value holds are as deep as the value', () => {
    const { validate } = compileSchema({ type: ['array', 'integer'], items: { $ref: '#' } });
    expect(validate(nested(DEEPEST - 1))).toEqual([]);
    expect(() => validate(nested(DEEPEST))).toThrow(TOO_DEEP);
    expect(() => validate(nested(100_000))).toThrow(TOO_DEEP);
  });
});

describe('depth', () => {
  test.each<[keyword: string, schema: Json]>([
    ['enum', { enum: [1] }],
    ['uniqueItems', { uniqueItems: true }],
  ])('of what %s compares is bounded', (_, schema) => {
    expect(() => compileSchema(schema).validate([nested(100_000)])).toThrow(TOO_DEEP);
  });

  test('is bounded in every keyword before the stack ends', () => {
    const deep = parseJson(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    for (const schema of [
      { properties: { a: { $ref: '#' } } },
      { additionalProperties: { $ref: '#' } },
      { patternProperties: { a: { $ref: '#' } } },
      { unevaluatedProperties: { $ref: '#' } },
      { anyOf: [{ type: 'integer' }, { allOf: [{ additionalProperties: { $ref: '#' } }] }] },
    ]) {
      expect(() => compileSchema(schema).validate(deep)).toThrow(TOO_DEEP);
    }
  });

  test('of a value that nothing looks into does not matter', () => {
    expect(compileSchema({ type: 'array' }).validate(nested(100_000))).toEqual([]);
  });

  test.each([1_000, 100_000])('of a schema is bounded: %d', (depth) => {
    expect(() => compileSchema({ const: nested(depth) })).toThrow(
      'schema: is nested more than 400 deep',
    );
  });
});

describe('work is counted', () => {
  /** Each of `length` schemas asks for the next one twice. */
  const doubling = (length: number): Json => ({
    $ref: '#/$defs/0',
    $defs: Object.fromEntries(
      many(length, (index) => {
        const next = { $ref: `#/$defs/${index + 1}` };
        return [String(index), { anyOf: [next, next] }];
      })
        .map((entry) => entry as [string, Json])
        .concat([[String(length), { type: 'string' }]]),
    ),
  });

  test.each<[what: string, schema: Json, value: Json]>([
    ['2^40 ways through references', doubling(40), 1],
    [
      'many constants for many values',
      { anyOf: many(5_000, () => ({ const: 1 })) },
      'x'.repeat(1_000_000),
    ],
    [
      'members that are missing many times',
      { items: { anyOf: many(100, () => ({ required: many(200, (index) => `k${index}`) })) } },
      many(10_000, () => ({})),
    ],
    [
      'members that are looked at many times',
      { allOf: many(2_900, () => ({ additionalProperties: true })) },
      Object.fromEntries(
        many(20_000, (index) => [`k${index}`, 1]).map((entry) => entry as [string, Json]),
      ),
    ],
    ['a long text for a large pattern', { pattern: '(\\p{L}{17}){16}$' }, 'áb'.repeat(1_000_000)],
  ])('%s', (_, schema, value) => {
    expect(() => compileSchema(schema).validate(value)).toThrow(TOO_MUCH);
  });

  test('and is enough for 100,000 elements that are all different', () => {
    const value = many(100_000, (index) => ({ id: index, tags: ['a', index] }));
    expect(compileSchema({ uniqueItems: true }).validate(value)).toEqual([]);
  });

  test('and is enough for 10 MiB of records', () => {
    const user = { name: 'Ada Lovelace', age: 36, tags: ['a', 'b'], address: { city: 'London' } };
    const properties = {
      name: { type: 'string', minLength: 1 },
      age: { type: 'integer', minimum: 0 },
      tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      address: { type: 'object', properties: { city: { type: 'string' } } },
    };
    const schema = { items: { properties, required: Object.keys(properties) } };
    const value = many(140_000, () => user);
    expect(JSON.stringify(value).length).toBeGreaterThan(10 * 1024 * 1024);
    expect(compileSchema(schema).validate(value)).toEqual([]);
  });
});

describe('expressions of exponential time', () => {
  test.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*a){12}$', '^([a-zA-Z]+)*$', '(x+x+)+y'])(
    '%s take linear time',
    (pattern) => {
      const text = `${'a'.repeat(100_000)}!`;
      expect(compileSchema({ pattern }).validate(text)).toHaveLength(1);
      const members = { [text]: 1 };
      const schema = { patternProperties: { [pattern]: true }, additionalProperties: false };
      expect(compileSchema(schema).validate(members)).toHaveLength(1);
    },
  );

  test('of which there are too many, or too large ones, are refused', () => {
    const patterns = many(101, (index) => ({ pattern: `a${index}` }));
    expect(() => compileSchema({ allOf: patterns })).toThrow('is one of more than 100 patterns');
    for (const pattern of ['(a{30}){30}', 'a{1001}', '((a{100}){100}){100}', 'a'.repeat(2001)]) {
      expect(() => compileSchema({ pattern })).toThrow(/^schema\.pattern: /);
    }
  });
});

test('schemas of too many schemas are refused', () => {
  for (const count of [6_000, 60_000]) {
    for (const keyword of ['anyOf', 'allOf', 'prefixItems']) {
      expect(() => compileSchema({ [keyword]: many(count, () => true) })).toThrow(
        `schema.${keyword}[5999]: is one of more than 6000 schemas`,
      );
    }
  }
});

test('schemas of too many characters are refused', () => {
  expect(() => compileSchema({ enum: ['x'.repeat(1_048_576)] })).toThrow(
    'schema: is longer than 1048576 characters',
  );
});

test('numbers of many digits are no work', () => {
  const digits = parseJson('9'.repeat(1_000_000));
  expect(compileSchema({ minimum: 7, type: 'integer' }).validate(digits)).toEqual([]);
  expect(compileSchema({ multipleOf: 7 }).validate(parseJson('1e999999999'))).toHaveLength(1);
});
