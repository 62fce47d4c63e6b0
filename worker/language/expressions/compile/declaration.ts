/** Compiles declarations of variables. */
import type * as acorn from 'acorn';
import type { Budget } from '../budget.ts';
import { type Context, type Frame, NORMAL, type Step } from './code.ts';
import { pattern } from './pattern.ts';

/** `const`, `let` and `var`; of `var` without a value, nothing happens. */
export function declaration(node: acorn.VariableDeclaration, context: Context): Step {
  if (node.kind === 'using' || node.kind === 'await using') {
    throw context.fault(node, 'using is not part of the language');
  }
  const parts: ((frame: Frame, budget: Budget) => void)[] = [];
  for (const { id, init } of node.declarations) {
    if (node.kind === 'var' && !init) continue;
    const value = init ? context.expression(init) : context.constant(undefined);
    const bind = pattern(id, context, true);
    parts.push((frame, budget) => bind(value(frame, budget), frame, budget));
  }
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    return (frame, budget) => {
      only(frame, budget);
      return NORMAL;
    };
  }
  return (frame, budget) => {
    for (const part of parts) part(frame, budget);
    return NORMAL;
  };
}
