/** Transformers of objects, and those of any value. */
import { type Json, type JsonObject, setMember } from '../../../../proto/json.ts';
import { inOrder, isMovedWithin, isReordered, namesOf } from '../../../../proto/ordered-json.ts';
import { parseAsWritten } from '../../../../proto/written-json.ts';
import { Path } from '../../../language/paths/path.ts';
import type { Execution } from '../execution.ts';
import { RuleFault, RunOver } from '../failure.ts';
import { findIn } from '../searches.ts';
import {
  chargedArray,
  chargedObject,
  chargedText,
  jsonText,
  memberSteps,
  type Transformer,
  textIn,
} from './transformer.ts';

const names = [
  { name: 'name', kind: 'name' },
  { name: 'names', kind: 'name', isRest: true },
] as const;

export const OBJECT: readonly Transformer[] = [
  {
    name: 'default',
    args: [{ name: 'value', kind: 'any' }],
    about: 'A value in the place of null, and of what is not there.',
    example: { input: null, args: ['EUR'], output: 'EUR' },
    passesNumbers: true,
    make: () => (value) => value,
    ofNothing: ([value = null]) => value,
  },
  {
    name: 'get',
    args: [{ name: 'path', kind: 'path' }],
    about: 'What a path finds in the value; an array, where it may find several.',
    example: { input: { rows: [{ id: 7 }] }, args: ['rows[0].id'], output: 7 },
    make: ([text = '']) => {
      const path = new Path(textIn(text));
      return (value, x) => findIn(path, value, x);
    },
  },
  {
    name: 'keys',
    about: 'The names of the members of an object.',
    example: { input: { a: 1, b: 2 }, output: ['a', 'b'] },
    make: () => (value, x) => Object.keys(chargedObject(value, x)),
  },
  {
    name: 'values',
    about: 'The values of the members of an object.',
    example: { input: { a: 1, b: 2 }, output: [1, 2] },
    make: () => (value, x) => Object.values(chargedObject(value, x)),
  },
  {
    name: 'entries',
    about: 'The members of an object as pairs of name and value.',
    example: { input: { a: 1 }, output: [['a', 1]] },
    make: () => (value, x) => {
      const object = chargedObject(value, x);
      const { length } = Object.keys(object);
      x.spend(length);
      x.take(40 * length);
      return Object.entries(object).map(([name, each]) => [name, each]);
    },
  },
  {
    name: 'fromEntries',
    about: 'An object of pairs of name and value.',
    example: { input: [['a', 1]], output: { a: 1 } },
    make: () => (value, x) => fromEntries(chargedArray(value, x), x),
  },
  {
    name: 'pick',
    args: names,
    about: 'The object with these members alone.',
    example: { input: { a: 1, b: 2, c: 3 }, args: ['a', 'c'], output: { a: 1, c: 3 } },
    make: (args) => {
      const wanted = new Set(args);
      return (value, x) => filtered(value, x, (name) => wanted.has(name));
    },
  },
  {
    name: 'omit',
    args: names,
    about: 'The object without these members.',
    example: { input: { a: 1, b: 2, c: 3 }, args: ['b'], output: { a: 1, c: 3 } },
    make: (args) => {
      const unwanted = new Set(args);
      return (value, x) => filtered(value, x, (name) => !unwanted.has(name));
    },
  },
  {
    name: 'toJson',
    about: 'JSON text of any value.',
    example: { input: { a: [1, true] }, output: '{"a":[1,true]}' },
    make: () => (value, x) => jsonText(value, x),
  },
  {
    name: 'fromJson',
    about: 'The value that a JSON text is, with every digit of its numbers.',
    example: { input: '{"a":[1,true]}', output: { a: [1, true] } },
    make: () => (value, x) => fromJson(chargedText(value, x), x),
  },
];

function filtered(given: Json, x: Execution, isKept: (name: string) => boolean): JsonObject {
  const object = chargedObject(given, x);
  const members = Object.entries(object);
  x.spend(memberSteps(members.length));
  const kept: JsonObject = {};
  for (const [name, value] of members) if (isKept(name)) setMember(kept, name, value);
  return isReordered(object) ? inOrder(kept, namesOf(object).filter(isKept)) : kept;
}

function fromEntries(pairs: readonly Json[], x: Execution): JsonObject {
  const object: JsonObject = {};
  x.spend(memberSteps(pairs.length));
  x.take(24 * pairs.length);
  for (const [at, pair] of pairs.entries()) {
    const [name, value] = Array.isArray(pair) ? pair : [];
    if (typeof name !== 'string' || value === undefined) {
      throw new RuleFault(`takes pairs of name and value, and element ${at} is none`);
    }
    setMember(object, name, value);
  }
  return object;
}

/** Bytes that a value of a text may take once it is parsed. */
const VALUE_BYTES = 24;

/** Texts, in which nothing else means anything, and what makes values. */
const PARTS = /"[^"\\]*(?:\\.[^"\\]*)*"?|[,[{\]}]/gs;

/** Charged for what it becomes before it does. */
function fromJson(text: string, x: Execution): Json {
  let values = 1;
  let depth = 0;
  for (const [part] of text.matchAll(PARTS)) {
    if (part === '[' || part === '{') depth += 1;
    else if (part === ']' || part === '}') depth -= 1;
    if (part.length === 1) values += 1;
    if (depth > x.budget.bounds.depth) throw new RunOver('depth');
  }
  x.spend(12 + values + (text.length >> 1));
  x.take(values * VALUE_BYTES);
  try {
    const value = parseAsWritten(text);
    x.isMoved ||= isMovedWithin(value);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) throw new RuleFault('takes JSON text');
    throw error;
  }
}
