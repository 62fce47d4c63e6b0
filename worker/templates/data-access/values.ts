/** The values that an input gives placeholders: each is there and of its type, or the fault is told. */
import { isJsonObject, isRawJson, type Json } from '../../../proto/json.ts';
import type { Fault } from '../compiled.ts';
import { isOfType, type Placeholder, sampleOf } from './placeholder.ts';

/** What a request is filled with. */
export interface Scope {
  value(placeholder: Placeholder): Json;
  /** Reports what is wrong with a value where it is; what is filled is not sent then. */
  refuse(placeholder: Placeholder, message: string): void;
}

/** Values that might come, to see what a request is. */
export const SAMPLE: Scope = { value: sampleOf, refuse: () => {} };

/** The values of an input; what is wrong with them is added to the faults, all of it. */
export function scopeOf(
  input: Json,
  placeholders: readonly Placeholder[],
  faults: Fault[],
): Scope | undefined {
  if (!isJsonObject(input)) {
    faults.push({ path: 'body', message: 'must be an object of names and values' });
    return undefined;
  }
  const found = new Map<string, Fault>();
  for (const placeholder of placeholders) {
    const message = faultIn(memberOf(input, placeholder.name), placeholder);
    if (message) found.set(placeholder.name, { path: placeholder.name, message });
  }
  faults.push(...found.values());
  if (found.size > 0) return undefined;
  return {
    value({ name, type, optional, fallback }) {
      const value = memberOf(input, name);
      if (value === undefined || (value === null && optional)) return fallback;
      return type === 'integer' ? asInteger(value) : value;
    },
    refuse({ name }, message) {
      if (found.has(name)) return;
      const fault = { path: name, message };
      found.set(name, fault);
      faults.push(fault);
    },
  };
}

/** What is wrong with a value; nothing with one that an optional placeholder does without. */
function faultIn(value: Json | undefined, { type, optional }: Placeholder): string | undefined {
  if (value === undefined || (value === null && optional)) {
    return optional ? undefined : 'is required';
  }
  if (isOfType(type, value)) return undefined;
  return type === 'any' ? SCALAR : `must be of type ${type}`;
}

/** One that was written with a fraction of zeros, or an exponent, is the integer that it is. */
function asInteger(value: Json): Json {
  return isRawJson(value) && !/^-?\d+$/.test(value.rawJSON) ? Number(value.rawJSON) : value;
}

const SCALAR = 'must be a text, number, boolean or null: an array or object needs a declared type';

function memberOf(input: { readonly [name: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(input, name) ? input[name] : undefined;
}
