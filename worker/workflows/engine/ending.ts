/** How an action ends: its output and what follows, or its failure with attempts, escalation and fallback. Spec: workflows.md §4. */
import { parseJson } from '../../../proto/json.ts';
import type { Plain } from '../../language/expressions/index.ts';
import type { Action, ConditionAction, Escalation, Retry, Timeout } from '../definition/tree.ts';
import { delayOf, failureOf, isRetried } from './failure.ts';
import type { Failure, Node, Ref } from './journal.ts';
import { segmentsOf } from './paths.ts';
import { readValue } from './ready-values.ts';
import { Scope } from './scope.ts';
import { actionOf, begin, end, keepFailure, keepJson, setPhase, type Turn } from './turn.ts';

/** Ends an action well. @param output what it made, which its `output` may replace */
export function succeed(turn: Turn, node: Node, output: Ref | undefined): void {
  const action = actionOf(turn, node);
  const isWell = endWell(turn, node, action, () => outputOf(turn, node, action, output));
  if (!isWell) return;
  node.undo = isUndone(turn, node, action) ? 'todo' : 'none';
  settleKey(turn, node, 'done');
  goesOn(turn, node);
}

/** Ends an action as succeeded whose effect another action had; the other action undoes it. @param output what the other one kept */
export function succeedAs(turn: Turn, node: Node, output: Ref | undefined): void {
  const action = actionOf(turn, node);
  const isWell = endWell(turn, node, action, () => {
    // What the other one kept does not tell its decision where `output` replaced that.
    const isReplaced = action.type === 'condition' && action.output !== undefined;
    if (isReplaced) node.state.holds = decide(turn, node, action);
    return output;
  });
  if (isWell) goesOn(turn, node);
}

/** What follows is decided once the action has ended: its condition may ask how. Answers false where that failed. */
function endWell(turn: Turn, node: Node, action: Action, made: () => Ref | undefined): boolean {
  try {
    node.output = made();
    end(turn, node, 'succeeded');
    node.error = undefined;
    node.state.follows = followsOf(turn, node, action);
    return true;
  } catch (thrown) {
    delete node.state.holds;
    const failure = failureOf(thrown, action.id);
    failForGood(turn, node, { ...failure, effect: 'possible' });
    return false;
  }
}

/** Begins what follows, unless the node is held. */
function goesOn(turn: Turn, node: Node): void {
  if (node.stopping) node.state.held = true;
  else turn.agenda.push({ do: 'ended', path: node.path });
}

function outputOf(
  turn: Turn,
  node: Node,
  { output: replacement }: Action,
  output: Ref | undefined,
): Ref | undefined {
  if (replacement === undefined) return output;
  const made = output === undefined ? {} : { output: readValue(turn, output) as Plain };
  return keepJson(turn, new Scope(turn, viewpoint(node)).value(replacement, made));
}

/** Which action of its list follows a node; null for the list's end. @throws what its condition throws */
export function followsOf(turn: Turn, node: Node, action: Action): string | null {
  if (node.role !== 'step') return null;
  if (action.type === 'condition') {
    return (node.state.holds ?? isKeptTrue(turn, node)) ? action.true : action.false;
  }
  const { next } = action;
  if ('to' in next) return next.to;
  const holds = new Scope(turn, viewpoint(node)).evaluate(next.condition);
  return isTruthy(holds) ? next.true : next.false;
}

/** What stands for a condition decides as it would: the output of its fallback, or of another one with its key. */
function isKeptTrue({ journal }: Turn, { output }: Node): boolean {
  return output !== undefined && journal.text(output) === 'true';
}

/** Whether the condition of an action holds. @throws what it throws */
export function decide(turn: Turn, node: Node, { condition }: ConditionAction): boolean {
  return isTruthy(new Scope(turn, viewpoint(node)).evaluate(condition));
}

/** Whether a condition holds, by the rules of JavaScript. */
export function isTruthy(value: Plain | undefined): boolean {
  return Boolean(value);
}

/** Path and start of a node: they decide what its expressions see of the run. */
export function viewpoint({ path, startedAt }: Node) {
  return { path, at: startedAt };
}

/** Whether an action that took effect is undone when the run fails. */
function isUndone({ workflow }: Turn, { path }: Node, action: Action): boolean {
  const has =
    action.compensation !== undefined ||
    (action.type === 'subworkflow' && action.waitForCompletion);
  return has && !isWithin(workflow, path, 'compensation');
}

/** Whether a node is, or is part of, what stands for or beside an action in that way. */
export function isWithin(
  workflow: Turn['workflow'],
  path: string,
  place: 'compensation' | 'escalation',
): boolean {
  return segmentsOf(path).some(({ id }) => workflow.byId.get(id)?.place.in === place);
}

/** One attempt has failed: there is another, or the action fails. */
export function fail(turn: Turn, node: Node, failure: Failure): void {
  const action = actionOf(turn, node);
  noteFailure(turn, node, failure);
  if (node.stopping) {
    endFailed(turn, node);
    return;
  }
  const failures = node.tried.length - (node.state.forgiven ?? 0);
  const { retry, escalation } = action.handler;
  if (escalation) escalate(turn, node, escalation, failures);
  if (retry && failures < retry.maxAttempts && isRetried(action, retry, failure)) {
    tryAgain(turn, node, retry, failures, failure);
    return;
  }
  giveUp(turn, node, action, failure);
}

/** As `fail`, without another attempt. */
export function failForGood(turn: Turn, node: Node, failure: Failure): void {
  noteFailure(turn, node, failure);
  if (node.stopping) {
    endFailed(turn, node);
    return;
  }
  giveUp(turn, node, actionOf(turn, node), failure);
}

/** A failed attempt, as the record shows it. */
export function noteFailure(turn: Turn, node: Node, failure: Failure): void {
  const { code, message, effect } = failure;
  node.tried = [...node.tried, { started: node.attemptAt, ended: turn.now, code, message }];
  node.error = keepFailure(turn, failure);
  if (code === 'OUTCOME_UNKNOWN' || effect === 'possible') node.state.maybe = true;
  else if (effect === 'none') delete node.state.maybe;
  turn.journal.undue(node.path);
  turn.journal.touch(node);
}

function tryAgain(turn: Turn, node: Node, retry: Retry, failures: number, failure: Failure): void {
  const { journal } = turn;
  const delay = delayOf(retry, failures, journal.random(), failure.retryAfterMs);
  const runsOthers = node.phase === 'children';
  if (runsOthers) {
    node.state.delay = delay;
    setPhase(turn, node, 'undo', 'retrying');
    turn.agenda.push({ do: 'undo', path: node.path });
    return;
  }
  waitForRetry(turn, node, delay);
}

/** Lets the next attempt begin later. */
export function waitForRetry(turn: Turn, node: Node, delay: number): void {
  setPhase(turn, node, 'backoff', 'retrying');
  turn.journal.due(turn.now + delay, node.path, 'retry');
}

/** No attempt is left: the fallback runs, or the failure goes to the container. */
export function giveUp(turn: Turn, node: Node, action: Action, own: Failure): void {
  endFailed(turn, node);
  const { fallback, route } = action.handler;
  // Whether it had an effect is settled here: what it is part of had none of its own.
  const { effect: _, ...failure } = own;
  if (fallback) {
    begin(turn, fallback, { frame: `${node.path}.`, owner: node.path, role: 'fallback' });
    setPhase(turn, node, 'fallback', 'failed');
  } else turn.agenda.push({ do: 'failed', path: node.path, failure, route });
}

/** The failure is noted already. */
export function endFailed(turn: Turn, node: Node): void {
  end(turn, node, 'failed');
  const action = actionOf(turn, node);
  const isUnknown = node.state.maybe === true;
  // A child's run that failed has undone itself.
  const isOwn = action.compensation !== undefined && isUndone(turn, node, action);
  node.undo = isUnknown && isOwn ? 'todo' : 'none';
  settleKey(turn, node, isUnknown ? 'unknown' : 'free');
}

/** The time of a wait or task is over: the run goes on elsewhere, or the action fails. */
export function timeOut(turn: Turn, node: Node, { action: then }: Pick<Timeout, 'action'>): void {
  const { id } = actionOf(turn, node);
  const failure = { code: 'TIMED_OUT', message: 'Nothing came in time', action: id };
  if (then === undefined) {
    fail(turn, node, failure);
    return;
  }
  noteFailure(turn, node, failure);
  endFailed(turn, node);
  node.state.handled = true;
  node.state.follows = then;
  goesOn(turn, node);
}

/** Gives an idempotency key its end, where the node has one. */
export function settleKey(turn: Turn, node: Node, as: 'done' | 'unknown' | 'free'): void {
  const { key } = node.state;
  if (key === undefined) return;
  const output = as === 'done' && node.output !== undefined ? { output: node.output } : {};
  turn.journal.effect({ do: 'settle', path: node.path, key, as, ...output });
}

/** Escalates, once per action. A notification or incident that cannot be computed is left out: the run does not fail with it. */
function escalate(turn: Turn, node: Node, escalation: Escalation, failures: number): void {
  if (failures < escalation.threshold || node.state.told) return;
  if (turn.journal.hasEscalated(node.path)) return;
  node.state.told = true;
  const data = { action: node.action, ...escalationData(turn, node, escalation) };
  turn.journal.effect({ do: 'tell', event: 'action.escalated', path: node.path, data });
  for (const action of escalation.actions) {
    const frame = `${node.path}.`;
    if (turn.journal.node(frame + action.id)) continue;
    begin(turn, action, { frame, owner: node.path, role: 'escalation' });
  }
}

function escalationData(turn: Turn, node: Node, { notification, incident }: Escalation) {
  const error = node.error === undefined ? null : parseJson(turn.journal.text(node.error));
  const scope = new Scope(turn, viewpoint(node));
  const members = Object.entries({ notification, incident }).flatMap(([name, value]) => {
    if (value === undefined) return [];
    try {
      const made = scope.value(value, { error: error as Plain });
      return made === undefined ? [] : [[name, made] as const];
    } catch (thrown) {
      failureOf(thrown, node.action);
      return [];
    }
  });
  return Object.fromEntries(members);
}
