/** Sorting, charged by what comparing costs. */
import type { Budget } from '../budget.ts';
import { toNumber, toText } from '../convert.ts';
import type { Value } from '../value.ts';
import { required } from './callback.ts';

/** Bytes that an element takes while it is sorted. */
const ELEMENT_BYTES = 48;

/** The elements in order, as a new array. @throws BudgetFault */
export function sorted(array: readonly Value[], order: Value, budget: Budget): Value[] {
  const { length } = array;
  budget.allocate(length * ELEMENT_BYTES);
  budget.spend(Math.ceil(length * (1 + Math.log2(length + 1))));
  if (order === undefined) return byText(array, budget);
  const { invoke } = required(order, budget);
  return array.toSorted((one, other) => toNumber(invoke([one, other], budget), budget) || 0);
}

/** In the order of their texts, by UTF-16 units; undefined last. */
function byText(array: readonly Value[], budget: Budget): Value[] {
  const defined = array.filter((each) => each !== undefined);
  const pairs = defined.map((value) => ({ value, text: toText(value, budget) }));
  pairs.sort((one, other) => {
    budget.touch(one.text.length < other.text.length ? one.text : other.text);
    if (one.text === other.text) return 0;
    return one.text < other.text ? -1 : 1;
  });
  const values: Value[] = pairs.map(({ value }) => value);
  while (values.length < array.length) values.push(undefined);
  return values;
}
