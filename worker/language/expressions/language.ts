/** What a compiled source offers. */
import type { Budget } from './budget.ts';
import type { Value } from './value.ts';

/** What an expression may name besides the built-ins. */
export interface ExpressionOptions {
  /** Names whose values `run` is given, in this order. A later one hides an earlier one of its name. */
  readonly names?: readonly string[];
  /** The one of `names` whose own members go by their bare names: `price` for `$.price`. */
  readonly members?: string;
  /** Functions that it may call, made by `compileFunctions`. */
  readonly functions?: CompiledFunctions;
}

/** A compiled expression, of no run and no input: it may be kept and used again. */
export interface Expression {
  readonly source: string;
  /** Whether its value depends on when the run began. */
  readonly usesNow: boolean;
  /**
   * Its value. The values of `names` are only read, never changed, and may be shared; their
   * objects are JSON's, without getters. What comes back may share parts with them.
   * @throws RunFault | BudgetFault | ThrownFault
   */
  run(values: readonly Value[], budget: Budget): Value;
}

/** Functions compiled together: they see each other and the built-ins. */
export interface CompiledFunctions {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Whether what the function returns depends on when the run began. */
  usesNow(name: string): boolean;
  /** @throws RunFault | BudgetFault | ThrownFault */
  call(name: string, args: readonly Value[], budget: Budget): Value;
}
