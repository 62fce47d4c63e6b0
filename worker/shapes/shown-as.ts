/** Values whose shape is decided later than where they are parsed, such as by an endpoint's kind. */
import * as z from 'zod';
import { $constructor } from 'zod/v4/core';

/** Parses as `parses`; descriptions show the lazy schema. */
interface ShownAs extends z.ZodLazy<z.ZodType> {
  _zod: z.ZodLazy<z.ZodType>['_zod'] & { readonly def: { readonly parses: z.ZodType } };
}

/** As the schema library makes its own kinds of schema, so that metadata and documents see the shape. */
const ShownAs = $constructor<ShownAs>('ShownAs', (schema, definition) => {
  z.ZodLazy.init(schema, definition);
  schema._zod.parse = (payload, context) => definition.parses._zod.run(payload, context);
});

/**
 * A schema that parses as `parses` does, and that the API's description shows as `shape`: all that
 * the value will be held to, not only what is checked where it comes in.
 */
export function shownAs<Output>(parses: z.ZodType<Output>, shape: z.ZodType): z.ZodType<Output> {
  const schema: z.ZodType = new ShownAs({ type: 'lazy', getter: () => shape, parses });
  return schema as z.ZodType<Output>; // `parses` does the parsing.
}
