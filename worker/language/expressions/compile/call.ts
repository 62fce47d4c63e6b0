/** Compiles calls: of functions, of built-ins, and of methods by the type of what they are called on. */
import type * as acorn from 'acorn';
import { errorNames, hintOfCall } from '../builtins/globals.ts';
import { numberOperation } from '../builtins/math.ts';
import { arrayMethods, isChanging, otherMethod, textMethods } from '../builtins/methods.ts';
import { errorValue, toName, toNumber, toText } from '../convert.ts';
import { RunFault, type SourcePosition } from '../fault.ts';
import { getMember } from '../members.ts';
import { Callable, kindOf, type Method, type Value } from '../value.ts';
import type { Code, Context } from './code.ts';
import { itemsOf } from './literal.ts';
import { fixedName, namespaceMember } from './member.ts';
import { freeName } from './reference.ts';

/** `f(a)`, `a.f(b)` */
export function call(node: acorn.CallExpression, context: Context): Code {
  const callee = bare(node.callee);
  const isMethod =
    callee.type === 'MemberExpression' && namespaceMember(callee, context) === undefined;
  if (isMethod) return methodCall(callee, node, context);
  if (callee.type === 'Super' || callee.type === 'ImportExpression') {
    throw context.fault(node, 'super and import are not part of the language');
  }
  refuseUnknown(callee, context);
  const place = context.place(node);
  const code = context.expression(callee);
  const known = context.isConstant(code) ? context.constantOf(code) : undefined;
  if (known instanceof Callable) return knownCall(known, node, place, context);
  const described = describe(callee);
  const items = itemsOf(node.arguments, context);
  return (frame, budget) => {
    const target = code(frame, budget);
    const args = items(frame, budget);
    budget.place = place;
    if (target instanceof Callable) return target.invoke(args, budget);
    throw notCallable(described, target, place);
  };
}

/** Refuses calls of what JavaScript has and the language has not. @throws SyntaxFault */
function refuseUnknown(callee: acorn.Node, context: Context): void {
  const name = freeName(callee, context);
  if (name === undefined || context.outside.functions.has(name)) return;
  const hint = hintOfCall(name);
  if (hint !== undefined) throw context.fault(callee, hint);
}

/** A call of what is known when the source is compiled, such as a built-in. */
function knownCall(
  known: Callable,
  node: acorn.CallExpression,
  place: SourcePosition,
  context: Context,
): Code {
  const operation = numberOperation(known);
  const [only] = node.arguments;
  if (operation !== undefined && node.arguments.length === 1 && only?.type !== 'SpreadElement') {
    const operand = only === undefined ? context.constant(undefined) : context.expression(only);
    return (frame, budget) => {
      const value = operand(frame, budget);
      if (typeof value === 'number') return operation(value);
      budget.place = place;
      return operation(toNumber(value, budget));
    };
  }
  const items = itemsOf(node.arguments, context);
  const { invoke } = known;
  return (frame, budget) => {
    const args = items(frame, budget);
    budget.place = place;
    return invoke(args, budget);
  };
}

/** A node without the parentheses around it. */
export function bare(node: acorn.Node): acorn.AnyNode {
  const callee = node as acorn.AnyNode; // Every node of acorn's is one of its kinds.
  return callee.type === 'ParenthesizedExpression' && callee.expression.type !== 'ChainExpression'
    ? bare(callee.expression)
    : callee;
}

/** What a call's fault names. */
export function describe(node: acorn.AnyNode): string {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'MemberExpression' ? (fixedName(node) ?? 'the member') : 'the value';
}

/** The fault of a call of what is no function. */
export function notCallable(name: string, value: Value, place: SourcePosition): RunFault {
  return new RunFault(`${name} is not a function, it is ${kindOf(value)}`, place);
}

function methodCall(
  callee: acorn.MemberExpression,
  node: acorn.CallExpression,
  context: Context,
): Code {
  const object = context.expression(callee.object);
  const place = context.place(callee.property);
  const name = fixedName(callee);
  if (name === undefined) return computedCall(object, callee, node, context);
  if (isChanging(name)) context.mutates = true;
  const items = itemsOf(node.arguments, context);
  const method = methodOf(name, place);
  const onText = textMethods.get(name);
  const onArray = arrayMethods.get(name);
  if (onText !== undefined && onArray === undefined) {
    return (frame, budget) => {
      const self = object(frame, budget);
      const args = items(frame, budget);
      budget.place = place;
      return typeof self === 'string' ? onText(self, args, budget) : method(self, args, budget);
    };
  }
  return (frame, budget) => {
    const self = object(frame, budget);
    const args = items(frame, budget);
    budget.place = place;
    if (onArray !== undefined && Array.isArray(self)) return onArray(self, args, budget);
    return method(self, args, budget);
  };
}

function computedCall(
  object: Code,
  callee: acorn.MemberExpression,
  node: acorn.CallExpression,
  context: Context,
): Code {
  const place = context.place(callee.property);
  context.mutates = true; // It may be a method that changes.
  const key = context.expression(callee.property);
  const items = itemsOf(node.arguments, context);
  return (frame, budget) => {
    const self = object(frame, budget);
    const name = toName(key(frame, budget), budget);
    const args = items(frame, budget);
    budget.place = place;
    return methodOf(name, place)(self, args, budget);
  };
}

/** The method of a name, on whatever has one. */
export function methodOf(name: string, place: SourcePosition): Method {
  const onText = textMethods.get(name);
  const onArray = arrayMethods.get(name);
  return (self, args, budget) => {
    if (typeof self === 'string' && onText !== undefined) return onText(self, args, budget);
    if (Array.isArray(self) && onArray !== undefined) return onArray(self, args, budget);
    const member = getMember(self, name, budget);
    if (member instanceof Callable) return member.invoke(args, budget);
    const other = otherMethod(self, name);
    if (other !== undefined) return other(self, args, budget);
    throw noMethod(self, name, member, place);
  };
}

function noMethod(self: Value, name: string, member: Value, place: SourcePosition): RunFault {
  const short = name.slice(0, 100);
  if (self === undefined || self === null) {
    return new RunFault(`${short}() cannot be called on ${kindOf(self)}`, place);
  }
  if (member !== undefined) return notCallable(short, member, place);
  return new RunFault(`${kindOf(self)} has no ${short}()`, place);
}

/** `new Error(text)` and its like; nothing else is made by `new`. */
export function construct(node: acorn.NewExpression, context: Context): Code {
  const name = freeName(node.callee, context);
  if (name === undefined || !errorNames.has(name)) {
    const hint = hintOfCall(name) ?? 'new makes errors only, as in new Error("…")';
    throw context.fault(node, hint);
  }
  const items = itemsOf(node.arguments, context);
  return (frame, budget) => {
    const [message] = items(frame, budget);
    return budget.own(errorValue(name, message === undefined ? '' : toText(message, budget)));
  };
}
