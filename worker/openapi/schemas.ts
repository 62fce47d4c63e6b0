/** How schemas that are more than JSON Schema can say come out in the description. */
import type { ZodOpenApiOverride } from 'zod-openapi';

/** Corrects one schema as it is written. */
export const asDescribed: ZodOpenApiOverride = ({ jsonSchema }) => {
  // What every integer is held to says nothing of this one.
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
