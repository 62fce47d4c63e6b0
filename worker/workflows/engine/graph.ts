/** A graph of actions as it runs: which have ended, and which begin then. Spec: workflows.md §1. */
import type { Action, Workflow } from '../definition/tree.ts';
import type { Node } from './journal.ts';
import { begin, MAIN, type Turn } from './turn.ts';

/** Whether it succeeded, or failed in a way after which the run goes on. */
export function hasEnded({ phase, status, state }: Node): boolean {
  return phase === 'ended' && (status === 'succeeded' || state.handled === true);
}

/** Begins what comes after an action that has ended, and after nothing else that has not; answers whether all have ended. */
export function beginFollowers(turn: Turn, { action }: Node): boolean {
  const ended = turn.journal.ended();
  beginReady(turn, ended, followersOf(turn.workflow).get(action) ?? []);
  return ended.size === turn.workflow.actions.length;
}

/** Begins all that comes after nothing, or after what has ended alone. */
export function beginAll(turn: Turn): void {
  beginReady(turn, turn.journal.ended(), turn.workflow.actions);
}

function beginReady(turn: Turn, ended: ReadonlySet<string>, actions: readonly Action[]): void {
  for (const action of actions) {
    if (isReady(ended, action) && !turn.journal.node(action.id)) begin(turn, action, MAIN);
  }
}

/** How many of what each action comes after were seen to have ended, from the first on: none is looked at twice. */
const seen = new WeakMap<ReadonlySet<string>, Map<string, number>>();

function isReady(ended: ReadonlySet<string>, { id, after = [] }: Action): boolean {
  const places = seen.get(ended) ?? new Map<string, number>();
  seen.set(ended, places);
  let place = places.get(id) ?? 0;
  for (let each = after[place]; each !== undefined && ended.has(each); each = after[place]) {
    place += 1;
  }
  places.set(id, place);
  return place === after.length;
}

const followers = new WeakMap<Workflow, ReadonlyMap<string, readonly Action[]>>();

/** By each action, those that come after it. */
function followersOf(workflow: Workflow): ReadonlyMap<string, readonly Action[]> {
  const known = followers.get(workflow);
  if (known) return known;
  const made = new Map<string, Action[]>();
  for (const action of workflow.actions) {
    for (const id of action.after ?? []) {
      const others = made.get(id);
      if (others) others.push(action);
      else made.set(id, [action]);
    }
  }
  followers.set(workflow, made);
  return made;
}
