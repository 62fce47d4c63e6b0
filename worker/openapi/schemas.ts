/** How schemas that are more than JSON Schema can say come out in the description. */
import type { ZodOpenApiOverride } from 'zod-openapi';

/** Corrects one schema as it is written. */
export const asDescribed: ZodOpenApiOverride = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  // Empty: any value.
  if (def.type === 'custom') delete jsonSchema.type;
};
