/** Calls the functions that are given to built-ins. */
import type { Budget } from '../budget.ts';
import { RunFault } from '../fault.ts';
import { Callable, kindOf, type Value } from '../value.ts';

/** What is done with each element. */
type Each = (element: Value, index: number) => Value;

/**
 * A function of an element and its index, and of the array where there is one, given no more than
 * it takes.
 * @throws RunFault
 */
export function callback(value: Value, array: Value[] | undefined, budget: Budget): Each {
  const { invoke, takes } = required(value, budget);
  if (takes <= 1) return (element) => invoke([element], budget);
  if (takes === 2 || array === undefined) {
    return (element, index) => invoke([element, index], budget);
  }
  return (element, index) => invoke([element, index, array], budget);
}

/** @throws RunFault for what is no function */
export function required(value: Value, budget: Budget): Callable {
  if (value instanceof Callable) return value;
  throw new RunFault(`takes a function, not ${kindOf(value)}`, budget.place);
}
