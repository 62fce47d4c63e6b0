/** From what an expression came to, to what JSON has. */
import type { Budget } from './budget.ts';
import { nest, unnest } from './convert.ts';
import { define, MEMBER_BYTES } from './members.ts';
import { Pattern } from './pattern.ts';
import { Callable, type ExactNumber, isExact, type ObjectValue, type Value } from './value.ts';

/** A value that JSON has. */
export type Plain = null | boolean | number | string | ExactNumber | Plain[] | PlainObject;

/** An object that JSON has. */
export interface PlainObject {
  [name: string]: Plain;
}

/**
 * The value as `JSON.stringify` would write it: undefined where nothing is, without members that
 * are undefined or functions; NaN and infinities are null. What is plain already is returned as it
 * is. Its bytes are charged for good: a run's output is bounded by `outputBytes`.
 * @throws BudgetFault
 */
export function keep(value: Value, budget: Budget): Plain | undefined {
  budget.spend(1);
  if (typeof value === 'string') {
    budget.allocate(value.length);
    return value;
  }
  if (value === undefined || value instanceof Callable) return undefined;
  budget.allocate(8);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null || isExact(value)) return value;
  if (value instanceof Pattern) return {};
  nest(budget);
  const kept = Array.isArray(value) ? keptArray(value, budget) : keptObject(value, budget);
  unnest(budget);
  return kept;
}

function keptArray(array: Value[], budget: Budget): Plain[] {
  let copy: Plain[] | undefined;
  for (const [at, element] of array.entries()) {
    const kept = keep(element, budget) ?? null;
    if (copy === undefined && kept === element) continue;
    copy ??= array.slice(0, at) as Plain[]; // Each of them was kept as it is.
    copy.push(kept);
  }
  return copy ?? (array as Plain[]); // Every element was kept as it is.
}

function keptObject(object: ObjectValue, budget: Budget): PlainObject {
  let isSame = true;
  const members: [name: string, value: Plain][] = [];
  for (const name of Object.keys(object)) {
    const value = object[name];
    const kept = keep(value, budget);
    budget.allocate(name.length);
    if (kept !== value || value === undefined) isSame = false;
    if (kept !== undefined) members.push([name, kept]);
  }
  if (isSame) return object as PlainObject; // Every member was kept as it is.
  budget.allocate(members.length * MEMBER_BYTES);
  const copy: PlainObject = {};
  for (const [name, value] of members) define(copy, name, value);
  return copy;
}
