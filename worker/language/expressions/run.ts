/** What surrounds every run. */
import type { Budget } from './budget.ts';
import { type Code, type Frame, Toll } from './compile/code.ts';
import { BudgetFault, type SourcePosition } from './fault.ts';
import type { Value } from './value.ts';

const START: SourcePosition = { line: 1, column: 1 };

/** Runs something, and gives back the bytes of what is garbage then. @throws RunFault | BudgetFault | ThrownFault */
type Evaluate = (frame: Frame, budget: Budget) => Value;

/**
 * What runs compiled code.
 * @param mutates whether the program changes what it makes
 */
export function running(code: Code, toll: Toll | undefined, mutates: boolean): Evaluate {
  return mutates ? mutating(code, toll) : reading(code, toll ?? new Toll());
}

/** By far the most: what an expression that only reads takes besides its own nodes is taken here. */
function reading(code: Code, toll: Toll): Evaluate {
  return (frame, budget) => {
    const { memory, depth, stack } = budget;
    budget.place = START;
    try {
      toll.pay(budget);
      const value = code(frame, budget);
      budget.memory = memory;
      return value;
    } catch (error) {
      throw ended(error, budget, memory, depth, stack);
    }
  };
}

function mutating(code: Code, toll: Toll | undefined): Evaluate {
  return (frame, budget) => {
    const { memory, depth, stack, owned } = budget;
    budget.place = START;
    budget.owned = new Set();
    try {
      toll?.pay(budget);
      const value = code(frame, budget);
      budget.memory = memory;
      budget.owned = owned;
      return value;
    } catch (error) {
      budget.owned = owned;
      throw ended(error, budget, memory, depth, stack);
    }
  };
}

/** What a run ends in; its budget is what it was except for its steps. */
function ended(
  error: unknown,
  budget: Budget,
  memory: number,
  depth: number,
  stack: number,
): unknown {
  budget.memory = memory;
  budget.depth = depth;
  budget.stack = stack;
  budget.result = undefined;
  budget.label = undefined;
  // What the host refuses for want of a stack is the depth that is bounded.
  return error instanceof RangeError ? new BudgetFault('depth', budget.place) : error;
}
