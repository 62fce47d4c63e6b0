/** Compiles assignments: to variables, to members and to patterns of both. */
import type * as acorn from 'acorn';
import type { Budget } from '../budget.ts';
import { toNumber } from '../convert.ts';
import { isTrue } from '../exact.ts';
import { getComputed, setMember } from '../members.ts';
import type { Value } from '../value.ts';
import type { Code, Context, Frame } from './code.ts';
import { fixedName } from './member.ts';
import { OPERATIONS } from './operator.ts';
import { type Bind, pattern } from './pattern.ts';
import { boxOf, plainSlot, read } from './reference.ts';

/** A place that can be read and then written, its object and key worked out once. */
type ChangePlace = (
  frame: Frame,
  budget: Budget,
  change: (value: Value, frame: Frame, budget: Budget) => Value | typeof KEEP,
) => void;

/** In the place of a value: nothing is assigned. No program can hold it. */
const KEEP: Value = Object.freeze({ keep: true });

/** `a = b`, `a.b += c`, `[a, b] = c` */
export function assignment(node: acorn.AssignmentExpression, context: Context): Code {
  const value = context.expression(node.right);
  const left: acorn.AnyNode = node.left;
  if (node.operator === '=') {
    if (left.type === 'MemberExpression') return memberAssignment(left, value, context);
    return plain(pattern(left, context, false), value, node, context);
  }
  const shortcut = SHORTCUTS[node.operator];
  const operation = OPERATIONS.get(node.operator.slice(0, -1));
  const place = context.place(node);
  const slot = plainSlot(left, context);
  if (slot !== undefined && shortcut === undefined && operation !== undefined) {
    return (frame, budget) => {
      const old = frame[slot] as Value; // The slot is of a variable that is not shared.
      const right = value(frame, budget);
      budget.place = place;
      const result = operation(old, right, budget);
      frame[slot] = result;
      return result;
    };
  }
  const change = changeOf(node.left, context);
  return (frame, budget) => {
    let result: Value;
    change(frame, budget, (old) => {
      result = old;
      if (shortcut !== undefined && !shortcut(old)) return KEEP;
      const right = value(frame, budget);
      budget.place = place;
      result =
        operation === undefined || shortcut !== undefined ? right : operation(old, right, budget);
      return result;
    });
    return result;
  };
}

/** Whether the assignment is made at all. */
const SHORTCUTS: Readonly<Record<string, ((old: Value) => boolean) | undefined>> = {
  '&&=': isTrue,
  '||=': (old) => !isTrue(old),
  '??=': (old) => old === undefined || old === null,
};

function plain(bind: Bind, value: Code, node: acorn.Node, context: Context): Code {
  const place = context.place(node);
  return (frame, budget) => {
    const result = value(frame, budget);
    budget.place = place;
    bind(result, frame, budget);
    return result;
  };
}

/** `a.b = c`: what is assigned to is worked out before the value. */
function memberAssignment(node: acorn.MemberExpression, value: Code, context: Context): Code {
  context.mutates = true;
  const object = context.expression(node.object);
  const name = fixedName(node);
  const key = name === undefined ? context.expression(node.property) : context.constant(name);
  const place = context.place(node);
  return (frame, budget) => {
    const owner = object(frame, budget);
    const member = key(frame, budget);
    const result = value(frame, budget);
    budget.place = place;
    setMember(owner, member, result, budget);
    return result;
  };
}

/** `a++`, `--a.b` */
export function update(node: acorn.UpdateExpression, context: Context): Code {
  const step = node.operator === '++' ? 1 : -1;
  const { prefix } = node;
  const slot = plainSlot(node.argument, context);
  if (slot !== undefined) {
    return (frame, budget) => {
      const old = toNumber(frame[slot] as Value, budget); // As above.
      frame[slot] = old + step;
      return prefix ? old + step : old;
    };
  }
  const change = changeOf(node.argument, context);
  return (frame, budget) => {
    let result = 0;
    change(frame, budget, (value) => {
      const old = toNumber(value, budget);
      result = prefix ? old + step : old;
      return old + step;
    });
    return result;
  };
}

function changeOf(target: acorn.Node, context: Context): ChangePlace {
  const node = target as acorn.AnyNode; // Every node of acorn's is one of its kinds.
  if (node.type === 'ParenthesizedExpression') return changeOf(node.expression, context);
  if (node.type === 'Identifier') return variableChange(node, context);
  if (node.type !== 'MemberExpression') throw context.fault(node, 'cannot be assigned to');
  context.mutates = true;
  const object = context.expression(node.object);
  const name = fixedName(node);
  const key = name === undefined ? context.expression(node.property) : context.constant(name);
  const place = context.place(node);
  return (frame, budget, change) => {
    const owner = object(frame, budget);
    const member = key(frame, budget);
    budget.place = place;
    const value = change(getComputed(owner, member, budget), frame, budget);
    if (value === KEEP) return;
    budget.place = place;
    setMember(owner, member, value, budget);
  };
}

function variableChange(node: acorn.Identifier, context: Context): ChangePlace {
  const found = context.analysis.references.get(node);
  if (found === undefined || !('variable' in found)) throw context.fault(node, 'is no variable');
  const { variable, slot } = found;
  const get = read(variable, slot, context.place(node));
  const { isBoxed } = variable;
  return (frame, budget, change) => {
    const value = change(get(frame, budget), frame, budget);
    if (value === KEEP) return;
    if (isBoxed) boxOf(frame, slot).value = value;
    else frame[slot] = value;
  };
}
