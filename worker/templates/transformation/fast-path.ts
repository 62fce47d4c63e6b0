/**
 * Rules where nothing is out of the ordinary: no render, and a member of an object of this run's
 * own. What fails is done again with care, which finds the same.
 */
import type { Json, JsonObject } from '../../../proto/json.ts';
import { BudgetFault } from '../../language/expressions/index.ts';
import type { Apply, Execution } from './execution.ts';
import { RunOver } from './failure.ts';
import type { RuleHead } from './guard.ts';
import { SCALAR_BYTES, tellMoved } from './measure.ts';
import { moveOf } from './move.ts';
import { type OwnPlace, ownPlaceOf } from './own-place.ts';
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
