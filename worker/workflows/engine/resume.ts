/** A run that goes on where it failed or was cut off, or from one of its actions. Spec: workflows.md §6, `retry`, `fork`. */
import { beginAt, endMain } from './advance.ts';
import { beginBranches, fillLoop, hasMoreBranches, isClosing } from './containers.ts';
import { followsOf } from './ending.ts';
import { failureOf } from './failure.ts';
import { beginAll } from './graph.ts';
import type { Node } from './journal.ts';
import { settle } from './settle.ts';
import { actionOf, mayBegin, putOff, setPhase, type Turn } from './turn.ts';

/** What a run that has ended is before it goes on. */
const REOPENED = {
  stop: undefined,
  undoing: 'no',
  finishing: undefined,
  stops: undefined,
  reopened: undefined,
  endedAt: 0,
  error: undefined,
} as const;

/** Has a run that has ended wait for its turn: one that began goes on then, any other begins. */
export function queueAgain({ run }: Turn): void {
  const resumes = run.deadline === 0 ? undefined : true;
  Object.assign(run, { ...REOPENED, status: 'queued', resumes });
}

/** Goes on with the actions that failed or were cut off; what succeeded is kept. */
export function retryRun(turn: Turn): void {
  const { run, journal, now, workflow } = turn;
  Object.assign(run, {
    ...REOPENED,
    status: 'running',
    resumes: undefined,
    deadline: now + workflow.settings.timeoutMs,
  });
  journal.due(run.deadline, '', 'deadline');
  const isAny = reopenSome(turn);
  if (run.looked !== undefined) beginAll(turn);
  else if (!isAny) {
    if (journal.inFrame('').length > 0) endMain(turn);
    else beginFirst(turn);
  }
  settle(turn);
}

/** Opens what failed or was cut off on the top level: as much as one transition may, and the rest in the next. Answers whether there was any. */
function reopenSome(turn: Turn): boolean {
  const { run, journal, beginsMax } = turn;
  const some = journal.unfinishedAfter('', run.reopened ?? '', beginsMax);
  run.reopened = some.length < beginsMax ? undefined : some.at(-1)?.path;
  if (run.reopened !== undefined) putOff(turn, '');
  for (const node of some.sort((one, other) => one.begun - other.begun)) reopen(turn, node);
  return some.length > 0;
}

/** Goes on with a retry, where that is not done. */
export function goOnRetrying(turn: Turn): void {
  if (turn.run.reopened !== undefined) reopenSome(turn);
}

function beginFirst(turn: Turn): void {
  const { workflow } = turn;
  if (workflow.form === 'list') beginAt(turn, workflow.start);
  else beginAll(turn);
}

function reopen(turn: Turn, node: Node): void {
  const action = actionOf(turn, node);
  node.stopping = false;
  turn.journal.touch(node);
  if (node.state.held) {
    delete node.state.held;
    goOnAfter(turn, node);
    return;
  }
  node.ended = 0;
  node.endedAt = 0;
  node.undo = 'none';
  node.state.forgiven = node.tried.length;
  delete node.state.failing;
  const hasMore = action.type === 'parallel' && hasMoreBranches(node, action.branches);
  if (hasMore || turn.journal.unfinishedAfter(node.path, '', 1).length > 0) {
    reopenContainer(turn, node);
    return;
  }
  if (action.type === 'loop' && node.state.count !== undefined) {
    setPhase(turn, node, 'children', 'running');
    node.state.running = 0;
    fillLoop(turn, node, action);
    return;
  }
  turn.journal.archive(node.path);
  const { told, forgiven, maybe } = node.state;
  node.state = {
    forgiven,
    ...(told === undefined ? {} : { told }),
    ...(maybe === undefined ? {} : { maybe }),
  };
  setPhase(turn, node, 'ready', 'running');
  turn.spent.begun += 1;
  turn.agenda.push({ do: 'start', path: node.path });
}

function reopenContainer(turn: Turn, node: Node): void {
  const action = actionOf(turn, node);
  setPhase(turn, node, 'children', 'running');
  if ((action.type === 'loop' || action.type === 'parallel') && action.timeoutMs !== undefined) {
    turn.journal.due(turn.now + action.timeoutMs, node.path, 'timeout');
  }
  // Those that are opened later run already: else the loop would begin others for them.
  if (action.type === 'loop') node.state.running = turn.journal.unfinished(node.path).length;
  node.state.reopened = '';
  reopenBelow(turn, node);
}

/** Opens what is below a container that was opened: as much as one transition may, and the rest in the next. */
export function reopenBelow(turn: Turn, node: Node): void {
  const { state, path } = node;
  const { journal, beginsMax } = turn;
  while (state.reopened !== undefined && !isClosing(node)) {
    if (!mayBegin(turn)) {
      putOff(turn, path);
      return;
    }
    const some = journal.unfinishedAfter(path, state.reopened, beginsMax);
    const last = some.length < beginsMax ? undefined : some.at(-1);
    if (last) state.reopened = last.path;
    else delete state.reopened;
    journal.touch(node);
    for (const each of some.sort((one, other) => one.begun - other.begun)) reopen(turn, each);
    if (!last) goOnBelow(turn, node);
  }
}

/** All that was begun below a container is open again: what has not begun may. */
function goOnBelow(turn: Turn, node: Node): void {
  const action = actionOf(turn, node);
  if (action.type === 'parallel') beginBranches(turn, node, action);
  if (action.type === 'loop') fillLoop(turn, node, action);
}

function goOnAfter(turn: Turn, node: Node): void {
  const action = actionOf(turn, node);
  try {
    node.state.follows ??= followsOf(turn, node, action);
    turn.agenda.push({ do: 'ended', path: node.path });
  } catch (thrown) {
    const failure = failureOf(thrown, node.action);
    turn.agenda.push({ do: 'failed', path: node.path, failure, route: action.handler.route });
  }
}

/** The run begins with an action of the top level; what comes before it was put into its journal. */
export function beginFork(turn: Turn, from: string): void {
  const { run, journal, now, workflow } = turn;
  run.status = 'running';
  run.startedAt = now;
  run.deadline = now + workflow.settings.timeoutMs;
  journal.due(run.deadline, '', 'deadline');
  journal.effect({ do: 'tell', event: 'run.started', path: '', data: {} });
  if (workflow.form === 'list') beginAt(turn, from);
  else beginAll(turn);
  settle(turn);
}
