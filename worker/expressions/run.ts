/** What surrounds every run. */
import type { Budget } from './budget.ts';
import type { Code, Frame, Toll } from './compile/code.ts';
import { BudgetFault, type Place } from './fault.ts';
import type { Value } from './value.ts';

const START: Place = { line: 1, column: 1 };

/**
 * Runs, and gives back the bytes of what is garbage then.
 * @param mutates whether the program changes what it makes
 * @throws RunFault | BudgetFault | ThrownFault
 */
export function run(
  code: Code,
  frame: Frame,
  toll: Toll | undefined,
  mutates: boolean,
  budget: Budget,
): Value {
  const { memory, depth, stack, owned } = budget;
  budget.place = START;
  if (mutates) budget.owned = new Set();
  try {
    toll?.pay(budget);
    const value = code(frame, budget);
    budget.memory = memory;
    if (mutates) budget.owned = owned;
    return value;
  } catch (error) {
    budget.memory = memory;
    budget.owned = owned;
    budget.depth = depth;
    budget.stack = stack;
    budget.result = undefined;
    budget.label = undefined;
    // What the host refuses for want of a stack is the depth that is bounded.
    if (error instanceof RangeError) throw new BudgetFault('depth', budget.place);
    throw error;
  }
}
