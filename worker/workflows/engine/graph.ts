/** A graph of actions as it runs: which have ended, and which begin then. Spec: workflows.md §1. */
import type { Action, Workflow } from '../definition/tree.ts';
import type { Node } from './journal.ts';
import { begin, MAIN, mayBegin, putOff, type Turn } from './turn.ts';

/** Actions that are looked at together. */
const READ_AT_ONCE = 128;

/** Whether it succeeded, or failed in a way after which the run goes on. */
export function hasEnded({ phase, status, state }: Node): boolean {
  return phase === 'ended' && (status === 'succeeded' || state.handled === true);
}

/**
 * Begins what comes after an action that has ended, and after nothing else that has not: as many as one transition may,
 * and the rest in the next. Answers whether all have ended.
 */
export function beginFollowers(turn: Turn, node: Node): boolean {
  const { state, path } = node;
  const ended = turn.journal.ended();
  const all = followersOf(turn.workflow).get(node.action) ?? [];
  const next = beginReady(turn, ended, all, state.followed ?? 0);
  if (next < all.length) {
    state.followed = next;
    // A retry of the run goes on here, too.
    state.held = true;
    turn.journal.touch(node);
    putOff(turn, path);
  } else if (state.followed !== undefined) {
    delete state.followed;
    delete state.held;
    turn.journal.touch(node);
  }
  return ended.size === turn.workflow.actions.length;
}

/** Begins all that comes after nothing, or after what has ended alone: as many as one transition may, and the rest in the next. */
export function beginAll(turn: Turn): void {
  const { run, workflow, journal } = turn;
  const next = beginReady(turn, journal.ended(), workflow.actions, run.looked ?? 0);
  if (next < workflow.actions.length) {
    run.looked = next;
    putOff(turn, '');
  } else run.looked = undefined;
}

/** Answers the place of the first that was not looked at. */
function beginReady(
  turn: Turn,
  ended: ReadonlySet<string>,
  actions: readonly Action[],
  from: number,
): number {
  for (let first = from; first < actions.length; first += READ_AT_ONCE) {
    const some = actions.slice(first, first + READ_AT_ONCE).map((action, past) => ({
      ...{ action, at: first + past, isReady: isReady(ended, action) },
    }));
    const ready = some.filter((each) => each.isReady);
    turn.journal.readAhead(ready.map(({ action }) => action.id));
    for (const { action, at } of ready) {
      if (turn.journal.node(action.id)) continue;
      if (!mayBegin(turn)) return at;
      begin(turn, action, MAIN);
    }
  }
  return actions.length;
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
