/** What surrounds every run. */
import type { Budget } from './budget.ts';
import { BudgetFault } from './fault.ts';
import type { Value } from './value.ts';

/**
 * Runs and gives back the bytes of what was garbage. What the host refuses for want of a stack is
 * the depth that was bounded.
 */
export function guarded(budget: Budget, mutates: boolean, run: () => Value): Value {
  const { memory, depth, stack, owned } = budget;
  budget.owned = mutates ? new Set() : undefined;
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) throw new BudgetFault('depth', budget.place);
    throw error;
  } finally {
    Object.assign(budget, { memory, depth, stack, owned, result: undefined, label: undefined });
  }
}
