/** Compiles what values are taken apart by: names, members, `{a, b = 1}`, `[a, ...b]`. */
import type * as acorn from 'acorn';
import type { Budget } from '../budget.ts';
import { toName } from '../convert.ts';
import { RunFault } from '../fault.ts';
import {
  define,
  elementsOf,
  getMember,
  MEMBER_BYTES,
  ownNames,
  payCopies,
  setMember,
} from '../members.ts';
import { isObject, kindOf, type ObjectValue, type Value } from '../value.ts';
import { type Context, type Frame, UNSET } from './code.ts';
import { keyName } from './literal.ts';
import { fixedName } from './member.ts';
import { boxOf } from './reference.ts';

/** Gives a value to a pattern. */
export type Bind = (value: Value, frame: Frame, budget: Budget) => void;

/** @param declares whether the names are declared here, and so are given their first value */
export function pattern(target: acorn.Node, context: Context, declares: boolean): Bind {
  return context.deeper(() => {
    const node = target as acorn.AnyNode; // Every node of acorn's is one of its kinds.
    switch (node.type) {
      case 'Identifier':
        return variable(node, context, declares);
      case 'ParenthesizedExpression':
        return pattern(node.expression, context, declares);
      case 'MemberExpression':
        return memberTarget(node, context);
      case 'ObjectPattern':
        return objectPattern(node, context, declares);
      case 'ArrayPattern':
        return arrayPattern(node, context, declares);
      case 'AssignmentPattern':
        return withDefault(node, context, declares);
      default:
        throw context.fault(node, 'cannot be assigned to');
    }
  });
}

function variable(node: acorn.Identifier, context: Context, declares: boolean): Bind {
  const found = context.analysis.references.get(node);
  if (found === undefined || !('variable' in found)) throw context.fault(node, 'is no variable');
  const { slot } = found;
  const { isBoxed, isChecked, name } = found.variable;
  const place = context.place(node);
  const early = () =>
    new RunFault(`${name} is used before it has a value`, place, 'ReferenceError');
  if (isBoxed) {
    return (value, frame) => {
      const box = boxOf(frame, slot);
      if (isChecked && !declares && box.value === UNSET) throw early();
      box.value = value;
    };
  }
  return (value, frame) => {
    if (isChecked && !declares && frame[slot] === UNSET) throw early();
    frame[slot] = value;
  };
}

function memberTarget(node: acorn.MemberExpression, context: Context): Bind {
  context.mutates = true;
  const object = context.expression(node.object);
  const name = fixedName(node);
  const key = name === undefined ? context.expression(node.property) : context.constant(name);
  const place = context.place(node);
  return (value, frame, budget) => {
    const owner = object(frame, budget);
    const member = key(frame, budget);
    budget.place = place;
    setMember(owner, member, value, budget);
  };
}

function withDefault(node: acorn.AssignmentPattern, context: Context, declares: boolean): Bind {
  const bind = pattern(node.left, context, declares);
  const otherwise = context.expression(node.right);
  return (value, frame, budget) =>
    bind(value === undefined ? otherwise(frame, budget) : value, frame, budget);
}

function objectPattern(node: acorn.ObjectPattern, context: Context, declares: boolean): Bind {
  const place = context.place(node);
  const parts = node.properties.map((each) => {
    if (each.type === 'RestElement') return { rest: pattern(each.argument, context, declares) };
    const known = each.computed ? undefined : keyName(each.key);
    const key = known === undefined ? context.expression(each.key) : context.constant(known);
    return { key, bind: pattern(each.value, context, declares) };
  });
  return (value, frame, budget) => {
    if (value === undefined || value === null) {
      budget.place = place;
      throw new RunFault(`${kindOf(value)} cannot be taken apart`, place);
    }
    const taken = new Set<string>();
    for (const { key, bind, rest } of parts) {
      if (rest !== undefined) {
        budget.place = place;
        rest(without(value, taken, budget), frame, budget);
        continue;
      }
      const name = toName(key(frame, budget), budget);
      taken.add(name);
      bind(getMember(value, name, budget), frame, budget);
    }
  };
}

function without(value: Value, taken: ReadonlySet<string>, budget: Budget): ObjectValue {
  const rest: ObjectValue = {};
  const names = ownNames(value, budget).filter((name) => !taken.has(name));
  payCopies(names.length, budget);
  budget.allocate((names.length + 1) * MEMBER_BYTES);
  for (const name of names) {
    define(rest, name, isObject(value) ? value[name] : getMember(value, name, budget));
  }
  return budget.own(rest);
}

function arrayPattern(node: acorn.ArrayPattern, context: Context, declares: boolean): Bind {
  const place = context.place(node);
  const parts = node.elements.map((each) => {
    if (each === null) return undefined;
    if (each.type === 'RestElement') return { rest: pattern(each.argument, context, declares) };
    return { bind: pattern(each, context, declares) };
  });
  return (value, frame, budget) => {
    budget.place = place;
    const elements = elementsOf(value, budget);
    for (const [at, part] of parts.entries()) {
      if (part?.rest === undefined) {
        part?.bind(elements[at], frame, budget);
        continue;
      }
      budget.place = place;
      budget.elements(Math.max(0, elements.length - at));
      part.rest(budget.own(elements.slice(at)), frame, budget);
    }
  };
}
