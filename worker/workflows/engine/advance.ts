/** What follows the end of a node: the next of its list, or the end of what it is part of. Spec: workflows.md §1, §3, §4. */
import type { Action } from '../definition/tree.ts';
import { branchEnded, elementEnded, failContainer, isClosing } from './containers.ts';
import { followsOf, succeed } from './ending.ts';
import { failureOf } from './failure.ts';
import { beginFollowers } from './graph.ts';
import { graphOutput } from './graph-output.ts';
import type { Failure, Node, Ref } from './journal.ts';
import { Scope } from './scope.ts';
import { stopRun } from './stop.ts';
import {
  actionOf,
  begin,
  keepFailure,
  keepJson,
  MAIN,
  nodeAt,
  setPhase,
  type Turn,
} from './turn.ts';
import { undone } from './undo.ts';

/** The run begins with one action of the top level; the results of the actions before it are already there. */
export function beginAt(turn: Turn, id: string): void {
  const action = turn.workflow.byId.get(id);
  if (!action) throw new Error(`The workflow has no action ${id}`);
  begin(turn, action, MAIN);
}

/** A node has ended well, or its failure was dealt with. */
export function advance(turn: Turn, node: Node): void {
  if (node.role === 'escalation') return;
  if (node.role === 'compensation') {
    undone(turn, nodeAt(turn, node.owner), 'done');
    return;
  }
  if (node.role === 'step' && node.owner === '') {
    advanceMain(turn, node);
    return;
  }
  const owner = nodeAt(turn, node.owner);
  if (node.role === 'fallback') {
    standIn(turn, owner, node.output);
    return;
  }
  if (isClosing(owner)) {
    hold(turn, node);
    return;
  }
  if (node.role === 'option') {
    succeed(turn, owner, node.output);
    return;
  }
  const { follows } = node.state;
  if (follows !== undefined && follows !== null) {
    follow(turn, node, follows);
    return;
  }
  listEnded(turn, owner, node);
}

/** The node has ended while what it is part of stops: a retry of the run goes on after it. */
function hold(turn: Turn, node: Node): void {
  node.state.held = true;
  turn.journal.touch(node);
}

function follow(turn: Turn, { frame, owner, role }: Node, id: string): void {
  const action = turn.workflow.byId.get(id);
  if (!action) throw new Error(`The workflow has no action ${id}`);
  begin(turn, action, { frame, owner, role });
}

function advanceMain(turn: Turn, node: Node): void {
  const { run, workflow } = turn;
  if (run.stop) {
    hold(turn, node);
    return;
  }
  run.last = node.output;
  if (workflow.form === 'graph') {
    if (beginFollowers(turn, node)) endMain(turn);
    return;
  }
  const { follows } = node.state;
  if (follows === undefined || follows === null) endMain(turn);
  else follow(turn, node, follows);
}

/** The main line has ended: the run has its output, of a large graph after some transitions. */
export function endMain(turn: Turn): void {
  const { run } = turn;
  try {
    run.output = mainOutput(turn);
    if (run.joined === undefined) run.finishing = 'succeeded';
  } catch (thrown) {
    failRun(turn, failureOf(thrown, ''));
  }
}

function mainOutput(turn: Turn): Ref | undefined {
  const { workflow, run, now } = turn;
  if (workflow.output) {
    return keepJson(turn, new Scope(turn, { path: '', at: now }).value(workflow.output));
  }
  return workflow.form === 'list' ? run.last : graphOutput(turn);
}

function listEnded(turn: Turn, owner: Node, last: Node): void {
  const action = actionOf(turn, owner);
  const { output, frame } = last;
  if (action.type === 'parallel') branchEnded(turn, owner, action, frame, output);
  if (action.type === 'loop') {
    elementEnded(turn, owner, action, frame, output === undefined ? {} : { output });
  }
}

/** A fallback has succeeded: its output replaces that of the failed action. */
function standIn(turn: Turn, owner: Node, output: Ref | undefined): void {
  const action = actionOf(turn, owner);
  owner.output = output;
  owner.state.handled = true;
  setPhase(turn, owner, 'ended', 'failed');
  try {
    owner.state.follows = followsOf(turn, owner, action);
  } catch (thrown) {
    const failure = failureOf(thrown, action.id);
    turn.agenda.push({ do: 'failed', path: owner.path, failure, route: action.handler.route });
    return;
  }
  if (owner.stopping) owner.state.held = true;
  else turn.agenda.push({ do: 'ended', path: owner.path });
}

/** A node has failed for good. @param route where the run goes on */
export function failedUp(
  turn: Turn,
  node: Node,
  failure: Failure,
  route: string | undefined,
): void {
  if (node.role === 'escalation') return;
  if (node.role === 'compensation') {
    undone(turn, nodeAt(turn, node.owner), 'failed');
    return;
  }
  if (node.role === 'step' && node.owner === '') {
    failMain(turn, node, failure, route);
    return;
  }
  const owner = nodeAt(turn, node.owner);
  if (node.role === 'fallback') {
    fallbackFailed(turn, owner, failure, route);
    return;
  }
  const action = actionOf(turn, owner);
  if (action.type === 'loop' && action.continueOnError && route === undefined) {
    if (isClosing(owner)) return;
    node.state.handled = true;
    turn.journal.touch(node);
    elementEnded(turn, owner, action, node.frame, { error: keepFailure(turn, failure) });
    return;
  }
  failContainer(turn, owner, failure, route);
}

function fallbackFailed(
  turn: Turn,
  owner: Node,
  failure: Failure,
  route: string | undefined,
): void {
  const { handler } = actionOf(turn, owner);
  setPhase(turn, owner, 'ended', 'failed');
  if (owner.stopping) return;
  const own = route ?? handler.route;
  turn.agenda.push({ do: 'failed', path: owner.path, failure, route: own });
}

function failMain(turn: Turn, node: Node, failure: Failure, route: string | undefined): void {
  const { run, workflow } = turn;
  const target: Action | undefined = route === undefined ? undefined : workflow.byId.get(route);
  if (!target || run.stop) {
    failRun(turn, failure);
    return;
  }
  node.state.handled = true;
  turn.journal.touch(node);
  run.routed = turn.journal.keep(JSON.stringify(toldOf(failure)));
  begin(turn, target, MAIN);
}

function toldOf({ code, message, action, details }: Failure) {
  return { code, message, action, ...(details === undefined ? {} : { details }) };
}

/** The run fails: what is under way ends, then what succeeded is undone. */
export function failRun(turn: Turn, failure: Failure): void {
  const { run } = turn;
  if (run.stop) return;
  run.error = turn.journal.keep(JSON.stringify(toldOf(failure)));
  run.finishing = undefined;
  stopRun(turn, 'failed', failure);
}
