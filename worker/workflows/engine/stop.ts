/** Stops what is under way: waits end at once, calls in flight are let end, nothing more begins. Spec: workflows.md §3, §4. */
import type { Json } from '../../../proto/json.ts';
import { ownOf } from '../own.ts';
import { endFailed, isWithin, noteFailure } from './ending.ts';
import type { Failure, Node } from './journal.ts';
import { above, isBelow } from './paths.ts';
import { actionOf, end, putOff, setPhase, type Turn } from './turn.ts';

/**
 * Stops what is below a container, or everything with an empty path: as much as one transition may, and the rest in the
 * next. Compensations and escalations go on.
 */
export function stopBelow(turn: Turn, path: string): void {
  const { run, journal, beginsMax } = turn;
  run.closing = true;
  const after = ownOf(run.stops, path) ?? '';
  const some = journal.activeAfter(path, after, beginsMax);
  const last = some.length < beginsMax ? undefined : some.at(-1)?.path;
  noteStop(run, path, last);
  if (last !== undefined) putOff(turn, path);
  for (const node of some.sort((one, other) => one.begun - other.begun)) {
    if (isStoppable(turn, node)) stop(turn, node);
  }
  if (path !== '') turn.closable.add(path);
}

/** @param upTo the path up to which it has stopped; undefined where that is done */
function noteStop(run: Turn['run'], path: string, upTo: string | undefined): void {
  const { [path]: _, ...others } = run.stops ?? {};
  run.stops = upTo === undefined ? others : { ...others, [path]: upTo };
}

/** Goes on stopping, where that is not done. */
export function goOnStopping(turn: Turn, path: string): void {
  if (ownOf(turn.run.stops, path) !== undefined) stopBelow(turn, path);
}

/** Stops a node, and what it is part of, that others stop before them: answers whether it has ended with that. */
export function stopFirst(turn: Turn, { path }: Node): boolean {
  const { run, journal } = turn;
  const stops = Object.keys(run.stops ?? {});
  if (stops.length === 0) return false;
  for (const each of [...above(path), path]) {
    if (!stops.some((stop) => stop === '' || isBelow(each, stop))) continue;
    const node = journal.node(each);
    if (node && node.phase !== 'ended' && isStoppable(turn, node)) stop(turn, node);
  }
  return journal.node(path)?.phase === 'ended';
}

function isStoppable({ workflow }: Turn, { path, stopping }: Node): boolean {
  const goesOn = isWithin(workflow, path, 'compensation') || isWithin(workflow, path, 'escalation');
  return !stopping && !goesOn;
}

function stop(turn: Turn, node: Node): void {
  const { journal } = turn;
  node.stopping = true;
  journal.touch(node);
  turn.closable.add(node.path);
  if (['ready', 'key', 'backoff'].includes(node.phase)) {
    cut(turn, node);
    return;
  }
  if (node.phase !== 'wait') return;
  const { wait, child } = node.state;
  if (wait === 'child' && child !== undefined) {
    const action = actionOf(turn, node);
    // One that it does not wait for is its own: it has only to begin.
    if (action.type !== 'subworkflow' || !action.waitForCompletion) return;
    journal.effect({ do: 'cancel-child', path: node.path, child });
    return;
  }
  endWait(turn, node, 'expired');
  cut(turn, node);
}

/** Takes back what a wait has asked for outside, and reports a task that nobody has ended. */
export function endWait(turn: Turn, node: Node, status: 'done' | 'expired'): void {
  const { journal } = turn;
  const { path, state } = node;
  if (state.wait === 'event') journal.effect({ do: 'unlisten', path });
  if (state.wait !== 'task') return;
  const by = status === 'done' ? node.by : undefined;
  journal.effect({ do: 'close-task', path, task: taskOf(turn, node), status, by });
  if (status === 'expired') tellTask(turn, node, 'task.completed', { status });
}

/** Id of the task that a node has opened last: of each attempt another. */
export function taskOf({ journal }: Turn, { path, begun, state }: Node): string {
  return state.task ?? journal.idOf('task', path, begun);
}

/** Reports an event of a task; what it asks of whom is added where it is told. */
export function tellTask(
  { journal }: Turn,
  { path, action }: Node,
  event: string,
  data: { readonly [member: string]: Json } = {},
): void {
  journal.effect({ do: 'tell', event, path, data: { action, ...data } });
}

/** Ends what was stopped before it had an end of its own, and gives back its idempotency key. */
export function cut(turn: Turn, node: Node): void {
  const { maybe, key } = node.state;
  end(turn, node, 'cancelled');
  // What an attempt may have done is undone although there is no further one.
  if (maybe && actionOf(turn, node).compensation) node.undo = 'todo';
  if (key === undefined) return;
  turn.journal.effect({ do: 'settle', path: node.path, key, as: maybe ? 'unknown' : 'free' });
}

/**
 * Ends containers that stop once nothing below them is under way, the innermost first.
 * @returns whether any did
 */
export function closeContainers(turn: Turn): boolean {
  const { run, closable, journal, workflow } = turn;
  // Of what has not ended, only that can close which begins to stop or below which something has ended.
  const paths = run.closing ? [...closable] : [];
  closable.clear();
  const done = paths
    .flatMap((path) => journal.node(path) ?? [])
    .filter(
      (node) =>
        isToClose(node) &&
        !journal.isActiveBelow(node.path, (path) => !isWithin(workflow, path, 'escalation')),
    )
    .sort((one, other) => one.begun - other.begun);
  for (const node of done) close(turn, node);
  return done.length > 0;
}

function isToClose({ phase, stopping, state }: Node): boolean {
  return (
    (phase === 'children' && (stopping || state.failing !== undefined)) ||
    (phase === 'fallback' && stopping) ||
    // What is being undone is undone first: one after the other.
    (phase === 'undo' && stopping && state.undoing === undefined)
  );
}

function close(turn: Turn, node: Node): void {
  const { failing } = node.state;
  noteStop(turn.run, node.path, undefined);
  if (node.phase === 'fallback') {
    closeFallback(turn, node);
    return;
  }
  if (node.phase === 'undo') {
    endFailed(turn, node);
    return;
  }
  delete node.state.failing;
  if (failing === undefined) {
    cut(turn, node);
    return;
  }
  if (node.stopping) {
    noteFailure(turn, node, failing.failure);
    endFailed(turn, node);
    return;
  }
  turn.agenda.push({ do: 'closed', path: node.path, ...failing });
}

/** A fallback that succeeded before everything stopped still replaces the action that failed. */
function closeFallback(turn: Turn, node: Node): void {
  const { fallback } = actionOf(turn, node).handler;
  const stood = fallback && turn.journal.node(`${node.path}.${fallback.id}`);
  setPhase(turn, node, 'ended', 'failed');
  if (stood?.status !== 'succeeded') return;
  node.output = stood.output;
  node.state.handled = true;
  node.state.held = true;
}

/** Everything stops, and the run has failed or is cancelled then; the first reason holds. */
export function stopRun(turn: Turn, as: 'failed' | 'cancelled', failure: Failure): void {
  const { run } = turn;
  if (run.stop || run.finishing) return;
  run.stop = { as, failure };
  run.output = undefined;
  stopBelow(turn, '');
}
