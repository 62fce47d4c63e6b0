/** Compiles reads of members, and chains of them with `?.`. */
import type * as acorn from 'acorn';
import { namespace } from '../builtins/globals.ts';
import { getComputed, getMember, isRisky } from '../members.ts';
import type { Value } from '../value.ts';
import { chainedCall } from './call.ts';
import type { Code, Context } from './code.ts';
import { expression } from './expression.ts';
import { freeName, plainSlot } from './reference.ts';
import { memberIn } from './sites.ts';

/** In the place of a value: a chain ended at its `?.`. No program can hold it. */
export const ENDED: Value = Object.freeze({ ended: true });

/** `a.b`, `a[b]`; of what is undefined or null, every member is undefined. */
export function member(node: acorn.MemberExpression, context: Context): Code {
  const fixed = namespaceMember(node, context);
  if (fixed !== undefined) return context.constant(fixed);
  const slot = plainSlot(node.object, context);
  const name = fixedName(node);
  if (slot !== undefined && name !== undefined && !isRisky(name)) return memberIn(slot, name);
  return read(expression(node.object, context), node, context);
}

/** What a namespace such as `Math` has by a name; undefined when the object is none. @throws SyntaxFault */
export function namespaceMember(node: acorn.MemberExpression, context: Context): Value {
  const { object } = node;
  if (object.type !== 'Identifier') return undefined;
  const space = freeName(object, context);
  if (space === undefined || context.outside.functions.has(space)) return undefined;
  const members = namespace(space);
  if (members === undefined) return undefined;
  const name = fixedName(node);
  const found = name === undefined ? undefined : members.get(name);
  if (found === undefined) {
    const wanted = name === undefined ? `${space}[…]` : `${space}.${name}`;
    throw context.fault(node, `${wanted} is not part of the language${hintOf(wanted)}`);
  }
  if (space === 'Date' && name === 'now') context.usesNow = true;
  if (space === 'Object' && name === 'assign') context.mutates = true;
  return found;
}

function hintOf(name: string): string {
  return name === 'Math.random' ? ': the same input always gives the same output' : '';
}

/** The name of the member when it is plain to see. */
export function fixedName(node: acorn.MemberExpression): string | undefined {
  const { property } = node;
  if (!node.computed) return property.type === 'Identifier' ? property.name : undefined;
  const isText = property.type === 'Literal' && typeof property.value === 'string';
  return isText ? String(property.value) : undefined;
}

function read(object: Code, node: acorn.MemberExpression, context: Context): Code {
  const name = fixedName(node);
  if (name === undefined) return computed(object, node, context);
  if (name === 'length') return lengthOf(object);
  const place = context.place(node);
  if (isRisky(name)) {
    return (frame, budget) => {
      const value = object(frame, budget);
      budget.place = place;
      return getMember(value, name, budget);
    };
  }
  return (frame, budget) => {
    const value = object(frame, budget);
    if (typeof value !== 'object' || value === null) return undefined;
    return (value as { readonly [name: string]: Value })[name]; // No prototype has this name.
  };
}

function lengthOf(object: Code): Code {
  return (frame, budget) => {
    const value = object(frame, budget);
    if (Array.isArray(value) || typeof value === 'string') return value.length;
    return getMember(value, 'length', budget);
  };
}

function computed(object: Code, node: acorn.MemberExpression, context: Context): Code {
  const place = context.place(node);
  const key = expression(node.property, context);
  return (frame, budget) => {
    const value = object(frame, budget);
    const name = key(frame, budget);
    budget.place = place;
    return getComputed(value, name, budget);
  };
}

/** `a?.b.c()`: undefined as a whole as soon as what stands before a `?.` is null or undefined. */
export function chain(node: acorn.ChainExpression, context: Context): Code {
  const whole = link(node.expression, context);
  return (frame, budget) => {
    const value = whole(frame, budget);
    return value === ENDED ? undefined : value;
  };
}

/** A part of a chain: its value, or `ENDED`. */
export function link(node: acorn.Node, context: Context): Code {
  const part = node as acorn.AnyNode; // Every node of acorn's is one of its kinds.
  if (part.type === 'CallExpression') return context.deeper(() => chainedCall(part, context));
  if (part.type !== 'MemberExpression') return expression(node, context);
  return context.deeper(() => {
    const fixed = namespaceMember(part, context);
    if (fixed !== undefined) return context.constant(fixed);
    const object = link(part.object, context);
    const name = fixedName(part);
    const key = name === undefined ? expression(part.property, context) : context.constant(name);
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
