/** Compiles one expression. */
import { Analysis } from './compile/analysis.ts';
import { Context } from './compile/code.ts';
import { COMPILERS } from './compile/compilers.ts';
import { Block, Layout } from './compile/variable.ts';
import { CompiledSet } from './functions.ts';
import type { Expression, ExpressionOptions } from './language.ts';
import { parseExpression } from './parse.ts';
import { running } from './run.ts';

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
  if (functions !== undefined && !(functions instanceof CompiledSet)) {
    throw new TypeError('functions are made by compileFunctions');
  }
  const context = new Context(
    COMPILERS,
    analysis,
    { functions: functions?.holders ?? new Map() },
    undefined,
  );
  const { made: code, toll } = context.inner(() => context.expression(node));
  const usesNow = context.usesNow || [...context.named].some((name) => functions?.usesNow(name));
  const mutates = context.mutates || (context.named.size > 0 && functions?.mutates === true);
  return {
    source,
    usesNow,
    // Nothing assigns to a slot of the caller's: other names are in frames of functions.
    run: running(code, toll, mutates) as Expression['run'],
  };
}
