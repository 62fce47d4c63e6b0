/** What happens to a run: each event makes one transition, in one transaction. Spec: workflows.md §3, §4, §7. */
import { beginAt, endMain, failRun } from './advance.ts';
import { beginBranches, failContainer, fillLoop, isClosing } from './containers.ts';
import { fail, failForGood, succeed, succeedAs, timeOut } from './ending.ts';
import { beginAll } from './graph.ts';
import type { DueKind, Failure, Node, Ref } from './journal.ts';
import { goOnRetrying, reopenBelow } from './resume.ts';
import { comesTo, settle } from './settle.ts';
import { start, startAttempt, taskTimedOut } from './start.ts';
import { endWait, goOnStopping, stopRun } from './stop.ts';
import { actionOf, setPhase, type Turn } from './turn.ts';
import { startUndoing } from './undo.ts';

/** The run begins with its first actions. */
export function beginRun(turn: Turn): void {
  const { workflow, run, now, journal } = turn;
  run.status = 'running';
  run.startedAt = now;
  run.deadline = now + workflow.settings.timeoutMs;
  journal.due(run.deadline, '', 'deadline');
  journal.effect({ do: 'tell', event: 'run.started', path: '', data: {} });
  if (workflow.form === 'list') beginAt(turn, workflow.start);
  else beginAll(turn);
  settle(turn);
}

/** A call has ended. A repeated end, or one of an earlier attempt, changes nothing. */
export function attemptEnded(
  turn: Turn,
  path: string,
  attempt: number,
  outcome: { readonly output: Ref } | { readonly failure: Failure },
): void {
  const node = comesTo(turn, path);
  if (node?.phase !== 'attempt' || node.attempts !== attempt) return;
  if ('output' in outcome) succeed(turn, node, outcome.output);
  else fail(turn, node, outcome.failure);
  settle(turn);
}

/** The state of an idempotency key that a node has asked for. */
export type Claimed =
  | { readonly is: 'own' }
  /** Another run's call is in flight: it is told when that ends. */
  | { readonly is: 'elsewhere' }
  | { readonly is: 'done'; readonly output: Ref | undefined }
  | { readonly is: 'unknown' }
  /** The run may not use what the output comes from. */
  | { readonly is: 'refused'; readonly failure: Failure };

/** What the owner of a node's idempotency key answered. */
export function claimed(turn: Turn, path: string, answer: Claimed): void {
  const { journal } = turn;
  const node = comesTo(turn, path);
  if (node?.phase !== 'key') return;
  if (answer.is === 'elsewhere') setPhase(turn, node, 'key', 'waiting');
  else {
    journal.undue(path, 'timeout');
    if (answer.is === 'own') startAttempt(turn, node, actionOf(turn, node));
    else answerFromKey(turn, node, answer);
  }
  settle(turn);
}

/** The effect of another run counts for this run; the other run undoes it. */
function answerFromKey(
  turn: Turn,
  node: Node,
  answer: Exclude<Claimed, { is: 'own' | 'elsewhere' }>,
) {
  delete node.state.key;
  if (answer.is === 'refused') return failForGood(turn, node, answer.failure);
  if (answer.is === 'unknown') {
    const message = 'An earlier run with the same idempotencyKey may have had its effect';
    return failForGood(turn, node, { code: 'OUTCOME_UNKNOWN', message, action: node.action });
  }
  succeedAs(turn, node, answer.output);
}

/** A time has come. */
export function due(turn: Turn, path: string, kind: DueKind): void {
  if (path === '') runDue(turn, kind);
  else {
    const node = comesTo(turn, path);
    if (kind === 'go' && node) goOn(turn, node);
    else if (node && node.phase !== 'ended') nodeDue(turn, node, kind);
  }
  settle(turn);
}

function runDue(turn: Turn, kind: DueKind): void {
  if (kind !== 'go') {
    deadline(turn);
    return;
  }
  goOnStopping(turn, '');
  if (turn.run.stop) return;
  if (turn.run.looked !== undefined) beginAll(turn);
  if (turn.run.joined !== undefined) endMain(turn);
  goOnRetrying(turn);
}

/** Goes on with what was put off: its own beginning or end, that of its branches or of what follows it in a graph, or to open or stop what is below it. */
function goOn(turn: Turn, node: Node): void {
  const { phase, path, state } = node;
  goOnStopping(turn, path);
  if (phase === 'ended') {
    if (state.followed !== undefined && !turn.run.stop) turn.agenda.push({ do: 'ended', path });
    return;
  }
  const action = actionOf(turn, node);
  if (phase === 'children' && state.reopened !== undefined) reopenBelow(turn, node);
  else if (phase === 'children' && action.type === 'parallel') beginBranches(turn, node, action);
  else if (phase === 'children' && action.type === 'loop') {
    if (!isClosing(node)) fillLoop(turn, node, action);
  } else start(turn, node);
}

function deadline(turn: Turn): void {
  if (turn.run.endedAt !== 0) return;
  failRun(turn, { code: 'TIMED_OUT', message: "The run's time is over", action: '' });
}

function nodeDue(turn: Turn, node: Node, kind: DueKind): void {
  if (kind === 'retry' && node.phase === 'backoff') {
    // A key that it did not get in time is asked for again.
    setPhase(turn, node, 'ready', 'running');
    start(turn, node);
  } else if (kind === 'wake' && node.phase === 'wait')
    succeed(turn, node, turn.journal.keep('null'));
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
    if (node.stopping) return;
    node.state.timedOut = true;
    turn.journal.touch(node);
    const { child = '' } = node.state;
    turn.journal.effect({ do: 'cancel-child', path: node.path, child });
  } else if (node.phase === 'children') failContainer(turn, node, failure, undefined);
}

/** Cancels the run; answers whether it was under way. */
export function cancel(turn: Turn): boolean {
  const { run } = turn;
  if (run.endedAt !== 0) return false;
  const failure = { code: 'CANCELLED', message: 'The run was cancelled', action: '' };
  if (!run.stop) {
    run.error = turn.journal.keep(JSON.stringify(failure));
    run.finishing = undefined;
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
