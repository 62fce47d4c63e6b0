/** JSON Schemas as callers write them, and values that are checked against them. */
import type { Json } from '../../../proto/json.ts';
import { type Subject, text, value } from '../../../test/proofs/doubling/subject.ts';
import { compileSchema } from '../../language/schemas/compile.ts';
import { schemaOf } from '../../language/schemas/skeleton.ts';

/** Of JSON Schema. */
export const SCHEMAS: readonly Subject[] = [
  value(
    'a schema',
    [
      'worker/language/schemas/compile.ts',
      'worker/language/schemas/resource.ts',
      'worker/language/schemas/build.ts',
      'worker/language/schemas/depth.ts',
    ],
    (each) => compileSchema(each),
  ),
  value('a schema of properties', ['worker/language/schemas/build.ts'], (each) =>
    compileSchema({ properties: { a: each }, $defs: { b: each } }),
  ),
  value(
    'values of a schema',
    ['worker/language/schemas/values.ts', 'worker/language/schemas/exact.ts'],
    (each) => compileSchema({ enum: [each], const: each }),
  ),
  value('a skeleton', ['worker/language/schemas/skeleton.ts'], (each) => schemaOf(each)),
  text('a pattern of a schema', ['worker/language/schemas/pattern.ts'], (each) =>
    compileSchema({ pattern: each }),
  ),
  text('a reference of a schema', ['worker/language/schemas/resource.ts'], (each) =>
    compileSchema({ $ref: `#/${each}`, $defs: {} }),
  ),
  ...Object.entries<Json>({
    uniqueItems: { uniqueItems: true },
    'properties and the rest': {
      properties: { a: true },
      patternProperties: { '^b': { type: 'number' } },
      unevaluatedProperties: false,
    },
    'items and contains': {
      items: { type: ['number', 'array'] },
      contains: { const: 1 },
      unevaluatedItems: false,
    },
    multipleOf: { items: { multipleOf: 0.01 }, multipleOf: 0.01 },
    numbers: { type: 'integer', minimum: 0, items: { type: 'integer', maximum: 1 } },
    pattern: { pattern: '^(a|b)*c$', items: { pattern: '(a|b)*c$' }, maxLength: 5, minLength: 1e9 },
    recursion: {
      $id: 'https://a.example/a',
      type: ['object', 'array'],
      additionalProperties: { $ref: '#' },
      items: { $ref: '#' },
    },
    propertyNames: { propertyNames: { maxLength: 2 } },
  }).map(([name, schema]) =>
    value(
      `a value that is checked: ${name}`,
      [
        'worker/language/schemas/check.ts',
        'worker/language/schemas/node.ts',
        'worker/language/schemas/values.ts',
        'worker/language/schemas/exact.ts',
        'worker/language/schemas/members.ts',
      ],
      (each) => compileSchema(schema).validate(each),
    ),
  ),
];
