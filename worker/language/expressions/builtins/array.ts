/** The methods of arrays that leave them as they are. */
import type { Budget } from '../budget.ts';
import { isSame, joined, nest, toIndex, toInteger, toText, unnest } from '../convert.ts';
import { isTrue } from '../exact.ts';
import { RunFault } from '../fault.ts';
import { ELEMENT_BYTES, isSameOrNaN } from '../members.ts';
import type { Method, Value } from '../value.ts';
import { callback, required } from './callback.ts';
import { sorted } from './sort.ts';

/** Where a function first held for an element, and that element as it was then. */
interface FoundElement {
  readonly index: number;
  readonly element: Value;
}

/** The first element that a function holds for; the last when `step` is -1. Asks of those taken away too. */
function seek(self: Value[], test: Value, step: 1 | -1, budget: Budget): FoundElement {
  const holds = callback(test, self, budget);
  const { length } = self;
  for (let count = 0; count < length; count += 1) {
    const index = step === 1 ? count : length - 1 - count;
    budget.spend(1);
    const element = self[index];
    if (isTrue(holds(element, index))) return { index, element };
  }
  return { index: -1, element: undefined };
}

/**
 * Gives each element to a function until that stops it: as many as there were at first, without
 * those that the function itself took away meanwhile.
 */
function visit(self: Value[], each: (element: Value, index: number) => boolean, budget: Budget) {
  const { length } = self;
  for (let index = 0; index < length; index += 1) {
    budget.spend(1);
    if (index < self.length && each(self[index], index)) return true;
  }
  return false;
}

function some(self: Value[], test: Value, budget: Budget): boolean {
  const holds = callback(test, self, budget);
  return visit(self, (element, index) => isTrue(holds(element, index)), budget);
}

function every(self: Value[], test: Value, budget: Budget): boolean {
  const holds = callback(test, self, budget);
  return !visit(self, (element, index) => !isTrue(holds(element, index)), budget);
}

/** A new array that the program may change; its elements are charged. */
function made(array: Value[], budget: Budget): Value[] {
  budget.elements(array.length);
  return budget.own(array);
}

function filter(self: Value[], args: Value[], budget: Budget): Value[] {
  const { invoke, takes } = required(args[0], budget);
  const kept: Value[] = [];
  const { length } = self;
  budget.spend(length);
  for (let at = 0; at < length; at += 1) {
    if (at >= self.length) continue;
    const element = self[at];
    const holds = takes <= 1 ? invoke([element], budget) : invoke([element, at, self], budget);
    if (!isTrue(holds)) continue;
    budget.allocate(ELEMENT_BYTES);
    kept.push(element);
  }
  return budget.own(kept);
}

function map(self: Value[], args: Value[], budget: Budget): Value[] {
  const { length } = self;
  budget.elements(length);
  const { invoke, takes } = required(args[0], budget);
  const result = new Array<Value>(length);
  for (let at = 0; at < length; at += 1) {
    if (at >= self.length) result[at] = undefined;
    else if (takes <= 1) result[at] = invoke([self[at]], budget);
    else result[at] = invoke([self[at], at, self], budget);
  }
  return budget.own(result);
}

function reduce(self: Value[], args: Value[], step: 1 | -1, budget: Budget): Value {
  const { invoke, takes } = required(args[0], budget);
  let at = step === 1 ? 0 : self.length - 1;
  let result = args[1];
  if (args.length < 2) {
    if (self.length === 0) {
      throw new RunFault('reduce of an empty array takes a first value', budget.place);
    }
    result = self[at];
    at += step;
  }
  const { length } = self;
  budget.spend(length);
  for (; at >= 0 && at < length; at += step) {
    if (at >= self.length) continue;
    const element = self[at];
    result =
      takes <= 2 ? invoke([result, element], budget) : invoke([result, element, at, self], budget);
  }
  return result;
}

/** Whether the host's own comparison is the language's: of texts it has to be paid, of objects and numbers worked out. */
function isSimple(value: Value): boolean {
  return value === undefined || value === null || typeof value === 'boolean';
}

function indexOf(self: Value[], [wanted, from]: Value[], budget: Budget): number {
  const start = toIndex(from, 0, self.length, budget);
  budget.spend(Math.max(0, self.length - start));
  if (isSimple(wanted)) return self.indexOf(wanted, start);
  for (let at = start; at < self.length; at += 1) if (isSame(self[at], wanted, budget)) return at;
  return -1;
}

function lastIndexOf(self: Value[], args: Value[], budget: Budget): number {
  const from = args.length > 1 ? toInteger(args[1], 0, budget) : self.length - 1;
  budget.spend(self.length);
  const start = from < 0 ? self.length + from : Math.min(from, self.length - 1);
  for (let at = start; at >= 0; at -= 1) if (isSame(self[at], args[0], budget)) return at;
  return -1;
}

function includes(self: Value[], [wanted, from]: Value[], budget: Budget): boolean {
  const start = toIndex(from, 0, self.length, budget);
  budget.spend(Math.max(0, self.length - start));
  if (isSimple(wanted)) return self.includes(wanted, start);
  for (let at = start; at < self.length; at += 1) {
    if (isSameOrNaN(self[at], wanted, budget)) return true;
  }
  return false;
}

function flattenInto(to: Value[], from: readonly Value[], levels: number, budget: Budget): void {
  for (const element of from) {
    budget.elements(1);
    if (!Array.isArray(element) || levels < 1) {
      to.push(element);
      continue;
    }
    nest(budget);
    flattenInto(to, element, levels - 1, budget);
    unnest(budget);
  }
}

function flat(self: Value[], [levels]: Value[], budget: Budget): Value[] {
  const flattened: Value[] = [];
  flattenInto(flattened, self, toInteger(levels, 1, budget), budget);
  return budget.own(flattened);
}

function flatMap(self: Value[], args: Value[], budget: Budget): Value[] {
  const make = callback(args[0], self, budget);
  const flattened: Value[] = [];
  const add = (element: Value, index: number) => {
    flattenInto(flattened, [make(element, index)], 1, budget);
    return false;
  };
  visit(self, add, budget);
  return budget.own(flattened);
}

function concat(self: Value[], args: Value[], budget: Budget): Value[] {
  budget.elements(self.length);
  const result = [...self];
  for (const each of args) {
    if (!Array.isArray(each)) {
      budget.elements(1);
      result.push(each);
      continue;
    }
    budget.elements(each.length);
    for (const element of each) result.push(element);
  }
  return budget.own(result);
}

function slice(self: Value[], [from, to]: Value[], budget: Budget): Value[] {
  const start = toIndex(from, 0, self.length, budget);
  const end = toIndex(to, self.length, self.length, budget);
  return made(self.slice(start, end), budget);
}

function spliced(self: Value[], args: Value[], budget: Budget): Value[] {
  const start = toIndex(args[0], 0, self.length, budget);
  const rest = self.length - start;
  const most = Math.min(Math.max(toInteger(args[1], 0, budget), 0), rest);
  const count = args.length === 0 ? 0 : args.length === 1 ? rest : most;
  budget.elements(self.length + args.length);
  const end = self.slice(start + count);
  return budget.own([...self.slice(0, start), ...args.slice(2), ...end]);
}

function replacedAt(self: Value[], [index, value]: Value[], budget: Budget): Value[] {
  const wanted = toInteger(index, 0, budget);
  const at = wanted < 0 ? self.length + wanted : wanted;
  if (at < 0 || at >= self.length) {
    throw new RunFault('with takes an index within the array', budget.place, 'RangeError');
  }
  return made(self.with(at, value), budget);
}

const METHODS: Readonly<Record<string, Method<Value[]>>> = {
  at: (self, [index], budget) => self.at(toInteger(index, 0, budget)),
  concat,
  entries(self, _, budget) {
    budget.elements(self.length * 3);
    return budget.own(self.map((element, index) => budget.own([index, element])));
  },
  every: (self, [test], budget) => every(self, test, budget),
  filter,
  find: (self, [test], budget) => seek(self, test, 1, budget).element,
  findIndex: (self, [test], budget) => seek(self, test, 1, budget).index,
  findLast: (self, [test], budget) => seek(self, test, -1, budget).element,
  findLastIndex: (self, [test], budget) => seek(self, test, -1, budget).index,
  flat,
  flatMap,
  forEach(self, [act], budget) {
    const each = callback(act, self, budget);
    visit(
      self,
      (element, index) => {
        each(element, index);
        return false;
      },
      budget,
    );
    return undefined;
  },
  includes,
  indexOf,
  join: (self, [separator], budget) =>
    joined(self, separator === undefined ? ',' : toText(separator, budget), budget),
  keys: (self, _, budget) => made([...self.keys()], budget),
  lastIndexOf,
  map,
  reduce: (self, args, budget) => reduce(self, args, 1, budget),
  reduceRight: (self, args, budget) => reduce(self, args, -1, budget),
  slice,
  some: (self, [test], budget) => some(self, test, budget),
  toReversed: (self, _, budget) => made(self.toReversed(), budget),
  toSorted: (self, [order], budget) => budget.own(sorted(self, order, budget)),
  toSpliced: spliced,
  values: (self, _, budget) => made([...self], budget),
  with: replacedAt,
};

/** By name; see docs/expressions.md for each. */
export const readingMethods: ReadonlyMap<string, Method<Value[]>> = new Map<
  string,
  Method<Value[]>
>([...Object.entries(METHODS), ['toString', (self, _, budget) => joined(self, ',', budget)]]);
