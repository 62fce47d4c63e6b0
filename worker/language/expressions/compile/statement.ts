/** Compiles statements to closures that tell how they ended. */
import type * as acorn from 'acorn';
import type { Budget } from '../budget.ts';
import { enterBlock } from './block.ts';
import {
  BREAK,
  CONTINUE,
  type Code,
  type Context,
  type Frame,
  NORMAL,
  RETURN,
  type Step,
} from './code.ts';
import { switchStep, throwStep, tryStep } from './control.ts';
import { expression, notOfTheLanguage } from './expression.ts';
import { doLoop, forInLoop, forLoop, forOfLoop, whileLoop } from './loop.ts';
import { isTrue } from './operator.ts';
import { pattern } from './pattern.ts';

/** @throws SyntaxFault */
export function statement(
  node: acorn.Node,
  context: Context,
  labels: readonly string[] = [],
): Step {
  return context.deeper(() => compiled(node as acorn.AnyNode, context, labels)); // All nodes are of these kinds.
}

/** Statements one after another, in a block that was entered. */
export function sequence(nodes: readonly acorn.Node[], context: Context): Step {
  const steps = nodes
    .filter(({ type }) => type !== 'FunctionDeclaration' && type !== 'EmptyStatement')
    .map((each) => statement(each, context));
  const [first, second, third] = steps;
  if (first === undefined) return () => NORMAL;
  if (second === undefined) return first;
  if (third === undefined) return (frame, budget) => first(frame, budget) || second(frame, budget);
  return (frame, budget) => {
    for (const step of steps) {
      const ended = step(frame, budget);
      if (ended !== NORMAL) return ended;
    }
    return NORMAL;
  };
}

/** Statements with a block of their own. */
export function blockOf(
  node: acorn.Node,
  statements: readonly acorn.Node[],
  context: Context,
): Step {
  const block = context.analysis.blocks.get(node);
  const enter = block && enterBlock(block, context, statements);
  const steps = sequence(statements, context);
  if (enter === undefined) return steps;
  return (frame, budget) => {
    enter(frame, budget);
    return steps(frame, budget);
  };
}

function compiled(node: acorn.AnyNode, context: Context, labels: readonly string[]): Step {
  switch (node.type) {
    case 'ExpressionStatement':
      return run(expression(node.expression, context));
    case 'VariableDeclaration':
      return declaration(node, context);
    case 'ReturnStatement':
      return returned(node, context);
    case 'IfStatement':
      return choice(node, context);
    case 'BlockStatement':
      return blockOf(node, node.body, context);
    case 'EmptyStatement':
      return () => NORMAL;
    case 'BreakStatement':
      return jump(BREAK, node.label?.name);
    case 'ContinueStatement':
      return jump(CONTINUE, node.label?.name);
    case 'ThrowStatement':
      return throwStep(node, context);
    case 'TryStatement':
      return tryStep(node, context);
    case 'SwitchStatement':
      return switchStep(node, context);
    case 'LabeledStatement':
      return labeled(node, context, labels);
    default:
      return loop(node, context, labels);
  }
}

function loop(node: acorn.AnyNode, context: Context, labels: readonly string[]): Step {
  switch (node.type) {
    case 'ForStatement':
      return forLoop(node, context, labels);
    case 'ForOfStatement':
      return forOfLoop(node, context, labels);
    case 'ForInStatement':
      return forInLoop(node, context, labels);
    case 'WhileStatement':
      return whileLoop(node, context, labels);
    case 'DoWhileStatement':
      return doLoop(node, context, labels);
    default:
      throw notOfTheLanguage(node, context);
  }
}

function run(code: Code): Step {
  return (frame, budget) => {
    code(frame, budget);
    return NORMAL;
  };
}

/** `const`, `let` and `var`; of `var` without a value, nothing happens. */
export function declaration(node: acorn.VariableDeclaration, context: Context): Step {
  if (node.kind === 'using' || node.kind === 'await using') {
    throw context.fault(node, 'using is not part of the language');
  }
  const parts: ((frame: Frame, budget: Budget) => void)[] = [];
  for (const { id, init } of node.declarations) {
    if (node.kind === 'var' && !init) continue;
    const value = init ? expression(init, context) : context.constant(undefined);
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

function returned(node: acorn.ReturnStatement, context: Context): Step {
  const value = node.argument ? expression(node.argument, context) : context.constant(undefined);
  return (frame, budget) => {
    budget.result = value(frame, budget);
    return RETURN;
  };
}

function choice(node: acorn.IfStatement, context: Context): Step {
  const test = expression(node.test, context);
  const then = statement(node.consequent, context);
  const otherwise = node.alternate ? statement(node.alternate, context) : () => NORMAL;
  return (frame, budget) =>
    isTrue(test(frame, budget)) ? then(frame, budget) : otherwise(frame, budget);
}

function jump(how: typeof BREAK | typeof CONTINUE, label: string | undefined): Step {
  return (_, budget) => {
    budget.label = label;
    return how;
  };
}

function labeled(node: acorn.LabeledStatement, context: Context, labels: readonly string[]): Step {
  const { name } = node.label;
  const step = statement(node.body, context, [...labels, name]);
  return (frame, budget) => {
    const ended = step(frame, budget);
    if (ended !== BREAK || budget.label !== name) return ended;
    budget.label = undefined;
    return NORMAL;
  };
}
