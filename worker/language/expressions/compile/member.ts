/** Compiles reads of members. */
import type * as acorn from 'acorn';
import { namespace } from '../builtins/globals.ts';
import { getComputed, getMember, isRisky } from '../members.ts';
import type { Value } from '../value.ts';
import type { Code, Context } from './code.ts';
import { memberIn } from './held-member.ts';
import { freeName, plainSlot } from './reference.ts';

/** `a.b`, `a[b]`; of what is undefined or null, every member is undefined. */
export function member(node: acorn.MemberExpression, context: Context): Code {
  const fixed = namespaceMember(node, context);
  if (fixed !== undefined) return context.constant(fixed);
  const slot = plainSlot(node.object, context);
  const name = fixedName(node);
  if (slot !== undefined && name !== undefined && !isRisky(name)) return memberIn(slot, name);
  return read(context.expression(node.object), node, context);
}

/** What a namespace such as `Math` has by a name; undefined when the object is not a namespace. @throws SyntaxFault */
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
  const key = context.expression(node.property);
  return (frame, budget) => {
    const value = object(frame, budget);
    const name = key(frame, budget);
    budget.place = place;
    return getComputed(value, name, budget);
  };
}
