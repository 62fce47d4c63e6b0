/** The values that an input gives placeholders: each is there and of its type, or the fault is told. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import type { Fault } from '../compiled.ts';
import { isOfType, type Placeholder } from './placeholder.ts';
import type { Values } from './statement.ts';

/** Values, or every fault of the input. */
export function valuesIn(
  input: Json,
  placeholders: readonly Placeholder[],
): { readonly values?: Values; readonly faults: readonly Fault[] } {
  if (!isJsonObject(input)) {
    return { faults: [{ path: 'body', message: 'must be an object of names and values' }] };
  }
  const faults = new Map<string, Fault>();
  for (const placeholder of placeholders) {
    const message = faultIn(memberOf(input, placeholder.name), placeholder);
    if (message) faults.set(placeholder.name, { path: placeholder.name, message });
  }
  if (faults.size > 0) return { faults: [...faults.values()] };
  const values: Values = ({ name, optional, fallback }) => {
    const value = memberOf(input, name);
    return value === undefined || (value === null && optional) ? fallback : value;
  };
  return { values, faults: [] };
}

/** What is wrong with a value; nothing with one that an optional placeholder does without. */
function faultIn(value: Json | undefined, { type, optional }: Placeholder): string | undefined {
  if (value === undefined || (value === null && optional)) {
    return optional ? undefined : 'is required';
  }
  if (isOfType(type, value)) return undefined;
  return type === 'any' ? SCALAR : `must be of type ${type}`;
}

const SCALAR = 'must be a text, number, boolean or null: an array or object needs a declared type';

function memberOf(input: { readonly [name: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(input, name) ? input[name] : undefined;
}
