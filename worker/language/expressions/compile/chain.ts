/** Compiles optional chains: `a?.b.c()`. */
import type * as acorn from 'acorn';
import type { Budget } from '../budget.ts';
import { arrayMethods, isChanging, otherMethod, textMethods } from '../builtins/methods.ts';
import { toName } from '../convert.ts';
import { getComputed, getMember, isRisky } from '../members.ts';
import { Callable, type Value } from '../value.ts';
import { bare, describe, methodOf, notCallable } from './call.ts';
import type { Code, Context } from './code.ts';
import { itemsOf } from './literal.ts';
import { fixedName, namespaceMember } from './member.ts';

/** In the place of a value: a chain ended at its `?.`. No program can hold it. */
const ENDED: Value = Object.freeze({ ended: true });

/** `a?.b.c()`: undefined as a whole as soon as what is before a `?.` is null or undefined. */
export function chain(node: acorn.ChainExpression, context: Context): Code {
  const whole = link(node.expression, context);
  return (frame, budget) => {
    const value = whole(frame, budget);
    return value === ENDED ? undefined : value;
  };
}

/** A part of a chain: its value, or `ENDED`. */
function link(node: acorn.Node, context: Context): Code {
  const part = node as acorn.AnyNode; // Every node of acorn's is one of its kinds.
  if (part.type === 'CallExpression') return context.deeper(() => chainedCall(part, context));
  if (part.type !== 'MemberExpression') return context.expression(node);
  return context.deeper(() => {
    const fixed = namespaceMember(part, context);
    if (fixed !== undefined) return context.constant(fixed);
    const object = link(part.object, context);
    const name = fixedName(part);
    const key = name === undefined ? context.expression(part.property) : context.constant(name);
    const place = context.place(part);
    if (name !== undefined && !isRisky(name)) return safeLink(object, name, part.optional);
    return (frame, budget) => {
      const value = object(frame, budget);
      if (value === ENDED) return ENDED;
      if (part.optional && (value === undefined || value === null)) return ENDED;
      const wanted = key(frame, budget);
      budget.place = place;
      return getComputed(value, wanted, budget);
    };
  });
}

/** A link whose name no prototype has. */
function safeLink(object: Code, name: string, isOptional: boolean): Code {
  return (frame, budget) => {
    const value = object(frame, budget);
    if (value === ENDED) return ENDED;
    if (value === undefined || value === null) return isOptional ? ENDED : undefined;
    if (typeof value !== 'object') return undefined;
    return (value as { readonly [name: string]: Value })[name]; // No prototype has this name.
  };
}

/** A call in a chain: of what the chain came to, or `ENDED`. */
function chainedCall(node: acorn.CallExpression, context: Context): Code {
  const callee = bare(node.callee);
  if (callee.type === 'MemberExpression' && namespaceMember(callee, context) === undefined) {
    return chainedMethod(callee, node, context);
  }
  const place = context.place(node);
  const described = describe(callee);
  const code = link(callee, context);
  const items = itemsOf(node.arguments, context);
  return (frame, budget) => {
    const target = code(frame, budget);
    if (target === ENDED || (node.optional && (target === undefined || target === null))) {
      return ENDED;
    }
    const args = items(frame, budget);
    budget.place = place;
    if (target instanceof Callable) return target.invoke(args, budget);
    throw notCallable(described, target, place);
  };
}

function chainedMethod(
  callee: acorn.MemberExpression,
  node: acorn.CallExpression,
  context: Context,
): Code {
  const object = link(callee.object, context);
  const place = context.place(callee.property);
  const name = fixedName(callee);
  if (name === undefined || isChanging(name)) context.mutates = true;
  const key = name === undefined ? context.expression(callee.property) : context.constant(name);
  const items = itemsOf(node.arguments, context);
  return (frame, budget) => {
    const self = object(frame, budget);
    if (self === ENDED) return ENDED;
    if (callee.optional && (self === undefined || self === null)) return ENDED;
    const wanted = toName(key(frame, budget), budget);
    if (node.optional && !hasMethod(self, wanted, budget)) return ENDED;
    const args = items(frame, budget);
    budget.place = place;
    return methodOf(wanted, place)(self, args, budget);
  };
}

/** Whether `self.name?.()` has something to call; anything but null and undefined counts. */
function hasMethod(self: Value, name: string, budget: Budget): boolean {
  if (typeof self === 'string' && textMethods.has(name)) return true;
  if (Array.isArray(self) && arrayMethods.has(name)) return true;
  if (otherMethod(self, name) !== undefined) return true;
  return (getMember(self, name, budget) ?? undefined) !== undefined;
}
