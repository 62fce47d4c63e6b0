/** Compiles operators; those on constants are computed at once. */
import type * as acorn from 'acorn';
import { Budget } from '../budget.ts';
import { isLoose, isSame, toNumber, toPrimitive, toText, typeOf } from '../convert.ts';
import { isTrue } from '../exact.ts';
import { Fault } from '../fault.ts';
import { hasMember, removeMember } from '../members.ts';
import type { Value } from '../value.ts';
import { FAST, type Slow } from './arithmetic.ts';
import type { Code, Context } from './code.ts';
import { fixedName } from './member.ts';
import { freeName } from './reference.ts';

/** What an operator makes of two values. */
type Operation = (left: Value, right: Value, budget: Budget) => Value;

const numeric =
  (operation: (left: number, right: number) => number): Operation =>
  (left, right, budget) =>
    typeof left === 'number' && typeof right === 'number'
      ? operation(left, right)
      : operation(toNumber(left, budget), toNumber(right, budget));

/** How two values compare: less, equal or more; undefined next to NaN. */
const ordered =
  (operation: (left: number | string, right: number | string) => boolean): Operation =>
  (left, right, budget) => {
    if (typeof left === 'number' && typeof right === 'number') return operation(left, right);
    const one = toPrimitive(left, budget);
    const other = toPrimitive(right, budget);
    if (typeof one === 'string' && typeof other === 'string') {
      budget.touch(one.length < other.length ? one : other);
      budget.reach(one);
      budget.reach(other);
      return operation(one, other);
    }
    return operation(toNumber(one, budget), toNumber(other, budget));
  };

/** `+` */
function add(left: Value, right: Value, budget: Budget): Value {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (typeof left === 'string' && typeof right === 'string') return budget.concat(left, right);
  const one = toPrimitive(left, budget);
  const other = toPrimitive(right, budget);
  if (typeof one === 'string' || typeof other === 'string') {
    // A number kept as text joins with its own digits.
    const head = toText(left, budget);
    return budget.concat(head, toText(right, budget));
  }
  return toNumber(one, budget) + toNumber(other, budget);
}

/** Every operator that evaluates both of its operands. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['+', add],
  ['-', numeric((left, right) => left - right)],
  ['*', numeric((left, right) => left * right)],
  ['/', numeric((left, right) => left / right)],
  ['%', numeric((left, right) => left % right)],
  ['**', numeric((left, right) => left ** right)],
  ['|', numeric((left, right) => left | right)],
  ['&', numeric((left, right) => left & right)],
  ['^', numeric((left, right) => left ^ right)],
  ['<<', numeric((left, right) => left << right)],
  ['>>', numeric((left, right) => left >> right)],
  ['>>>', numeric((left, right) => left >>> right)],
  ['<', ordered((left, right) => left < right)],
  ['>', ordered((left, right) => left > right)],
  ['<=', ordered((left, right) => left <= right)],
  ['>=', ordered((left, right) => left >= right)],
  ['===', isSame],
  ['!==', (left, right, budget) => !isSame(left, right, budget)],
  ['==', isLoose],
  ['!=', (left, right, budget) => !isLoose(left, right, budget)],
  ['in', (left, right, budget) => hasMember(right, left, budget)],
]);

/** Operators that evaluate both operands; `&&`, `||` and `??` are not among them. */
export const binaryOperators: readonly string[] = [...OPERATIONS.keys()];

/** `a + b` and the like. @throws SyntaxFault */
export function binary(node: acorn.BinaryExpression, context: Context): Code {
  const operation = OPERATIONS.get(node.operator);
  if (operation === undefined) {
    const hint = 'use typeof or Array.isArray';
    throw context.fault(node, `${node.operator} is not part of the language: ${hint}`);
  }
  const left = context.expression(node.left);
  const right = context.expression(node.right);
  const place = context.place(node);
  if (context.isConstant(left) && context.isConstant(right)) {
    const [one, other] = [context.constantOf(left), context.constantOf(right)];
    const folded = fold(context, (budget) => operation(one, other, budget));
    if (folded !== undefined) return folded;
  }
  const slow: Slow = (one, other, budget) => {
    budget.place = place;
    return operation(one, other, budget);
  };
  const fast = FAST.get(node.operator);
  return fast === undefined ? general(left, right, slow) : fast(left, right, slow);
}

/** The result of an operation on constants; undefined where only a run can compute it. */
function fold(context: Context, operate: (budget: Budget) => Value): Code | undefined {
  try {
    return context.constant(operate(new Budget(FOLDING, 0)));
  } catch (fault) {
    if (fault instanceof Fault) return undefined;
    throw fault;
  }
}

const FOLDING = { fuel: 1_000, depth: 10, outputBytes: 1_000 };

function general(left: Code, right: Code, slow: Slow): Code {
  return (frame, budget) => slow(left(frame, budget), right(frame, budget), budget);
}

/** `&&`, `||`, `??` */
export function logical(node: acorn.LogicalExpression, context: Context): Code {
  const left = context.expression(node.left);
  const right = context.expression(node.right);
  switch (node.operator) {
    case '&&':
      return (frame, budget) => {
        const value = left(frame, budget);
        return isTrue(value) ? right(frame, budget) : value;
      };
    case '||':
      return (frame, budget) => {
        const value = left(frame, budget);
        return isTrue(value) ? value : right(frame, budget);
      };
    default:
      return (frame, budget) => left(frame, budget) ?? right(frame, budget);
  }
}

/** `a ? b : c` */
export function conditional(node: acorn.ConditionalExpression, context: Context): Code {
  const test = context.expression(node.test);
  const then = context.expression(node.consequent);
  const otherwise = context.expression(node.alternate);
  return (frame, budget) =>
    isTrue(test(frame, budget)) ? then(frame, budget) : otherwise(frame, budget);
}

/** `-a`, `!a`, `typeof a`, `delete a.b` and the like. */
export function unary(node: acorn.UnaryExpression, context: Context): Code {
  if (node.operator === 'delete') return deletion(node, context);
  if (node.operator === 'typeof' && freeName(node.argument, context) === 'arguments') {
    return context.constant('undefined');
  }
  const argument = context.expression(node.argument);
  const apply = UNARY[node.operator];
  if (context.isConstant(argument)) {
    const constant = context.constantOf(argument);
    const folded = fold(context, (budget) => apply(constant, budget));
    if (folded !== undefined) return folded;
  }
  const place = context.place(node);
  return (frame, budget) => {
    const value = argument(frame, budget);
    budget.place = place;
    return apply(value, budget);
  };
}

const UNARY: Readonly<Record<acorn.UnaryOperator, (value: Value, budget: Budget) => Value>> = {
  '-': (value, budget) => -toNumber(value, budget),
  '+': toNumber,
  '!': (value) => !isTrue(value),
  '~': (value, budget) => ~toNumber(value, budget),
  typeof: typeOf,
  void: () => undefined,
  delete: () => undefined,
};

/** Operators that evaluate their one operand. */
export const unaryOperators: readonly string[] = Object.keys(UNARY).filter(
  (each) => each !== 'delete',
);

function deletion(node: acorn.UnaryExpression, context: Context): Code {
  const target = node.argument;
  if (target.type !== 'MemberExpression') throw context.fault(node, 'only members can be deleted');
  context.mutates = true;
  const object = context.expression(target.object);
  const name = fixedName(target);
  const key = name === undefined ? context.expression(target.property) : context.constant(name);
  const place = context.place(node);
  return (frame, budget) => {
    const value = object(frame, budget);
    const member = key(frame, budget);
    budget.place = place;
    return removeMember(value, member, budget);
  };
}
