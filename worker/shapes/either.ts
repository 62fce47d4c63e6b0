/** Bodies that are documented in several shapes. */
import * as z from 'zod';
import { $constructor } from 'zod/v4/core';

/** A union in which `meansSecond` chooses the one to hold a body against. */
interface Either extends z.ZodUnion<readonly z.ZodType[]> {
  _zod: z.ZodUnion<readonly z.ZodType[]>['_zod'] & { readonly def: Choice };
}

interface Choice {
  readonly first: z.ZodType;
  readonly second: z.ZodType;
  meansSecond(body: object): boolean;
}

/** As the schema library makes its own kinds of schema, so that metadata and documents see a union. */
const Either = $constructor<Either>('Either', (schema, definition) => {
  z.ZodUnion.init(schema, definition);
  const { first, second } = definition;
  schema._zod.parse = (payload, context) => {
    const body = payload.value;
    const isSecond = typeof body === 'object' && body !== null && definition.meansSecond(body);
    return (isSecond ? second : first)._zod.run(payload, context);
  };
});

/**
 * Takes a body of either shape, each of which may be a choice itself. Its faults are those of the shape
 * that its sender means, so that a misspelt member is named instead of "matches no shape".
 * @param meansSecond decides by the members that are there
 */
export function either<First extends z.ZodType, Second extends z.ZodType>(
  first: First,
  second: Second,
  meansSecond: (body: object) => boolean,
): z.ZodType<z.output<First> | z.output<Second>, z.input<First> | z.input<Second>> {
  const options = [first, second].flatMap((each) => (each instanceof Either ? each.options : each));
  const schema: z.ZodType = new Either({ type: 'union', options, first, second, meansSecond });
  return schema as ReturnType<typeof either<First, Second>>; // Of these two.
}
