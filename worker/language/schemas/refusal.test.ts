/** Promises of compile.ts: what is wrong with a schema is told, and nothing from outside is in it. */
import { describe, expect, test, vi } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { compileSchema, type Fault } from './compile.ts';

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';

function faults(schema: Json, value: Json): readonly Fault[] {
  return compileSchema(schema).validate(value);
}

/** What a schema is refused with. */
function refusal(schema: Json, documents?: ReadonlyMap<string, Json>): readonly Fault[] {
  try {
    compileSchema(schema, documents ? { documents } : {});
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'BAD_REQUEST') {
      return error.details as readonly Fault[]; // Of bad input they are nothing else.
    }
    throw error;
  }
  throw new Error('The schema was taken.');
}

describe('refuses a schema', () => {
  test.each<[schema: Json, path: string, message: string]>([
    [1, 'schema', 'is not an object or a boolean'],
    [
      { type: 'strng' },
      'schema.type',
      'is not "array", "boolean", "integer", "null", "number", "object" or "string"',
    ],
    [{ properties: { a: { minimum: '3' } } }, 'schema.properties.a.minimum', 'is not a number'],
    [{ items: [{ type: 'string' }] }, 'schema.items', 'is not an object or a boolean'],
    [{ allOf: [true, { required: 'a' }] }, 'schema.allOf[1].required', 'is not an array'],
    [{ multipleOf: 0 }, 'schema.multipleOf', 'is not greater than 0'],
    [
      { $schema: DRAFT_7, definitions: { a: { enum: 1 } } },
      'schema.definitions.a.enum',
      'is not an array',
    ],
    [{ pattern: '(' }, 'schema.pattern', 'is not a regular expression'],
    [
      { patternProperties: { '(?=a)': true } },
      'schema.patternProperties.(?=a)',
      'looks ahead, which cannot be matched in linear time: use allOf with one pattern each',
    ],
    [
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      'schema.$schema',
      'is no draft that is known: https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema',
    ],
  ])('%j', (schema, path, message) => {
    expect(refusal(schema)).toEqual([{ path, message }]);
  });

  test('with all that is wrong', () => {
    const schema = { properties: { a: { type: 1 }, b: { minLength: -1 }, c: { pattern: '(' } } };
    expect(refusal(schema).map(({ path }) => path)).toEqual([
      'schema.properties.a.type',
      'schema.properties.b.minLength',
    ]);
    const patterns = { pattern: '[', $ref: '#/nowhere', items: { pattern: 'a{2000}' } };
    expect(refusal(patterns).map(({ path }) => path)).toEqual([
      'schema.pattern',
      'schema.$ref',
      'schema.items.pattern',
    ]);
  });

  test('under the name that the caller gives it', () => {
    expect(() => compileSchema({ type: 1 }, { at: 'outputSchema' })).toThrow('outputSchema.type:');
  });

  test('but not for keywords and formats that no draft knows', () => {
    const schema = { type: 'string', format: 'email', nullable: true, toString: 1, 'x-a': {} };
    expect(faults(schema, 'no address')).toEqual([]);
  });
});

describe('references', () => {
  const NOWHERE = 'leads to no schema in this document; others are never fetched';

  test.each([
    'http://example.com/schema.json',
    'https://json-schema.org/draft/2019-09/schema',
    'file:///etc/passwd',
    'other.json',
    '#/properties/b',
    '#name',
    '#/$ref',
    '#/required',
    '#/%',
    'http://[',
  ])('to %s are refused by their place', ($ref) => {
    const schema = {
      properties: { a: { $ref } },
      required: ['a'],
      $ref: '#/$defs/a',
      $defs: { a: true },
    };
    const fetched = vi.spyOn(globalThis, 'fetch');
    expect(refusal(schema)).toEqual([{ path: 'schema.properties.a.$ref', message: NOWHERE }]);
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
  });

  test('in places that no draft knows are followed, and what is there is checked', () => {
    const of = (type: string) => ({
      $ref: '#/components/schemas/pet',
      components: { schemas: { pet: { properties: { name: { type } } } } },
    });
    expect(faults(of('string'), { name: 1 })).toEqual([
      { path: 'name', message: 'is not a string' },
    ]);
    expect(refusal(of('text'))).toMatchObject([
      { path: 'schema.components.schemas.pet.properties.name.type' },
    ]);
  });

  test('to the drafts themselves need no network', () => {
    const schema = { $ref: 'https://json-schema.org/draft/2020-12/schema' };
    expect(faults(schema, { minLength: -1 })).toEqual([
      { path: 'minLength', message: 'is less than the minimum 0' },
    ]);
  });

  test('to documents that are at hand are followed', () => {
    const documents = new Map<string, Json>([['https://a.test/s', { type: 'string' }]]);
    const { validate } = compileSchema({ $ref: 'https://a.test/s' }, { documents });
    expect(validate(1)).toEqual([{ path: '', message: 'is not a string' }]);
  });

  test('never lead to what another schema names', () => {
    const $id = 'https://acme.test/customer';
    expect(faults({ $id, type: 'string' }, 1)).toEqual([{ path: '', message: 'is not a string' }]);
    expect(refusal({ $ref: $id })).toEqual([{ path: 'schema.$ref', message: NOWHERE }]);
    const drafts = 'https://json-schema.org/draft/2020-12/schema';
    expect(faults({ $id: drafts, $vocabulary: {}, not: {} }, 1)).toHaveLength(1);
    expect(faults({ $schema: drafts, type: 'string' }, 1)).toEqual([
      { path: '', message: 'is not a string' },
    ]);
  });
});
