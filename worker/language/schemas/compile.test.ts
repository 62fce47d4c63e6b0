/** Promises of compile.ts: what is wrong with a value is told with its place. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { compileSchema } from './compile.ts';

function faults(schema: Json, value: Json): [path: string, message: string][] {
  return compileSchema(schema)
    .validate(value)
    .map(({ path, message }) => [path, message]);
}

describe('says of a value', () => {
  test.each<[schema: Json, value: Json, message: string]>([
    [{ type: 'string' }, 1, 'is not a string'],
    [{ type: ['string', 'null'] }, 1, 'is not a string or null'],
    [{ type: ['array', 'integer', 'object'] }, 1.5, 'is not an array, an integer or an object'],
    [{ const: { a: [1] } }, { a: [2] }, 'is not {"a":[1]}'],
    [{ enum: ['a', 1, null] }, 'b', 'is not "a", 1 or null'],
    [{ minimum: 3 }, 2, 'is less than the minimum 3'],
    [{ maximum: 3 }, 4, 'is greater than the maximum 3'],
    [{ exclusiveMinimum: 3 }, 3, 'is not greater than 3'],
    [{ exclusiveMaximum: 3 }, 3, 'is not less than 3'],
    [{ multipleOf: 0.01 }, 1.005, 'is not a multiple of 0.01'],
    [{ minLength: 2 }, '🙂', 'is shorter than 2 characters'],
    [{ maxLength: 1 }, '🙂🙂', 'is longer than 1 character'],
    [{ pattern: '^a+$' }, 'b', 'does not match the pattern ^a+$'],
    [{ minItems: 1 }, [], 'has fewer than 1 item'],
    [{ maxItems: 2 }, [1, 2, 3], 'has more than 2 items'],
    [{ uniqueItems: true }, [1, { a: 1 }, 2, { a: 1 }], 'has equal items: 1 and 3'],
    [{ contains: { type: 'string' } }, [1], 'has fewer than 1 item as in contains'],
    [{ contains: true, maxContains: 1 }, [1, 2], 'has more than 1 item as in contains'],
    [{ minProperties: 1 }, {}, 'has fewer than 1 member'],
    [{ maxProperties: 0 }, { a: 1 }, 'has more than 0 members'],
    [false, 1, 'is not allowed'],
    [{ not: { type: 'string' } }, 'a', 'fits the schema in not, which it must not'],
    [{ oneOf: [true, { minimum: 1 }] }, 1, 'fits more than one of the schemas in oneOf'],
    [{ anyOf: [{ minimum: 3 }, { multipleOf: 2 }] }, 1, 'fits none of the schemas in anyOf'],
    [{ anyOf: [{ type: 'string' }, { type: ['null'] }] }, 1, 'is not a string or null'],
  ])('%j against %j: %s', (schema, value, message) => {
    expect(faults(schema, value)).toEqual([['', message]]);
  });
});

describe('says where', () => {
  test.each<[what: string, schema: Json, value: Json, expected: [string, string][]]>([
    [
      'all faults at once',
      {
        type: 'object',
        required: ['name', 'age'],
        properties: { name: { type: 'string' }, tags: { items: { type: 'number' } } },
        additionalProperties: false,
      },
      { name: 1, tags: [1, 'b', 'c'], more: true },
      [
        ['age', 'is required'],
        ['name', 'is not a string'],
        ['tags[1]', 'is not a number'],
        ['tags[2]', 'is not a number'],
        ['more', 'is not allowed'],
      ],
    ],
    [
      'names that need escapes',
      { additionalProperties: { properties: { 'a.b': false, '': false, 'c[0]\\': false } } },
      { 'x.y': { 'a.b': 1, '': 1, 'c[0]\\': 1 } },
      [
        ['x\\.y.a\\.b', 'is not allowed'],
        ['x\\.y.\\0', 'is not allowed'],
        ['x\\.y.c\\[0\\]\\\\', 'is not allowed'],
      ],
    ],
    [
      'a name',
      { propertyNames: { maxLength: 2 } },
      { abc: 1 },
      [['abc', 'has a name that is longer than 2 characters']],
    ],
    [
      'a member that another requires',
      {
        dependentRequired: { card: ['owner'] },
        dependentSchemas: { card: { required: ['bank'] } },
      },
      { card: 1 },
      [
        ['owner', 'is required with card'],
        ['bank', 'is required'],
      ],
    ],
    [
      'the branch that is meant for such a value',
      { properties: { a: { anyOf: [{ type: 'null' }, { properties: { b: { minimum: 1 } } }] } } },
      { a: { b: 0 } },
      [['a.b', 'is less than the minimum 1']],
    ],
    [
      'the branch whose mark the value carries',
      {
        oneOf: ['circle', 'square'].map((kind) => ({
          properties: { kind: { const: kind }, size: { type: 'number' } },
        })),
      },
      { kind: 'square', size: 'large' },
      [['size', 'is not a number']],
    ],
    [
      'nothing of what was only tried',
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      { if: { required: ['a'] }, then: false, else: { required: ['b'] }, contains: { minimum: 1 } },
      {},
      [['b', 'is required']],
    ],
    [
      'what nothing looked at',
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { a: 1, b: 2 },
      [['b', 'is not allowed']],
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(faults(schema, value)).toEqual(expected);
  });

  test('one fault once, however many ways lead to it', () => {
    const name = { properties: { name: { type: 'string' } } };
    expect(faults({ allOf: [name, name, name] }, { name: 1 })).toEqual([
      ['name', 'is not a string'],
    ]);
  });

  test('no more than 100 faults, and paths no longer than anybody reads', () => {
    const value = { ['x'.repeat(5_000_000)]: Array.from({ length: 1000 }, () => 'a') };
    const found = faults({ additionalProperties: { items: { type: 'number' } } }, value);
    expect(found.length).toBe(100);
    expect(Math.max(...found.map(([path]) => path.length))).toBe(1001);
  });
});

test('a schema that leads into its neighbour leaves no anchors there', () => {
  const list = {
    $id: 'list',
    items: { $dynamicRef: '#item' },
    $defs: { any: { $dynamicAnchor: 'item' } },
  };
  const numbers = { $id: 'numbers', $defs: { item: { $dynamicAnchor: 'item', type: 'number' } } };
  expect(faults({ $id: 'https://a.test/', allOf: [numbers, list] }, ['a'])).toEqual([]);
});

test('of two schemas that have one identifier, each is itself where it stands', () => {
  const of = (type: string) => ({ $id: 'same', $dynamicAnchor: 'a', type });
  const schema = {
    prefixItems: [of('string'), of('number'), { $ref: 'same' }, { $dynamicRef: 'same#a' }],
  };
  expect(faults(schema, ['a', 1, 'b', 'c'])).toEqual([]);
  expect(faults(schema, [1, 'a', 1, 1])).toHaveLength(4);
});

test('names that look like parts of a URL are names like any other', () => {
  for (const name of ['#?a', '#', 'a/b', 'a~1b', '%23', '?#?', '#!', '../a']) {
    const found = faults({ properties: { [name]: { type: 'string' } } }, { [name]: 1 });
    expect(found.map(([, message]) => message)).toEqual(['is not a string']);
  }
});

test('names of the language are names like any other', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  const of = (value: Json) => Object.fromEntries(names.map((name) => [name, value]));
  expect(faults({ required: names }, {})).toEqual(names.map((name) => [name, 'is required']));
  expect(faults({ properties: of({ type: 'string' }) }, of('a'))).toEqual([]);
  expect(faults({ properties: of({ type: 'string' }) }, of(1))).toHaveLength(names.length);
  expect(faults({ properties: of(true), additionalProperties: false }, of(1))).toEqual([]);
  expect(faults({ additionalProperties: false }, of(1))).toHaveLength(names.length);
  expect(faults({ dependentRequired: of(['a']) }, {})).toEqual([]);
  expect(faults({ const: of(1) }, {})).toHaveLength(1);
  expect(
    faults({ allOf: names.map((name) => ({ $ref: `#/$defs/${name}` })), $defs: of(false) }, 1),
  ).toHaveLength(1);
  for (const name of names) {
    const anchored = { $ref: `#${name}`, $defs: { a: { $anchor: name, type: 'string' } } };
    expect(faults(anchored, 1)).toEqual([['', 'is not a string']]);
    const dynamic = { $dynamicRef: `#${name}`, $defs: { a: { $dynamicAnchor: name, const: 1 } } };
    expect(faults(dynamic, 2)).toEqual([['', 'is not 1']]);
  }
});

test('what becomes of a schema later does not matter', () => {
  const schema = { properties: { a: { type: 'string' } } };
  const compiled = compileSchema(schema);
  schema.properties.a.type = 'number';
  expect(compiled.validate({ a: 1 })).toEqual([{ path: 'a', message: 'is not a string' }]);
  expect(faults(schema, { a: 1 })).toEqual([]);
});
