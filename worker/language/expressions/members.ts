/** Reading and writing what values have: own members only, never what a prototype has. */
import type { Budget } from './budget.ts';
import { isSame, toName, toNumber } from './convert.ts';
import { RunFault } from './fault.ts';
import { compiled, Pattern } from './pattern.ts';
import { Callable, isExact, isObject, kindOf, type ObjectValue, type Value } from './value.ts';

const ORDINARY = { writable: true, enumerable: true, configurable: true };
/** Bytes of a member of an object, and of an element of an array. */
export const MEMBER_BYTES = 64;
export const ELEMENT_BYTES = 16;

/** What the host takes to find a place for a name that was worked out. */
const NAMING_STEPS = 90;

/** Names that a value of the host has by its prototype or as its own machinery; gathered at the first question. */
let risky: ReadonlySet<string> | undefined;

function riskyNames(): ReadonlySet<string> {
  const values = [
    ...[[], {}, new Callable('', 0, () => undefined)],
    ...[new Pattern(compiled('a', '')), JSON.rawJSON('1')],
  ];
  const names = values
    .flatMap((each) => [each, Object.getPrototypeOf(each) ?? {}])
    .flatMap((each) => Object.getOwnPropertyNames(each));
  // Members that regular expressions have in the language alone.
  return new Set([...names, 'global']);
}

/** Whether a member of this name has to be looked for with care. */
export function isRisky(name: string): boolean {
  risky ??= riskyNames();
  return risky.has(name) || isIndex(name);
}

/** Whether a name is that of an element of an array. */
function isIndex(name: string): boolean {
  return /^(?:0|[1-9]\d{0,9})$/.test(name);
}

/** The member of any value by any name; undefined where there is none. */
export function getMember(object: Value, name: string, budget: Budget): Value {
  if (typeof object === 'string') return textMember(object, name, budget);
  if (typeof object !== 'object' || object === null) return undefined;
  if (Array.isArray(object)) {
    if (name === 'length') return object.length;
    return isIndex(name) ? object[Number(name)] : undefined;
  }
  if (object instanceof Pattern) return patternMember(object, name);
  if (object instanceof Callable || isExact(object)) return undefined;
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function textMember(text: string, name: string, budget: Budget): Value {
  if (name === 'length') return text.length;
  if (!isIndex(name)) return undefined;
  budget.reach(text);
  return text[Number(name)];
}

function patternMember(pattern: Pattern, name: string): Value {
  if (name === 'source') return pattern.source;
  if (name === 'flags') return pattern.flags;
  if (name === 'global') return pattern.flags.includes('g');
  return name === 'lastIndex' ? pattern.lastIndex : undefined;
}

/** The member by a name that has to be worked out. @throws BudgetFault */
export function getComputed(object: Value, key: Value, budget: Budget): Value {
  if (typeof key === 'number') {
    if (Array.isArray(object)) return object[key];
    if (typeof object === 'string') {
      budget.reach(object);
      return object[key];
    }
  }
  return getMember(object, toName(key, budget), budget);
}

/** Whether there is an own member. @throws RunFault for what has none by its nature */
export function hasMember(object: Value, key: Value, budget: Budget): boolean {
  const name = toName(key, budget);
  if (Array.isArray(object)) {
    return name === 'length' || (isIndex(name) && Number(name) < object.length);
  }
  if (isObject(object)) return Object.hasOwn(object, name);
  throw new RunFault(`in looks into objects and arrays, not into ${kindOf(object)}`, budget.place);
}

/** Makes a member of an object that the program owns, `__proto__` like any other. */
export function define(object: ObjectValue, name: string, value: Value): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, ...ORDINARY });
}

/** Refuses to change what the program did not make. @throws RunFault */
export function requireOwned(object: object, budget: Budget): void {
  if (budget.owned?.has(object) === true) return;
  throw new RunFault(
    'what was given to an expression cannot be changed: copy it first, as in {...order} or [...items]',
    budget.place,
  );
}

/** Assigns to a member. @throws RunFault | BudgetFault */
export function setMember(object: Value, key: Value, value: Value, budget: Budget): void {
  if (Array.isArray(object)) {
    requireOwned(object, budget);
    setElement(object, key, value, budget);
  } else if (isObject(object)) {
    requireOwned(object, budget);
    budget.spend(NAMING_STEPS);
    budget.allocate(MEMBER_BYTES);
    define(object, toName(key, budget), value);
  } else if (object instanceof Pattern && key === 'lastIndex') {
    object.lastIndex = toNumber(value, budget);
  } else {
    const name = toName(key, budget).slice(0, 100);
    throw new RunFault(`${name} cannot be set: it is a member of ${kindOf(object)}`, budget.place);
  }
}

function setElement(array: Value[], key: Value, value: Value, budget: Budget): void {
  if (key === 'length') {
    setLength(array, toNumber(value, budget), budget);
    return;
  }
  const name = typeof key === 'number' ? String(key) : toName(key, budget);
  if (!isIndex(name)) {
    throw new RunFault('arrays have elements and a length, and no other members', budget.place);
  }
  const index = Number(name);
  if (index > array.length) setLength(array, index, budget);
  if (index === array.length) {
    budget.allocate(ELEMENT_BYTES);
    array.push(value);
  } else {
    array[index] = value;
  }
}

/** A longer array is filled with undefined: there are no holes. */
function setLength(array: Value[], length: number, budget: Budget): void {
  if (!Number.isInteger(length) || length < 0 || length > 0xffff_ffff) {
    throw new RunFault('an array cannot have such a length', budget.place, 'RangeError');
  }
  if (length <= array.length) {
    array.length = length;
    return;
  }
  budget.elements(length - array.length);
  while (array.length < length) array.push(undefined);
}

/** Removes a member. @throws RunFault */
export function removeMember(object: Value, key: Value, budget: Budget): boolean {
  if (!isObject(object)) {
    throw new RunFault(`a member of ${kindOf(object)} cannot be deleted`, budget.place);
  }
  requireOwned(object, budget);
  return delete object[toName(key, budget)];
}

/**
 * Steps, as the proof `charges` measures them: of a name that the host writes for a character or an
 * element, and of going through and of copying a member of an object of so many that the host keeps
 * them in a table.
 */
const [CHARACTER_NAME_STEPS, ELEMENT_NAME_STEPS, TABLED_NAME_STEPS, TABLED_COPY_STEPS] = [
  7, 1, 7, 8,
];
/** Objects of more members the host keeps in a table, which is slow to go through. */
export const TABLED = 128;

/** Names of own members, charged. @throws BudgetFault */
export function ownNames(value: Value, budget: Budget): string[] {
  if (!Array.isArray(value) && typeof value !== 'string' && !isObject(value)) return [];
  if (typeof value === 'string' || Array.isArray(value)) {
    budget.elements(2 * value.length);
    const steps = typeof value === 'string' ? CHARACTER_NAME_STEPS : ELEMENT_NAME_STEPS;
    budget.spend(steps * value.length);
  }
  const keys = Object.keys(value);
  budget.elements(keys.length);
  if (keys.length > TABLED) budget.spend(TABLED_NAME_STEPS * keys.length);
  return keys;
}

/** What can be gone through by `of`, spread and the like, as an array. @throws RunFault */
export function elementsOf(value: Value, budget: Budget): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') {
    budget.touch(value);
    budget.elements(value.length);
    return [...value];
  }
  throw new RunFault(`${kindOf(value)} has no elements to go through`, budget.place);
}

/** Whether two values are the same, NaN included. */
export function isSameOrNaN(one: Value, other: Value, budget: Budget): boolean {
  return Object.is(one, other) || isSame(one, other, budget);
}

/** Charges for members of one object that are read and made again. @throws BudgetFault */
export function payCopies(count: number, budget: Budget): void {
  budget.spend(count > TABLED ? TABLED_COPY_STEPS * count : count);
}

/** Copies own members of any value, as spread does. @throws BudgetFault */
export function copyMembers(object: ObjectValue, from: Value, budget: Budget): void {
  const names = ownNames(from, budget);
  budget.allocate(names.length * (MEMBER_BYTES - ELEMENT_BYTES));
  payCopies(names.length, budget);
  if (isObject(from)) for (const name of names) define(object, name, from[name]);
  else if (Array.isArray(from)) for (const name of names) object[name] = from[Number(name)];
  else if (typeof from === 'string') for (const name of names) object[name] = from[Number(name)];
}
