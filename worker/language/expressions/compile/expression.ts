/** Compiles any expression node to a closure; what is not of the language is a fault. */
import type * as acorn from 'acorn';
import { compiled as compiledPattern, Pattern } from '../pattern.ts';
import { Unsupported } from '../regex/translate.ts';
import type { Value } from '../value.ts';
import { assignment, update } from './assign.ts';
import { call, construct } from './call.ts';
import { chain } from './chain.ts';
import { type Code, type Context, notOfTheLanguage } from './code.ts';
import { functionValue } from './function.ts';
import { arrayLiteral, objectLiteral, template } from './literal.ts';
import { member } from './member.ts';
import { binary, conditional, logical, unary } from './operator.ts';
import { reference } from './reference.ts';

/** @throws SyntaxFault */
export function expression(node: acorn.Node, context: Context): Code {
  return context.deeper(() => compiled(node as acorn.AnyNode, context)); // All nodes are of these kinds.
}

/** Instructions of all regular expressions of a source: compiling them takes time. */
const PATTERN_STEPS_MAX = 30_000;
const TOO_MANY = 'is one too many: those of one source come to too many steps';

function compiled(node: acorn.AnyNode, context: Context): Code {
  switch (node.type) {
    case 'Literal':
      return literal(node, context);
    case 'ParenthesizedExpression':
      return context.expression(node.expression);
    case 'Identifier':
      return reference(node, context);
    case 'TemplateLiteral':
      return template(node, context);
    case 'ArrayExpression':
      return arrayLiteral(node, context);
    case 'ObjectExpression':
      return objectLiteral(node, context);
    case 'MemberExpression':
      return member(node, context);
    case 'ChainExpression':
      return chain(node, context);
    case 'CallExpression':
      return call(node, context);
    case 'NewExpression':
      return construct(node, context);
    case 'UnaryExpression':
      return unary(node, context);
    case 'BinaryExpression':
      return binary(node, context);
    case 'LogicalExpression':
      return logical(node, context);
    case 'ConditionalExpression':
      return conditional(node, context);
    case 'AssignmentExpression':
      return assignment(node, context);
    case 'UpdateExpression':
      return update(node, context);
    case 'SequenceExpression':
      return sequence(node, context);
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return functionValue(node, context);
    default:
      throw notOfTheLanguage(node, context);
  }
}

function literal(node: acorn.Literal, context: Context): Code {
  if (node.regex) {
    const program = programOf(node.regex, node, context);
    return () => new Pattern(program);
  }
  if (typeof node.value === 'bigint') {
    throw context.fault(node, 'a BigInt is not part of the language: numbers are doubles');
  }
  return context.constant(node.value as Value); // What is left is text, number, boolean or null.
}

function programOf(regex: { pattern: string; flags: string }, node: acorn.Node, context: Context) {
  try {
    const program = compiledPattern(regex.pattern, regex.flags);
    context.patternSteps += program.expression.programSize();
    if (context.patternSteps > PATTERN_STEPS_MAX) throw new Unsupported(TOO_MANY);
    return program;
  } catch (refusal) {
    if (!(refusal instanceof Unsupported)) throw refusal;
    throw context.fault(node, `the regular expression ${refusal.message}`);
  }
}

function sequence(node: acorn.SequenceExpression, context: Context): Code {
  const parts = node.expressions.map((each) => context.expression(each));
  return (frame, budget) => {
    let last: Value;
    for (const part of parts) last = part(frame, budget);
    return last;
  };
}
