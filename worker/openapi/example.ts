/** An example of a value: the schema's own, or made of the examples of its parts. */
import * as z from 'zod';

/** `undefined` where neither the schema nor its parts have one. */
export function exampleOf(schema: z.core.$ZodType): unknown {
  const [own] = z.globalRegistry.get(schema)?.examples ?? [];
  if (own !== undefined) return own;
  const { def } = (schema as z.core.$ZodTypes)._zod; // Every schema is of one of these types.
  switch (def.type) {
    case 'object':
      return objectExample(def.shape);
    case 'array': {
      const element = exampleOf(def.element);
      return element === undefined ? undefined : [element];
    }
    case 'union':
      return def.options.map(exampleOf).find((each) => each !== undefined);
    case 'lazy':
      return exampleOf(def.getter());
    case 'optional':
    case 'nullable':
    case 'default':
      return exampleOf(def.innerType);
    case 'pipe':
      return exampleOf(def.in);
    case 'literal':
      return def.values[0];
    default:
      return undefined;
  }
}

/** Members that may be left out are, unless they have an example; `undefined` when another has none. */
function objectExample(shape: Readonly<Record<string, z.core.$ZodType>>): unknown {
  const example: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(shape)) {
    const value = exampleOf(member);
    if (value !== undefined) example[name] = value;
    else if (member._zod.optin === undefined) return undefined;
  }
  return example;
}
