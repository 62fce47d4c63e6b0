/** The methods of arrays that change them: only arrays that the program made. */
import type { Budget } from '../budget.ts';
import { toIndex, toInteger } from '../convert.ts';
import { requireOwned } from '../members.ts';
import type { Method, Value } from '../value.ts';
import { sorted } from './sort.ts';

/** Puts other elements into an array, instead of all. */
function refill(self: Value[], elements: readonly Value[]): Value[] {
  self.length = 0;
  for (const each of elements) self.push(each);
  return self;
}

function splice(self: Value[], args: Value[], budget: Budget): Value[] {
  const start = toIndex(args[0], 0, self.length, budget);
  const rest = self.length - start;
  const most = Math.min(Math.max(toInteger(args[1], 0, budget), 0), rest);
  const count = args.length === 0 ? 0 : args.length === 1 ? rest : most;
  budget.elements(self.length + args.length);
  const removed = self.slice(start, start + count);
  const end = self.slice(start + count);
  self.length = start;
  for (const each of args.slice(2)) self.push(each);
  for (const each of end) self.push(each);
  return budget.own(removed);
}

function push(self: Value[], args: Value[], budget: Budget): number {
  budget.elements(args.length);
  for (const each of args) self.push(each);
  return self.length;
}

const METHODS: Readonly<Record<string, Method<Value[]>>> = {
  fill(self, [value, from, to], budget) {
    const end = toIndex(to, self.length, self.length, budget);
    budget.spend(self.length >> 1);
    for (let at = toIndex(from, 0, self.length, budget); at < end; at += 1) self[at] = value;
    return self;
  },
  pop: (self) => self.pop(),
  push,
  reverse(self, _, budget) {
    budget.spend(self.length >> 1);
    return self.reverse();
  },
  shift(self, _, budget) {
    // The host may move every element.
    budget.spend(self.length >> 4);
    return self.shift();
  },
  sort(self, [order], budget) {
    // What comparing adds to the array stays behind those that were there.
    for (const [at, each] of sorted(self, order, budget).entries()) self[at] = each;
    return self;
  },
  splice,
  unshift(self, args, budget) {
    budget.elements(self.length + args.length);
    refill(self, [...args, ...self]);
    return self.length;
  },
};

/** By name; each refuses an array that was given to the program. @throws RunFault */
export const changingMethods: ReadonlyMap<string, Method<Value[]>> = new Map(
  Object.entries(METHODS).map(([name, method]): [string, Method<Value[]>] => [
    name,
    (self, args, budget) => {
      requireOwned(self, budget);
      return method(self, args, budget);
    },
  ]),
);
