/** The built-ins that go by a name of their own. */
import type { Budget } from '../budget.ts';
import { errorValue, toNumber, toText } from '../convert.ts';
import { isTrue } from '../exact.ts';
import { RunFault } from '../fault.ts';
import { Callable, type Value } from '../value.ts';
import { DATE, DATE_PARTS, TO_ISO } from './date.ts';
import { JSON_TEXT } from './json.ts';
import { MATH, NUMBER, PARSE_FLOAT, PARSE_INT } from './math.ts';
import { ARRAY, CLONE, OBJECT, STRING, TEXT } from './object.ts';

const NAMESPACES: ReadonlyMap<string, ReadonlyMap<string, Value>> = new Map([
  ['Array', ARRAY],
  ['Date', DATE],
  ['JSON', JSON_TEXT],
  ['Math', MATH],
  ['Number', NUMBER],
  ['Object', OBJECT],
  ['String', STRING],
]);

/** The errors that can be made. */
export const errorNames: ReadonlySet<string> = new Set([
  'Error',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
]);

function uri(name: string, make: (text: string) => string): Callable {
  return new Callable(name, 1, ([value], budget) => {
    const text = toText(value, budget);
    budget.touch(text);
    budget.spend(text.length >> 1);
    budget.text(text.length * (name.startsWith('encode') ? 9 : 1));
    return guarded(name, () => make(text), budget);
  });
}

function guarded(name: string, make: () => string, budget: Budget): string {
  try {
    return make();
  } catch {
    throw new RunFault(`${name} takes no such text`, budget.place, 'URIError');
  }
}

/** What remembering that an object is an error costs. */
const ERROR_STEPS = 20;

function errorMaker(name: string): Callable {
  return new Callable(name, 1, ([message], budget) => {
    budget.allocate(100);
    budget.spend(ERROR_STEPS);
    return budget.own(errorValue(name, message === undefined ? '' : toText(message, budget)));
  });
}

const GLOBALS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ...[
    TEXT,
    PARSE_FLOAT,
    PARSE_INT,
    CLONE,
    TO_ISO,
    DATE_PARTS,
    new Callable('Boolean', 1, ([value]) => isTrue(value)),
    new Callable('Number', 1, (args, budget) =>
      args.length === 0 ? 0 : toNumber(args[0], budget),
    ),
    new Callable('isFinite', 1, ([value], budget) => Number.isFinite(toNumber(value, budget))),
    new Callable('isNaN', 1, ([value], budget) => Number.isNaN(toNumber(value, budget))),
    uri('decodeURI', decodeURI),
    uri('decodeURIComponent', decodeURIComponent),
    uri('encodeURI', encodeURI),
    uri('encodeURIComponent', encodeURIComponent),
    ...[...errorNames].map(errorMaker),
  ].map((each): [string, Value] => [each.calledName, each]),
]);

/** The built-in of a name that can be alone; undefined when there is none. */
export function global(name: string): Value {
  return GLOBALS.get(name);
}

/** The members of a name such as `Math`. */
export function namespace(name: string): ReadonlyMap<string, Value> | undefined {
  return NAMESPACES.get(name);
}

/** What users of JavaScript look for, and what replaces it here. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['Array', 'Array is not called: use [] or Array.from({length: n})'],
  ['BigInt', 'BigInt is not part of the language: numbers are doubles'],
  ['Date', 'Date is not made: use date(time), toISO(time) or Date.parse(text)'],
  ['Function', 'Function is not part of the language'],
  ['Map', 'Map is not part of the language: use an object'],
  ['Object', 'Object is not called: use {}'],
  ['Promise', 'Promise is not part of the language: nothing here waits'],
  ['Proxy', 'Proxy is not part of the language'],
  ['RegExp', 'RegExp is not part of the language: write the expression as /…/'],
  ['Set', 'Set is not part of the language: use an array or an object'],
  ['Symbol', 'Symbol is not part of the language'],
  ['eval', 'eval is not part of the language'],
  ['fetch', 'fetch is not part of the language'],
  ['require', 'require is not part of the language'],
]);

/** Why a call of a name cannot be; undefined when nothing speaks against it. */
export function hintOfCall(name: string | undefined): string | undefined {
  return name === undefined ? undefined : HINTS.get(name);
}

/** All names that are alone, and all that have members. */
export const globalNames: readonly string[] = [...GLOBALS.keys()];
export const namespaceNames: readonly string[] = [...NAMESPACES.keys()];
