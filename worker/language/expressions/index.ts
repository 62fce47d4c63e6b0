/** The language of expressions and functions: everything that others use of it. See docs/expressions.md. */
export { Budget, type RunBounds } from './budget.ts';
export { globalNames, namespaceNames } from './builtins/globals.ts';
export { isTrue } from './exact.ts';
export { compileExpression } from './expression.ts';
export {
  BudgetFault,
  type BudgetKind,
  Fault,
  RunFault,
  type SourcePosition,
  SyntaxFault,
  ThrownFault,
} from './fault.ts';
export { compileFunctions } from './functions.ts';
export { keep, type Plain, type PlainObject } from './keep.ts';
export type { CompiledFunctions, Expression, ExpressionOptions } from './language.ts';
export { define } from './members.ts';
export { constantStart, readsOf, type ValueRead } from './reads.ts';
export { toLinear, Unsupported } from './regex/translate.ts';
export { Callable, type ExactNumber, isExact, type ObjectValue, type Value } from './value.ts';
