/** What happens to a run: each event makes one transition, in one transaction. Spec: workflows.md §3, §4, §7. */
import { type Json, parseJson } from '../../../proto/json.ts';
import type { Plain } from '../../language/expressions/index.ts';
import { advance, failedUp, failRun, MAIN } from './advance.ts';
import { failContainer } from './containers.ts';
import {
  endFailed,
  fail,
  failForGood,
  isTruthy,
  isWithin,
  noteFailure,
  succeed,
  timeOut,
  viewpoint,
} from './ending.ts';
import { failureOf } from './failure.ts';
import type { DueKind, Failure, Node, Ref } from './journal.ts';
import { Scope } from './scope.ts';
import { start, startAttempt, taskTimedOut, tellTask } from './start.ts';
import { closeContainers, endWait, stopRun } from './stop.ts';
import {
  actionOf,
  begin,
  end,
  type FailedItem,
  type Item,
  nodeAt,
  setPhase,
  type Turn,
} from './turn.ts';
import { startUndoing, undoAttempt, undone } from './undo.ts';

/** Actions that begin in one transition; further ones wait for the next, so that others get their turn. */
const STARTS_MAX = 200;

/** The run begins with its first actions. */
export function beginRun(turn: Turn): void {
  const { workflow, run, now, journal } = turn;
  run.status = 'running';
  run.startedAt = now;
  run.deadline = now + workflow.settings.timeoutMs;
  journal.due(run.deadline, '', 'deadline');
  journal.effect({ do: 'tell', event: 'run.started', path: '', data: {} });
  if (workflow.form === 'list') beginAt(turn, workflow.start);
  else {
    for (const action of workflow.actions) {
      if ((action.after ?? []).length === 0) begin(turn, action, MAIN);
    }
  }
  settle(turn);
}

/** The run begins with one action of the top level: what is before it is there already. */
export function beginAt(turn: Turn, id: string): void {
  const action = turn.workflow.byId.get(id);
  if (!action) throw new Error(`The workflow has no action ${id}`);
  begin(turn, action, MAIN);
}

/** A call has ended. An end that was told before, or is of an earlier attempt, changes nothing. */
export function attemptEnded(
  turn: Turn,
  path: string,
  attempt: number,
  outcome: { readonly output: Ref } | { readonly failure: Failure },
): void {
  const node = turn.journal.node(path);
  if (node?.phase !== 'attempt' || node.attempts !== attempt) return;
  if ('output' in outcome) succeed(turn, node, outcome.output);
  else fail(turn, node, outcome.failure);
  settle(turn);
}

/** How an idempotency key stands that a node has asked for. */
export type Claimed =
  | { readonly is: 'own' }
  /** Another run's call is in flight: it is told when that ends. */
  | { readonly is: 'elsewhere' }
  | { readonly is: 'done'; readonly output: Ref | undefined }
  | { readonly is: 'unknown' };

/** What the owner of a node's idempotency key answered. */
export function claimed(turn: Turn, path: string, answer: Claimed): void {
  const { journal } = turn;
  const node = journal.node(path);
  if (node?.phase !== 'key') return;
  if (answer.is === 'elsewhere') setPhase(turn, node, 'key', 'waiting');
  else {
    journal.undue(path, 'timeout');
    if (answer.is === 'own') startAttempt(turn, node, actionOf(turn, node));
    else answerFromKey(turn, node, answer);
  }
  settle(turn);
}

/** Another run's effect is this one's: it is that run's to undo. */
function answerFromKey(
  turn: Turn,
  node: Node,
  answer: Exclude<Claimed, { is: 'own' | 'elsewhere' }>,
) {
  delete node.state.key;
  if (answer.is === 'unknown') {
    const message = 'An earlier run with the same idempotencyKey may have had its effect';
    return failForGood(turn, node, { code: 'OUTCOME_UNKNOWN', message, action: node.action });
  }
  succeed(turn, node, answer.output);
  node.undo = 'none';
}

/** A time has come. */
export function due(turn: Turn, path: string, kind: DueKind): void {
  if (path === '') deadline(turn);
  else {
    const node = turn.journal.node(path);
    if (node && node.phase !== 'ended') nodeDue(turn, node, kind);
  }
  settle(turn);
}

function deadline(turn: Turn): void {
  if (turn.run.endedAt !== 0) return;
  failRun(turn, { code: 'TIMED_OUT', message: "The run's time is over", action: '' });
}

function nodeDue(turn: Turn, node: Node, kind: DueKind): void {
  const action = actionOf(turn, node);
  if (kind === 'go') start(turn, node);
  else if (kind === 'retry' && node.phase === 'backoff') startAttempt(turn, node, action);
  else if (kind === 'wake' && node.phase === 'wait') succeed(turn, node, turn.journal.keep('null'));
  else if (kind === 'timeout') timedOut(turn, node);
}

function timedOut(turn: Turn, node: Node): void {
  const action = actionOf(turn, node);
  const failure = { code: 'TIMED_OUT', message: 'Its time is over', action: action.id };
  if (node.phase === 'key') {
    const { key = '' } = node.state;
    turn.journal.effect({ do: 'settle', path: node.path, key, as: 'free' });
    delete node.state.key;
    fail(turn, node, failure);
  } else if (action.type === 'humanTask') {
    if (node.phase === 'wait') taskTimedOut(turn, node, action);
  } else if (action.type === 'wait') {
    if (node.phase !== 'wait') return;
    endWait(turn, node, 'expired');
    timeOut(turn, node, action.timeout ?? { action: undefined });
  } else if (node.state.wait === 'child' && node.phase === 'wait') {
    node.state.timedOut = true;
    turn.journal.touch(node);
    const { child = '' } = node.state;
    turn.journal.effect({ do: 'cancel-child', path: node.path, child });
  } else if (node.phase === 'children') failContainer(turn, node, failure, undefined);
}

/** An event of the log, as it is offered to a wait. */
export interface Offered {
  readonly seq: number;
  readonly text: string;
}

/** Offers an event to a wait; answers whether it has ended with it. */
export function eventArrived(turn: Turn, path: string, event: Offered): boolean {
  const { journal } = turn;
  const node = journal.node(path);
  if (node?.phase !== 'wait' || node.state.wait !== 'event') return true;
  const action = actionOf(turn, node);
  if (action.type !== 'wait' || action.wait.mode !== 'event') return true;
  if (journal.hasTaken(event.seq)) return false;
  const { filter } = action.wait;
  try {
    const named = [parseJson(event.text) as Plain];
    const passes =
      !filter || isTruthy(new Scope(turn, viewpoint(node)).evaluate(filter, {}, named));
    if (!passes) return false;
    journal.take(event.seq);
    endWait(turn, node, 'done');
    succeed(turn, node, journal.keep(event.text));
  } catch (thrown) {
    endWait(turn, node, 'expired');
    fail(turn, node, failureOf(thrown, action.id));
  }
  settle(turn);
  return true;
}

/** How a person ended a task. */
export type TaskEnd = { readonly by: string } & (
  | { readonly form: Json }
  | { readonly rejected: string }
);

/** Ends a task; answers whether it was open. */
export function taskEnded(turn: Turn, path: string, ended: TaskEnd): boolean {
  const node = turn.journal.node(path);
  if (node?.phase !== 'wait' || node.state.wait !== 'task') return false;
  node.by = ended.by;
  endWait(turn, node, 'done');
  tellTask(turn, node, 'task.completed');
  if ('form' in ended) succeed(turn, node, turn.journal.keep(JSON.stringify(ended.form)));
  else {
    const { action } = node;
    fail(turn, node, { code: 'TASK_REJECTED', message: ended.rejected, action });
  }
  settle(turn);
  return true;
}

/** A callback came; answers whether its wait is open. */
export function calledBack(turn: Turn, path: string, text: string): boolean {
  const node = turn.journal.node(path);
  if (node?.phase !== 'wait' || node.state.wait !== 'callback') return false;
  succeed(turn, node, turn.journal.keep(text));
  settle(turn);
  return true;
}

/** How a child's run ended, or that it never began. */
export type ChildEnd =
  | { readonly is: 'started' }
  | { readonly is: 'succeeded'; readonly output: Ref | undefined }
  | { readonly is: 'failed'; readonly failure: Failure };

/** A subworkflow's run has begun, ended, or was refused. */
export function childEnded(turn: Turn, path: string, child: string, ended: ChildEnd): void {
  const { journal } = turn;
  const node = journal.node(path);
  if (node?.phase !== 'wait' || node.state.child !== child) return;
  const action = actionOf(turn, node);
  if (ended.is === 'started') {
    const waits = action.type === 'subworkflow' && action.waitForCompletion;
    if (!waits) succeed(turn, node, journal.keep(JSON.stringify({ run_id: child })));
  } else if (ended.is === 'succeeded') succeed(turn, node, ended.output);
  else if (node.state.timedOut) {
    fail(turn, node, { code: 'TIMED_OUT', message: 'Its time is over', action: action.id });
  } else if (node.stopping) {
    noteFailure(turn, node, ended.failure);
    end(turn, node, 'cancelled');
  } else fail(turn, node, { ...ended.failure, action: action.id });
  settle(turn);
}

/** A child's run was undone, as far as it could be. */
export function childUndone(
  turn: Turn,
  path: string,
  result: 'none' | 'complete' | 'partial',
): void {
  const node = turn.journal.node(path);
  if (node?.undo !== 'doing') return;
  undone(turn, node, result === 'none' ? 'nothing' : result === 'complete' ? 'done' : 'failed');
  settle(turn);
}

/** Cancels the run; answers whether it was under way. */
export function cancel(turn: Turn): boolean {
  const { run } = turn;
  if (run.endedAt !== 0) return false;
  const failure = { code: 'CANCELLED', message: 'The run was cancelled', action: '' };
  if (!run.stop) {
    run.error = turn.journal.keep(JSON.stringify(failure));
    stopRun(turn, 'cancelled', failure);
  }
  settle(turn);
  return true;
}

/** The run of a parent that fails undoes what it did; its status stays. */
export function undo(turn: Turn): void {
  const { run, journal } = turn;
  if (run.undoing === 'no' && run.status === 'succeeded') {
    run.finishing = undefined;
    startUndoing(turn, 'asked');
  } else journal.effect({ do: 'undone' });
  settle(turn);
}

/** Does all that follows now, and notes how the run stands then. */
export function settle(turn: Turn): void {
  let starts = 0;
  do {
    starts = doAgenda(turn, starts);
  } while (closeContainers(turn) || closeRun(turn));
  const { run } = turn;
  if (run.status !== 'running' && run.status !== 'waiting') return;
  run.status = run.inFlight > 0 || starts > STARTS_MAX ? 'running' : 'waiting';
}

/** Answers how many actions began, or were to begin, in this transition. */
function doAgenda(turn: Turn, before: number): number {
  let starts = before;
  for (let item = turn.agenda.shift(); item; item = turn.agenda.shift()) {
    if (item.do !== 'start') {
      follow(turn, item);
      continue;
    }
    starts += 1;
    if (starts <= STARTS_MAX) start(turn, nodeAt(turn, item.path));
    else turn.journal.due(turn.now, item.path, 'go');
  }
  return starts;
}

function follow(turn: Turn, item: Item): void {
  const node = nodeAt(turn, item.path);
  if (item.do === 'ended') advance(turn, node);
  else if (item.do === 'undo') undoAttempt(turn, item.path);
  else if (item.do === 'failed') failedUp(turn, node, item.failure, item.route);
  else if (item.do === 'closed') closed(turn, node, item);
}

/** All below a container has stopped: it fails, or the run goes on elsewhere. */
function closed(turn: Turn, node: Node, { failure, route }: FailedItem): void {
  if (route === undefined) {
    fail(turn, node, failure);
    return;
  }
  noteFailure(turn, node, failure);
  endFailed(turn, node);
  failedUp(turn, node, failure, route);
}

/** Goes on to the run's end, where nothing is under way any more. Answers whether something changed. */
function closeRun(turn: Turn): boolean {
  const { run, journal } = turn;
  if (run.finishing !== undefined) return finish(turn, run.finishing);
  if (!run.stop || run.undoing !== 'no' || run.endedAt !== 0) return false;
  if (journal.active().some((node) => !isWithin(turn.workflow, node.path, 'escalation')))
    return false;
  startUndoing(turn, 'own');
  return true;
}

/** The run ends once nothing runs beside it. */
function finish(turn: Turn, status: NonNullable<Turn['run']['finishing']>): boolean {
  const { run, journal } = turn;
  if (run.undoing === 'asked') return endAskedUndo(turn);
  if (run.endedAt !== 0 || journal.active().length > 0) return false;
  endRun(turn, status);
  return true;
}

function endAskedUndo({ run, journal }: Turn): boolean {
  run.undoing = 'own';
  run.finishing = undefined;
  journal.effect({ do: 'undone' });
  return true;
}

const TOLD: Readonly<Record<'succeeded' | 'failed' | 'cancelled', string>> = {
  succeeded: 'run.succeeded',
  failed: 'run.failed',
  cancelled: 'run.cancelled',
};

function endRun({ run, journal, now }: Turn, status: keyof typeof TOLD): void {
  run.status = status;
  run.endedAt = now;
  run.finishing = undefined;
  journal.undue('', 'deadline');
  journal.effect({ do: 'tell', event: TOLD[status], path: '', data: {} });
  journal.effect({ do: 'end' });
}
