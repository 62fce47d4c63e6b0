/** The values of the language: JSON's, `undefined`, functions and regular expressions. */
import type { Budget } from './budget.ts';
import { Pattern } from './pattern.ts';

declare global {
  /** TC39 "JSON.parse source text access"; in today's engines, not yet in the library's types. */
  interface JSON {
    isRawJSON(value: unknown): boolean;
  }
}

/**
 * A number kept as its text, as `JSON.rawJSON` makes it: a double cannot hold its digits, or would
 * write them otherwise. It moves unchanged; what computes takes `plain`.
 */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** Whatever an expression can hold. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | ExactNumber
  | Value[]
  | ObjectValue
  | Callable
  | Pattern;

/** An object. Only its own members are seen, whatever its prototype. */
export interface ObjectValue {
  [name: string]: Value;
}

/** How a function of the language is run: `args` is its own from then on. */
type Invoke = (args: Value[], budget: Budget) => Value;

/** A function of the language, and no function of the host: none of it is seen from inside. */
export class Callable {
  readonly calledName: string;
  /** Parameters before the first with a default: built-ins pass no more than it takes. */
  readonly takes: number;
  readonly invoke: Invoke;

  /** @param takes how many arguments it uses; callers may leave out more */
  constructor(calledName: string, takes: number, invoke: Invoke) {
    this.calledName = calledName;
    this.takes = takes;
    this.invoke = invoke;
  }
}

/** Whether a value is a number kept as text. */
export function isExact(value: Value): value is ExactNumber {
  return JSON.isRawJSON(value);
}

/** What a value may be refused as, in a message. */
export function kindOf(value: Value): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Callable) return 'a function';
  if (typeof value === 'object') return isExact(value) ? 'a number' : 'an object';
  return value === undefined ? 'undefined' : `a ${typeof value}`;
}

/** Whether a value is an object with members: no array, number, function or regular expression. */
export function isObject(value: Value): value is ObjectValue {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Callable) &&
    !(value instanceof Pattern) &&
    !isExact(value)
  );
}

/** A built-in method, called on a value. */
export type Method<Self = Value> = (self: Self, args: Value[], budget: Budget) => Value;
