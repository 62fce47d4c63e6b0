/** The checks of a validation, each by the name of its type. Contract §8, `validation`. */
import { compareDecimals, decimalOf } from '../../../proto/decimal.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  numberText,
  type RawJson,
} from '../../../proto/json.ts';
import { plainNumber } from '../../../proto/passed.ts';
import {
  compileExpression,
  type Expression,
  type Value,
} from '../../language/expressions/index.ts';
import type { Execution } from './execution.ts';
import { FORMATS, isOfFormat } from './formats.ts';
import type { Members } from './report.ts';
import { holds, type Scope } from './scope.ts';

/** Whether a value passes; `value` is never undefined, except for `required`. */
export type Check = (value: Json | undefined, x: Execution) => boolean;

/** A check that was read, and what is told when it fails. */
interface NamedCheck {
  readonly check: Check;
  readonly message: string;
  /** The type that the check is about, and what is told of a value of another. */
  readonly of?: { readonly type: string; readonly message: string };
}

const OF_NUMBERS = { type: 'number', message: 'is not a number' };
const OF_TEXTS = { type: 'string', message: 'is not a text' };
const OF_ARRAYS = { type: 'array', message: 'is not an array' };

/** Reads the bound of a check; undefined, with a fault, when it cannot be one. */
type MakeCheck = (members: Members, name: string, scope: Scope) => NamedCheck | undefined;

const TYPES: Readonly<Record<string, (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: isNumber,
  integer: (value) => isNumber(value) && isWhole(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => isJsonObject(value),
  null: (value) => value === null,
};

/** Names of the types that JSON has, and `integer`. */
export const TYPE_NAMES: readonly string[] = Object.keys(TYPES);

/** Whether a value is of a type of JSON. */
export function isOfType(value: Json, type: string): boolean {
  return TYPES[type]?.(value) ?? false;
}

/** Checks by their types, which are also the names of their bounds. */
export const CHECKS: Readonly<Record<string, MakeCheck>> = {
  required: required,
  type: typeCheck,
  enum: enumCheck,
  minimum: bound('is less than', (value, limit) => order(value, limit) >= 0),
  maximum: bound('is greater than', (value, limit) => order(value, limit) <= 0),
  exclusiveMinimum: bound('is not greater than', (value, limit) => order(value, limit) > 0),
  exclusiveMaximum: bound('is not less than', (value, limit) => order(value, limit) < 0),
  minLength: size('has fewer characters than', lengthOf, (length, limit) => length >= limit),
  maxLength: size('has more characters than', lengthOf, (length, limit) => length <= limit),
  minItems: size('has fewer elements than', itemsOf, (length, limit) => length >= limit),
  maxItems: size('has more elements than', itemsOf, (length, limit) => length <= limit),
  uniqueItems: uniqueItems,
  pattern: pattern,
  format: format,
};

function isNumber(value: Json | undefined): value is number | RawJson {
  return typeof value === 'number' || isRawJson(value);
}

function isWhole(value: number | RawJson): boolean {
  if (typeof value === 'number') return Number.isInteger(value);
  const { digits, exponent } = decimalOf(value.rawJSON);
  return digits.length <= Math.max(exponent, 0);
}

/** Exact where a double is not. NaN for what is no number, which no comparison holds for. */
function order(value: Json | undefined, limit: number | RawJson): number {
  if (typeof value === 'number' && typeof limit === 'number') return value - limit;
  return isNumber(value) ? compareDecimals(numberText(value), numberText(limit)) : Number.NaN;
}

function required(members: Members, name: string): NamedCheck | undefined {
  const asked = members.get(name) ?? true;
  if (typeof asked !== 'boolean') return members.fault(name, 'must be true or false');
  if (!asked) return { check: () => true, message: '' };
  return { check: (value) => value !== undefined && value !== null, message: 'is required' };
}

function typeCheck(members: Members, name: string): NamedCheck | undefined {
  const asked = members.get(name);
  const types = Array.isArray(asked) ? asked : [asked];
  const known = types.filter((each) => typeof each === 'string' && TYPE_NAMES.includes(each));
  if (known.length < types.length || types.length === 0) {
    return members.fault(name, `must be one of ${TYPE_NAMES.join(', ')}, or a list of these`);
  }
  const tests = known.map((each) => TYPES[String(each)] ?? (() => false));
  return {
    check: (value) => value !== undefined && tests.some((test) => test(value)),
    message: `is not of type ${known.join(' or ')}`,
  };
}

function enumCheck(members: Members, name: string): NamedCheck | undefined {
  const asked = members.get(name);
  if (!Array.isArray(asked) || asked.length === 0) {
    return members.fault(name, 'must be an array of at least one value');
  }
  const texts = new Set(asked.map((each) => sortedText(each)));
  const shown = JSON.stringify(asked);
  return {
    check: (value, x) => {
      if (value === undefined) return false;
      if (typeof value === 'object' && value !== null) x.spend(JSON.stringify(value).length);
      return texts.has(sortedText(value));
    },
    message: `is not one of ${shown.length > 200 ? `the ${asked.length} values` : shown.slice(1, -1)}`,
  };
}

/** One text for equal values. */
export function sortedText(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (isRawJson(value)) return numberText(plainNumber(value));
  if (Array.isArray(value)) return `[${value.map(sortedText).join()}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((each) => `${JSON.stringify(each)}:${sortedText(value[each] ?? null)}`).join()}}`;
}

/** A bound that is given, whichever way it is written. */
function plainOf(value: Json | undefined): Json | undefined {
  return value === undefined ? undefined : plainNumber(value);
}

function bound(
  words: string,
  fits: (value: Json | undefined, limit: number | RawJson) => boolean,
): MakeCheck {
  return (members, name) => {
    const limit = plainOf(members.get(name));
    if (!isNumber(limit)) return members.fault(name, 'must be a number');
    return {
      check: (value) => fits(value, limit),
      message: `${words} ${numberText(limit)}`,
      of: OF_NUMBERS,
    };
  };
}

/** Characters, not UTF-16 units, as JSON Schema counts them. */
function lengthOf(value: Json | undefined, x: Execution): number {
  if (typeof value !== 'string') return Number.NaN;
  x.spend(value.length >> 4);
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

function itemsOf(value: Json | undefined): number {
  return Array.isArray(value) ? value.length : Number.NaN;
}

function size(
  words: string,
  measure: (value: Json | undefined, x: Execution) => number,
  fits: (length: number, limit: number) => boolean,
): MakeCheck {
  return (members, name) => {
    const limit = plainOf(members.get(name));
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0) {
      return members.fault(name, 'must be an integer of at least 0');
    }
    return {
      check: (value, x) => fits(measure(value, x), limit),
      message: `${words} ${limit}`,
      of: measure === itemsOf ? OF_ARRAYS : OF_TEXTS,
    };
  };
}

function uniqueItems(members: Members, name: string): NamedCheck | undefined {
  const asked = members.get(name) ?? true;
  if (typeof asked !== 'boolean') return members.fault(name, 'must be true or false');
  if (!asked) return { check: () => true, message: '' };
  return {
    check: (value, x) => {
      if (!Array.isArray(value)) return false;
      x.spend(20 * value.length + JSON.stringify(value).length);
      return new Set(value.map(sortedText)).size === value.length;
    },
    message: 'has an element twice',
    of: OF_ARRAYS,
  };
}

/** By the language's own engine of regular expressions, which takes linear time and charges for it. */
function pattern(members: Members, name: string, { sources }: Scope): NamedCheck | undefined {
  const source = members.needText(name);
  if (source === undefined) return undefined;
  const literal = `/${source.replace(/\\.|\//gs, (each) => (each === '/' ? '\\/' : each))}/u`;
  const expression = sources.report.try(members.at(name), () =>
    compileExpression(`${literal}.test(value)`, { names: ['value'] }),
  );
  if (expression === undefined) return undefined;
  return {
    check: (value, x) => typeof value === 'string' && expression.run([value], x.budget) === true,
    message: `does not match ${source}`,
    of: OF_TEXTS,
  };
}

function format(members: Members, name: string): NamedCheck | undefined {
  const asked = members.needText(name);
  if (asked === undefined) return undefined;
  if (!FORMATS.includes(asked)) return members.fault(name, `must be one of ${FORMATS.join(', ')}`);
  return {
    check: (value, x) => {
      if (typeof value !== 'string') return false;
      x.spend(10 + (value.length >> 4));
      return isOfFormat(value, asked);
    },
    message: `is not of the format ${asked}`,
    of: OF_TEXTS,
  };
}

/** `custom`: an expression over `value` and the scope, or one of the template's functions. */
export function customCheck(members: Members, scope: Scope): Check | undefined {
  const source = members.text('expression');
  const name = members.text('function');
  if ((source === undefined) === (name === undefined)) {
    return members.fault('type', 'is custom, which needs either `expression` or `function`');
  }
  if (source !== undefined) {
    const expression = scope.expression(source, members.at('expression'), 'value');
    return expression && expressionCheck(expression, scope);
  }
  const { functions } = scope.sources;
  if (name === undefined || !functions?.has(name)) {
    return members.fault('function', 'is none of the functions of the template');
  }
  if (functions.usesNow(name)) scope.sources.usesNow();
  return (value, x) => holds(functions.call(name, [value], x.budget));
}

function expressionCheck(expression: Expression, scope: Scope): Check {
  const slot = scope.names.length;
  return (value, x) => {
    x.slots[slot] = value as Value; // JSON is a value of the language.
    return holds(expression.run(x.slots, x.budget));
  };
}
