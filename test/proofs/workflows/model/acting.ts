/** An action that runs, and how it ends. Spec: workflows.md §4. */
import type { Json } from '../../../../proto/json.ts';
import type { Target, Written } from '../written.ts';
import { settleKey } from './keys.ts';
import { ExpressionFailed, evaluate } from './scope.ts';
import { type At, type Ended, toldOf } from './steps.ts';
import type { Failure, Handler } from './tree.ts';
import type { Ran, World } from './world.ts';

/** An action on its way. */
export interface Acting {
  readonly world: World;
  readonly action: Written;
  readonly ran: Ran;
  readonly at: At;
  readonly handler: Handler;
  /** What is sent, once it is decided. */
  sent: Json | undefined;
}

/** Nothing follows. */
export const STOPPED: Ended = { is: 'stopped' };

/** Keeps why an attempt failed. */
export function note({ ran }: Acting, failure: Failure): void {
  ran.error = toldOf(failure);
  ran.isUnknown ||= failure.code === 'OUTCOME_UNKNOWN';
}

/** What failed is undone only if it may have had an effect. */
export function endFailed({ world, action, ran }: Acting): void {
  world.end(ran, 'failed');
  ran.toUndo = ran.isUnknown && hasOwnUndo(world, action);
  settleKey(world, ran, ran.isUnknown ? 'unknown' : 'free');
}

/** It was stopped before it had an end of its own. */
export function endCut({ world, action, ran }: Acting): Ended {
  world.end(ran, 'cancelled');
  ran.toUndo = ran.isUnknown && hasOwnUndo(world, action);
  settleKey(world, ran, ran.isUnknown ? 'unknown' : 'free');
  return STOPPED;
}

/** Whether there is something to undo of what succeeded. */
export function isUndone(world: World, action: Written): boolean {
  const isChild = action.type === 'subworkflow' && action.waitForCompletion !== false;
  return hasOwnUndo(world, action) || (isChild && !world.tree.isIn(action.id, 'compensation'));
}

function hasOwnUndo({ tree }: World, { id, compensation }: Written): boolean {
  return compensation !== undefined && !tree.isIn(id, 'compensation');
}

/** What follows in its list. @throws ExpressionFailed */
export function followsOf({ world, action, at, ran }: Acting): Target {
  if (action.type === 'condition') {
    return ((ran.holds ?? ran.output === true) ? action.true : action.false) ?? null;
  }
  const { next = null } = action;
  if (next === null || typeof next === 'string') return next;
  return evaluate(world, next.condition, at) ? next.true : next.false;
}

/** Whether the condition of an action holds. @throws ExpressionFailed */
export function holdsOf({ world, action, at }: Acting): boolean {
  return Boolean(evaluate(world, action.condition ?? '', at));
}

/** @throws what is no failure of an expression */
export function expressionFailed({ id }: Written, thrown: unknown): Failure {
  if (!(thrown instanceof ExpressionFailed)) throw thrown;
  return { code: 'EXPRESSION_FAILED', action: id };
}
