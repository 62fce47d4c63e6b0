/** Reads what names stand for: variables, functions, built-ins and members of the input. */
import type * as acorn from 'acorn';
import { global, namespace } from '../builtins/globals.ts';
import type { SourcePosition } from '../fault.ts';
import { RunFault } from '../fault.ts';
import { getMember, isRisky } from '../members.ts';
import type { Value } from '../value.ts';
import { type Box, type Code, type Context, type Frame, UNSET } from './code.ts';
import { memberIn } from './held-member.ts';
import type { Variable } from './variable.ts';

/** The value of a name. @throws SyntaxFault */
export function reference(node: acorn.Identifier, context: Context): Code {
  const found = context.analysis.references.get(node);
  if (found === undefined) throw context.fault(node, `${node.name} stands for nothing`);
  if ('variable' in found) return read(found.variable, found.slot, context.place(node));
  return free(node, found.members?.slot, context);
}

/** The name of a built-in or function that an identifier is, when no variable hides it. */
export function freeName(node: acorn.Node, context: Context): string | undefined {
  const found = context.analysis.references.get(node);
  return found !== undefined && 'free' in found ? found.free : undefined;
}

/** Reads a variable. */
export function read(variable: Variable, slot: number, place: SourcePosition): Code {
  const { name, isBoxed, isChecked } = variable;
  if (!isChecked) return isBoxed ? (frame) => boxOf(frame, slot).value : valueIn(slot);
  const checked = (value: Value): Value => {
    if (value !== UNSET) return value;
    throw new RunFault(`${name} is used before it has a value`, place, 'ReferenceError');
  };
  if (isBoxed) return (frame) => checked(boxOf(frame, slot).value);
  // The slot of a variable that is not shared holds its value.
  return (frame) => checked(frame[slot] as Value);
}

// The slot of a variable that is not shared holds its value.
const valueIn =
  (slot: number): Code =>
  (frame) =>
    frame[slot] as Value;

/** The box in the slot of a variable that functions share. */
export function boxOf(frame: Frame, slot: number): Box {
  return frame[slot] as Box; // The block that declares the variable put it there.
}

function free(node: acorn.Identifier, members: number | undefined, context: Context): Code {
  const { name } = node;
  const holder = context.outside.functions.get(name);
  if (holder !== undefined) {
    context.named.add(name);
    return () => holder.callable;
  }
  if (name === 'undefined') return context.constant(undefined);
  if (name === 'now') {
    context.usesNow = true;
    return (_, budget) => {
      budget.spend(10);
      budget.text(24);
      return new Date(budget.now).toISOString();
    };
  }
  const builtIn = global(name);
  if (builtIn !== undefined) return context.constant(builtIn);
  if (namespace(name) !== undefined) {
    throw context.fault(node, `${name} is only used with a member, as in ${name}.${firstOf(name)}`);
  }
  if (name === 'arguments') {
    throw context.fault(node, 'arguments is not part of the language: use (...args)');
  }
  return members === undefined ? context.constant(undefined) : inputMember(members, name);
}

/** The slot of a variable that is always a value there. */
export function plainSlot(node: acorn.Node, context: Context): number | undefined {
  const found = context.analysis.references.get(node);
  if (found === undefined || !('variable' in found)) return undefined;
  return found.variable.isBoxed || found.variable.isChecked ? undefined : found.slot;
}

function inputMember(slot: number, name: string): Code {
  if (!isRisky(name)) return memberIn(slot, name);
  // A name of the caller's is never shared: it cannot change.
  return (frame, budget) => getMember(frame[slot] as Value, name, budget);
}

function firstOf(name: string): string {
  return namespace(name)?.keys().next().value ?? '';
}
