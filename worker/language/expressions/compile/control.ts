/** Compiles `switch`, `throw` and `try`. */
import type * as acorn from 'acorn';
import type { Budget } from '../budget.ts';
import { errorValue, isSame, toText } from '../convert.ts';
import { RunFault, ThrownFault } from '../fault.ts';
import { isObject, type Value } from '../value.ts';
import { blockOf, enterBlock, sequence } from './block.ts';
import { BREAK, type Completion, type Context, type Frame, NORMAL, type Step } from './code.ts';
import { pattern } from './pattern.ts';

/** Making an error looks at the host's stack. */
const THROW_STEPS = 200;

/** `switch (a) { case b: … default: … }` */
export function switchStep(node: acorn.SwitchStatement, context: Context): Step {
  const value = context.expression(node.discriminant);
  const place = context.place(node);
  const statements = node.cases.flatMap(({ consequent }) => consequent);
  const block = context.analysis.blocks.get(node);
  const enter = block && enterBlock(block, context, statements);
  const cases = node.cases.map((each) => ({
    test: each.test ? context.expression(each.test) : undefined,
    steps: sequence(each.consequent, context),
  }));
  const otherwise = cases.findIndex(({ test }) => test === undefined);
  return (frame, budget) => {
    const wanted = value(frame, budget);
    enter?.(frame, budget);
    budget.place = place;
    const found = cases.findIndex(
      ({ test }) => test !== undefined && isSame(wanted, test(frame, budget), budget),
    );
    const first = found >= 0 ? found : otherwise;
    if (first < 0) return NORMAL;
    for (const { steps } of cases.slice(first)) {
      const ended = steps(frame, budget);
      if (ended === BREAK && budget.label === undefined) return NORMAL;
      if (ended !== NORMAL) return ended;
    }
    return NORMAL;
  };
}

/** `throw a` */
export function throwStep(node: acorn.ThrowStatement, context: Context): Step {
  const value = context.expression(node.argument);
  const place = context.place(node);
  return (frame, budget) => {
    const thrown = value(frame, budget);
    budget.place = place;
    budget.spend(THROW_STEPS);
    throw new ThrownFault(messageOf(thrown, budget), thrown, place);
  };
}

function messageOf(thrown: Value, budget: Budget): string {
  if (isObject(thrown) && Object.hasOwn(thrown, 'message')) return toText(thrown.message, budget);
  return toText(thrown, budget);
}

/** `try {…} catch (error) {…} finally {…}`; a budget that is spent ends the run all the same. */
export function tryStep(node: acorn.TryStatement, context: Context): Step {
  const attempt = blockOf(node.block, node.block.body, context);
  const handled = node.handler ? handler(node.handler, context) : undefined;
  const last = node.finalizer ? blockOf(node.finalizer, node.finalizer.body, context) : undefined;
  const guarded: Step = (frame, budget) => {
    const { depth, stack } = budget;
    try {
      return attempt(frame, budget);
    } catch (error) {
      if (handled === undefined || !isCatchable(error)) throw error;
      Object.assign(budget, { depth, stack });
      // One of ours was made as well, with words of its own.
      budget.spend(error instanceof RunFault ? 2 * THROW_STEPS : THROW_STEPS);
      return handled(caught(error, budget), frame, budget);
    }
  };
  return last === undefined ? guarded : finallyStep(guarded, last);
}

function finallyStep(guarded: Step, last: Step): Step {
  return (frame, budget) => {
    const { depth, stack } = budget;
    let ended: Completion;
    try {
      ended = guarded(frame, budget);
    } catch (error) {
      if (!isCatchable(error)) throw error;
      Object.assign(budget, { depth, stack });
      const instead = last(frame, budget);
      if (instead !== NORMAL) return instead;
      throw error;
    }
    const { result, label } = budget;
    const instead = last(frame, budget);
    if (instead !== NORMAL) return instead;
    Object.assign(budget, { result, label });
    return ended;
  };
}

function isCatchable(error: unknown): error is RunFault | ThrownFault {
  return error instanceof RunFault || error instanceof ThrownFault;
}

function caught(error: RunFault | ThrownFault, budget: Budget): Value {
  if (error instanceof RunFault) return budget.own(errorValue(error.kind, error.message));
  return error.value as Value; // Only values of the language are thrown.
}

function handler(
  node: acorn.CatchClause,
  context: Context,
): (value: Value, frame: Frame, budget: Budget) => Completion {
  const block = context.analysis.blocks.get(node);
  const enter = block && enterBlock(block, context, []);
  const bind = node.param ? pattern(node.param, context, true) : undefined;
  const steps = blockOf(node.body, node.body.body, context);
  return (value, frame, budget) => {
    enter?.(frame, budget);
    bind?.(value, frame, budget);
    return steps(frame, budget);
  };
}
