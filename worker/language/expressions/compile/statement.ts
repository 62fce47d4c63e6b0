/** Compiles statements to closures that tell how they ended. */
import type * as acorn from 'acorn';
import { isTrue } from '../exact.ts';
import { blockOf } from './block.ts';
import {
  BREAK,
  CONTINUE,
  type Code,
  type Context,
  NORMAL,
  notOfTheLanguage,
  RETURN,
  type Step,
} from './code.ts';
import { switchStep, throwStep, tryStep } from './control.ts';
import { declaration } from './declaration.ts';
import { doLoop, forInLoop, forLoop, forOfLoop, whileLoop } from './loop.ts';

/** @throws SyntaxFault */
export function statement(node: acorn.Node, context: Context, labels: readonly string[]): Step {
  return context.deeper(() => compiled(node as acorn.AnyNode, context, labels)); // All nodes are of these kinds.
}

function compiled(node: acorn.AnyNode, context: Context, labels: readonly string[]): Step {
  switch (node.type) {
    case 'ExpressionStatement':
      return run(context.expression(node.expression));
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

function returned(node: acorn.ReturnStatement, context: Context): Step {
  const value = node.argument ? context.expression(node.argument) : context.constant(undefined);
  return (frame, budget) => {
    budget.result = value(frame, budget);
    return RETURN;
  };
}

function choice(node: acorn.IfStatement, context: Context): Step {
  const test = context.expression(node.test);
  const then = context.statement(node.consequent);
  const otherwise = node.alternate ? context.statement(node.alternate) : () => NORMAL;
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
  const step = context.statement(node.body, [...labels, name]);
  return (frame, budget) => {
    const ended = step(frame, budget);
    if (ended !== BREAK || budget.label !== name) return ended;
    budget.label = undefined;
    return NORMAL;
  };
}
