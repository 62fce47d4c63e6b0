/** `Object` and `Array`: what they offer besides methods. */
import type { Budget } from '../budget.ts';
import { isSame, nest, toInteger, toName, toNumber, toText, unnest } from '../convert.ts';
import { plainValue } from '../exact.ts';
import { RunFault } from '../fault.ts';
import {
  copyMembers,
  define,
  elementsOf,
  getMember,
  MEMBER_BYTES,
  ownNames,
  payCopies,
  requireOwned,
} from '../members.ts';
import { Callable, isObject, kindOf, type ObjectValue, type Value } from '../value.ts';
import { callback } from './callback.ts';

type Run = (args: Value[], budget: Budget) => Value;

function requireSomething(value: Value, budget: Budget): void {
  if (value !== undefined && value !== null) return;
  throw new RunFault(`takes an object, not ${kindOf(value)}`, budget.place);
}

function keys([value]: Value[], budget: Budget): Value {
  requireSomething(value, budget);
  return budget.own(ownNames(value, budget));
}

function values([value]: Value[], budget: Budget): Value {
  requireSomething(value, budget);
  return budget.own(ownNames(value, budget).map((name) => getMember(value, name, budget)));
}

function entries([value]: Value[], budget: Budget): Value {
  requireSomething(value, budget);
  const names = ownNames(value, budget);
  budget.allocate(names.length * MEMBER_BYTES);
  return budget.own(names.map((name) => budget.own([name, getMember(value, name, budget)])));
}

function fromEntries([value]: Value[], budget: Budget): Value {
  const object: ObjectValue = {};
  for (const entry of elementsOf(value, budget)) {
    if (!Array.isArray(entry)) {
      throw new RunFault('fromEntries takes pairs of name and value', budget.place);
    }
    budget.spend(20);
    budget.allocate(MEMBER_BYTES);
    define(object, toName(entry[0], budget), entry[1]);
  }
  return budget.own(object);
}

function assign([target, ...sources]: Value[], budget: Budget): Value {
  if (!isObject(target)) {
    throw new RunFault(`Object.assign takes an object, not ${kindOf(target)}`, budget.place);
  }
  requireOwned(target, budget);
  for (const source of sources) copyMembers(target, source, budget);
  return target;
}

function groupBy([value, by]: Value[], budget: Budget): Value {
  // An array may grow and shrink while it is gone through.
  const elements = elementsOf(value, budget);
  const keyOf = callback(by, undefined, budget);
  const groups = new Map<string, Value[]>();
  for (let at = 0; at < elements.length; at += 1) {
    const element = elements[at];
    budget.elements(1);
    const name = toName(keyOf(element, at), budget);
    budget.spend(20);
    budget.allocate(MEMBER_BYTES);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, budget.own([element]));
    else group.push(element);
  }
  const object: ObjectValue = {};
  for (const [name, group] of groups) define(object, name, group);
  return budget.own(object);
}

function hasOwn([value, name]: Value[], budget: Budget): Value {
  requireSomething(value, budget);
  const key = toName(name, budget);
  if (isObject(value)) return Object.hasOwn(value, key);
  return key === 'length'
    ? typeof value === 'string' || Array.isArray(value)
    : getMember(value, key, budget) !== undefined;
}

function is(args: Value[], budget: Budget): Value {
  const [one, other] = [plainValue(args[0]), plainValue(args[1])];
  return Object.is(one, other) || (one !== other ? isSame(one, other, budget) : false);
}

function callables(all: Readonly<Record<string, readonly [takes: number, run: Run]>>) {
  return new Map<string, Value>(
    Object.entries(all).map(([name, [takes, run]]) => [name, new Callable(name, takes, run)]),
  );
}

/** The members of `Object`. */
export const OBJECT: ReadonlyMap<string, Value> = callables({
  assign: [Number.POSITIVE_INFINITY, assign],
  entries: [1, entries],
  fromEntries: [1, fromEntries],
  groupBy: [2, groupBy],
  hasOwn: [2, hasOwn],
  is: [2, is],
  keys: [1, keys],
  values: [1, values],
});

function from([value, change]: Value[], budget: Budget): Value {
  const elements = listOf(value, budget);
  if (change === undefined) {
    budget.elements(elements.length);
    return budget.own([...elements]);
  }
  const changed = callback(change, undefined, budget);
  const result: Value[] = [];
  // An array may grow and shrink while it is gone through.
  for (let at = 0; at < elements.length; at += 1) {
    budget.elements(1);
    result.push(changed(elements[at], at));
  }
  return budget.own(result);
}

/** Elements of what has some; an object with a length, as in `{length: 3}`, counts. */
function listOf(value: Value, budget: Budget): readonly Value[] {
  if (typeof value === 'string' || Array.isArray(value)) return elementsOf(value, budget);
  requireSomething(value, budget);
  const length = Math.max(0, toInteger(getMember(value, 'length', budget), 0, budget));
  budget.elements(length);
  // As in `{length: 1000}`: nothing is to be looked up.
  if (isObject(value) && ownNames(value, budget).length === 1) return Array(length).fill(undefined);
  return Array.from({ length }, (_, at) => getMember(value, String(at), budget));
}

/** The members of `Array`. */
export const ARRAY: ReadonlyMap<string, Value> = callables({
  from: [2, from],
  isArray: [1, ([value]) => Array.isArray(value)],
  of: [Number.POSITIVE_INFINITY, (args, budget) => budget.own(args)],
});

function cloned(value: Value, budget: Budget): Value {
  budget.spend(1);
  if (!Array.isArray(value) && !isObject(value)) return value;
  nest(budget);
  const names = ownNames(value, budget);
  budget.allocate(names.length * MEMBER_BYTES);
  payCopies(names.length, budget);
  let copy: Value[] | ObjectValue;
  if (Array.isArray(value)) copy = value.map((element) => cloned(element, budget));
  else {
    copy = {};
    for (const name of names) define(copy, name, cloned(value[name], budget));
  }
  unnest(budget);
  return budget.own(copy);
}

/** `structuredClone`: a deep copy, which a program may change. */
export const CLONE = new Callable('structuredClone', 1, ([value], budget) => cloned(value, budget));

/** `String` and its members. */
export const TEXT = new Callable('String', 1, (args, budget) =>
  args.length === 0 ? '' : toText(args[0], budget),
);

function fromUnits(args: Value[], make: (code: number) => string, budget: Budget): string {
  budget.text(2 * args.length);
  budget.spend(args.length);
  let text = '';
  for (const each of args) text += make(toNumber(each, budget));
  return text;
}

function ofPoint(code: number, budget: Budget): string {
  if (Number.isInteger(code) && code >= 0 && code <= 0x10ffff) return String.fromCodePoint(code);
  throw new RunFault('is no code point', budget.place, 'RangeError');
}

/** The members of `String`. */
export const STRING: ReadonlyMap<string, Value> = callables({
  fromCharCode: [
    Number.POSITIVE_INFINITY,
    (args, budget) => fromUnits(args, (code) => String.fromCharCode(code), budget),
  ],
  fromCodePoint: [
    Number.POSITIVE_INFINITY,
    (args, budget) => fromUnits(args, (code) => ofPoint(code, budget), budget),
  ],
});
