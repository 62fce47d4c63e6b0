/** The methods of numbers, and of what else has a few: booleans, functions, objects. */
import type { Budget } from '../budget.ts';
import { toInteger, toNumber, toText } from '../convert.ts';
import { RunFault } from '../fault.ts';
import type { Method, Value } from '../value.ts';

/** Longest text of a number, whatever its digits and its radix. */
const LONGEST = 1_100;
/** Digits that doubles work out; more take long division, and steps for each digit. */
const FEW_DIGITS = 20;
const LONG_DIVISION_STEPS = 250;

/** Runs a method of the host whose only refusal is a RangeError. */
function within(make: () => string, budget: Budget): string {
  budget.text(LONGEST);
  try {
    return make();
  } catch {
    throw new RunFault('the number of digits is out of range', budget.place, 'RangeError');
  }
}

function digitsOf(value: Value, budget: Budget): number | undefined {
  if (value === undefined) return undefined;
  const digits = toInteger(value, 0, budget);
  if (digits > FEW_DIGITS) budget.spend(LONG_DIVISION_STEPS);
  return digits;
}

const METHODS: Readonly<Record<string, Method>> = {
  toExponential(self, [digits], budget) {
    const wanted = digitsOf(digits, budget);
    return within(() => toNumber(self, budget).toExponential(wanted), budget);
  },
  toFixed(self, [digits], budget) {
    const wanted = digitsOf(digits, budget);
    return within(() => toNumber(self, budget).toFixed(wanted), budget);
  },
  toPrecision(self, [digits], budget) {
    const wanted = digitsOf(digits, budget);
    return within(() => toNumber(self, budget).toPrecision(wanted), budget);
  },
};

const numberText: Method = (self, [radix], budget) => {
  if (radix === undefined) return toText(self, budget);
  const base = toInteger(radix, 10, budget);
  if (!Number.isInteger(self)) budget.spend(LONG_DIVISION_STEPS);
  return within(() => toNumber(self, budget).toString(base), budget);
};

/** By name; see docs/expressions.md for each. */
export const numberMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ...Object.entries(METHODS),
  ['toString', numberText],
  ['valueOf', (self) => self],
]);
