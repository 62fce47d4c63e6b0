/** How schemas that are more than JSON Schema can say come out in the description. */
import type { ZodOpenApiOverride } from 'zod-openapi';
import { JsonValue } from '../../kinds/members.ts';

/**
 * Without types, generated clients have a JSON value as unknown. One level: some generators fail on
 * a schema within itself. Alternatives: fuzzers fail on a list of types.
 */
const TYPES_OF_JSON = [
  { type: 'object' as const, additionalProperties: {} },
  { type: 'array' as const, items: {} },
  { type: 'string' as const },
  { type: 'number' as const },
  { type: 'boolean' as const },
  { type: 'null' as const },
];

/** Corrects one schema as it is written. */
export const asDescribed: ZodOpenApiOverride = ({ zodSchema, jsonSchema }) => {
  if (zodSchema === JsonValue) jsonSchema.anyOf = TYPES_OF_JSON;
  // What every integer is held to says nothing about this one.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // Linters ask for `items` to be an object: that none may follow the fixed places of a list is said so, too.
  if (jsonSchema.items === false) jsonSchema.items = { not: {} };
  const [only, another] = jsonSchema.anyOf ?? [];
  if (only === undefined || another !== undefined) return;
  // A choice of one, such as of kinds while there is one.
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, { ...only, ...jsonSchema });
};
