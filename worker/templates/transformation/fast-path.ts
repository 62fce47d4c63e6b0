/**
 * Rules where nothing is out of the ordinary: no render, and a member of an object of this run's
 * own. What fails is done again with care, which finds the same.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { BudgetFault } from '../../language/expressions/index.ts';
import type { Apply, Execution } from './execution.ts';
import { RuleFault, RunOver } from './failure.ts';
import type { RuleHead } from './guard.ts';
import { CONTAINER_BYTES, ELEMENT_BYTES, SCALAR_BYTES, tellMoved } from './measure.ts';
import { holds } from './scope.ts';
import type { Get, Member } from './source.ts';
import type { Target } from './target.ts';

/** What a rule does between its condition and its target. */
export interface PlainMove {
  /** The value as it is written; throws what the rule may fail by. */
  readonly make: Get;
  /** The same where it is a member of a slot's value, as it is. */
  readonly member: Member | undefined;
}

/** A rule with two ways; the careful one alone, where its target is none for the other. */
export function fastPath(careful: Apply, head: RuleHead, work: PlainMove, target: Target): Apply {
  const own = ownPlaceOf(target);
  if (own === undefined) return careful;
  const { member, make } = work;
  if (head.condition === undefined && member !== undefined && target.name !== undefined) {
    return moving(careful, head, member, target, target.name);
  }
  return making(careful, head, make, target, own);
}

/** A member that becomes another. */
function moving(
  careful: Apply,
  { path }: RuleHead,
  { slot, name }: Member,
  target: Target,
  to: string,
): Apply {
  const { bytes } = target;
  const move = moveOf(name, to);
  return (x, output) => {
    const { object } = output;
    if (isUnusual(object, x, target)) {
      careful(x, output);
      return;
    }
    const from = x.slots[slot];
    if (typeof from !== 'object' || from === null) return;
    // Of arrays and of numbers kept as text a plain name finds nothing.
    const value = move(from as JsonObject, object);
    if (value === undefined) return;
    let left = x.bytes;
    if (typeof value === 'string') left -= value.length + 3;
    else if (typeof value !== 'object' || value === null) left -= SCALAR_BYTES;
    else left = toldApart(value, path, x);
    x.bytes = left - bytes;
    if (left < 0) {
      x.endedAt ??= path;
      throw new RunOver('memory');
    }
  };
}

/** What is left of the output's bytes once an array or object is counted. @throws RunOver */
function toldApart(value: Json, path: string, x: Execution): number {
  try {
    tellMoved(value, x);
    return x.bytes;
  } catch (error) {
    demandBudget(path, error, x);
    throw error;
  }
}

/** Whatever it is, where its condition holds. */
function making(
  careful: Apply,
  { condition, path }: RuleHead,
  make: Get,
  target: Target,
  { open, name }: OwnPlace,
): Apply {
  const { bytes } = target;
  return (x, output) => {
    const { object } = output;
    if (isUnusual(object, x, target)) {
      careful(x, output);
      return;
    }
    let value: Json | undefined;
    let holder = object;
    try {
      if (condition !== undefined && !holds(condition.run(x.slots, x.budget))) return;
      value = make(x);
      if (value === undefined) return;
      tellMoved(value, x);
      if (open !== undefined) holder = open(object, x);
    } catch (error) {
      demandBudget(path, error, x);
      careful(x, output);
      return;
    }
    x.bytes -= bytes;
    holder[name] = value;
  };
}

/** A budget that is spent would be found spent at once, not where it was. @throws BudgetFault */
function demandBudget(path: string, error: unknown, x: Execution): void {
  if (!(error instanceof BudgetFault)) return;
  x.endedAt ??= path;
  throw error;
}

function isUnusual(
  object: JsonObject | undefined,
  { trace }: Execution,
  { depth }: Target,
): object is undefined {
  return object === undefined || trace !== undefined || depth > 0;
}

/** Reads a member and, where it is there, writes it as another; both have plain names. */
type Move = (source: JsonObject, object: JsonObject) => Json | undefined;

/** Moves one member to another. */
function moveOf(from: string, to: string): Move {
  return (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  };
}

/** How such a place is written to. */
interface OwnPlace {
  /**
   * The object that the value goes into, which is made where it is missing. Left out where that
   * is the output itself.
   * @throws RunOver, RuleFault where something else is there: it may be an array, which is no fault
   */
  readonly open?: (object: JsonObject, x: Execution) => JsonObject;
  /** The name in that object. */
  readonly name: string;
}

/** Undefined of places that are further below, and of names that mean something to every object. */
function ownPlaceOf({ name, steps }: Target): OwnPlace | undefined {
  if (name !== undefined) return { name };
  const [first, second, ...others] = steps;
  if (others.length > 0 || !isPlain(first) || !isPlain(second)) return undefined;
  return {
    open(object, x) {
      const found = object[first];
      // As any write makes its way and takes its room.
      x.take(2 * ELEMENT_BYTES);
      if (isJsonObject(found)) return found;
      if (found !== undefined) throw new RuleFault('there is no object on the way to its target');
      x.take(CONTAINER_BYTES + 2 * ELEMENT_BYTES);
      const made: JsonObject = {};
      object[first] = made;
      return made;
    },
    name: second,
  };
}

function isPlain(step: unknown): step is string {
  return typeof step === 'string' && step !== '' && !(step in Object.prototype);
}
