/** Compiles one expression. */
import type { Budget } from './budget.ts';
import { Analysis } from './compile/analysis.ts';
import { type Code, Context, type Frame, type Toll } from './compile/code.ts';
import { expression as codeOf } from './compile/expression.ts';
import { Block, Layout } from './compile/variable.ts';
import type { Place } from './fault.ts';
import { CompiledSet } from './functions.ts';
import type { Expression, ExpressionOptions } from './language.ts';
import { parseExpression } from './parse.ts';
import { guarded } from './run.ts';
import type { Value } from './value.ts';

const START: Place = { line: 1, column: 1 };

/**
 * Compiles an expression once, to be run any number of times.
 * @throws SyntaxFault
 */
export function compileExpression(source: string, options: ExpressionOptions = {}): Expression {
  const { names = [], members, functions } = options;
  const node = parseExpression(source);
  const layout = new Layout(undefined, node, 0);
  const block = new Block(undefined, layout);
  for (const name of names) block.declare(name, 'name', 0);
  const analysis = new Analysis(
    undefined,
    members === undefined ? undefined : block.variables.get(members),
  );
  analysis.visit(node, block);
  const set = functions instanceof CompiledSet ? functions : undefined;
  const context = new Context(analysis, { functions: set?.holders ?? new Map() }, undefined);
  const { made: code, toll } = context.inner(() => codeOf(node, context));
  const usesNow = context.usesNow || [...context.named].some((name) => set?.usesNow(name));
  const mutates = context.mutates || (context.named.size > 0 && set?.mutates === true);
  return {
    source,
    usesNow,
    run: (values, budget) => guarded(budget, mutates, () => enter(code, toll, values, budget)),
  };
}

function enter(code: Code, toll: Toll, values: readonly Value[], budget: Budget): Value {
  budget.place = START;
  toll.pay(budget);
  // Nothing assigns to a slot of the caller's: names of its own are in frames of functions.
  return code(values as Frame, budget);
}
