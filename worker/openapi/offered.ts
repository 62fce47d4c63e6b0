/** Members that clients which fill in requests by the description should leave empty. */

/** Of a Parameter Object, what is looked at. */
interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly schema: {
    readonly examples?: readonly unknown[];
    readonly default?: unknown;
    readonly const?: unknown;
    readonly enum?: readonly unknown[];
  };
  readonly required?: boolean;
  readonly example?: unknown;
}

/**
 * For `JSON.stringify`: says about an optional parameter's example that it is not to be sent unasked.
 * Such a client would otherwise send a cursor of another list, and an `If-Match` of another
 * revision. Source: Scalar's extension `x-disabled` of an Example Object
 */
export function offered(_name: string, value: unknown): unknown {
  if (!isParameter(value) || value.required) return value;
  const { example, ...rest } = value;
  const { schema } = value;
  const shown = [example, schema.examples?.[0], schema.default, schema.const, schema.enum?.[0]];
  const sample = shown.find((each) => each !== undefined);
  if (sample === undefined) return value;
  return { ...rest, examples: { optional: { value: sample, 'x-disabled': true } } };
}

function isParameter(value: unknown): value is Parameter {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    'schema' in value &&
    'in' in value &&
    (value.in === 'query' || value.in === 'header')
  );
}
