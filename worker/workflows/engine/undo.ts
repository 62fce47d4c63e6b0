/** Compensation: what succeeded is undone, what ended last first. Spec: workflows.md §4. */
import { parseJson } from '../../../proto/json.ts';
import { giveUp, settleKey, waitForRetry } from './ending.ts';
import type { Failure, Node, NodeState } from './journal.ts';
import { segmentsOf } from './paths.ts';
import { actionOf, begin, nodeAt, setPhase, type Turn } from './turn.ts';

/** Undoes the next action: below a container whose failed attempt is undone, else of the whole run. */
function undoNext(turn: Turn, container: Node | undefined): void {
  const node = turn.journal.lastToUndo(container?.path);
  if (!node) {
    if (container) beginAnew(turn, container);
    else turn.run.finishing = turn.run.stop?.as ?? 'succeeded';
    return;
  }
  node.undo = 'doing';
  turn.journal.touch(node);
  if (container) {
    container.state.undoing = node.path;
    turn.journal.touch(container);
  }
  const { compensation } = actionOf(turn, node);
  const { path, state } = node;
  if (compensation) {
    begin(turn, compensation, { frame: `${path}.`, owner: path, role: 'compensation' });
  } else if (state.child !== undefined) {
    turn.journal.effect({ do: 'undo-child', path, child: state.child });
  }
}

/** One action was undone, or could not be: it does not stop the others. */
export function undone(turn: Turn, node: Node, result: 'done' | 'failed' | 'nothing'): void {
  const { run, journal } = turn;
  node.undo = result === 'failed' ? 'failed' : 'done';
  if (result === 'done') {
    node.status = 'compensated';
    run.undone += 1;
  }
  if (result === 'failed') run.notUndone += 1;
  else settleKey(turn, node, 'free');
  journal.touch(node);
  const container = undoingAbove(turn, node.path);
  if (container) {
    delete container.state.undoing;
    if (result === 'failed') container.state.isKept = true;
    journal.touch(container);
    turn.closable.add(container.path);
    if (container.stopping) return;
  }
  undoNext(turn, container);
}

/** The container whose failed attempt is being undone; undefined where the whole run is. */
function undoingAbove({ journal }: Turn, path: string): Node | undefined {
  for (const { upTo } of segmentsOf(path).reverse()) {
    const above = journal.node(upTo);
    if (above?.phase === 'undo') return above;
  }
  return undefined;
}

/** What the attempt did is undone: the next one follows. Where something could not be undone, it is not repeated. */
function beginAnew(turn: Turn, container: Node): void {
  const { journal } = turn;
  const { delay = 0, isKept } = container.state;
  if (isKept) {
    giveUp(turn, container, actionOf(turn, container), lastFailureOf(turn, container));
    return;
  }
  journal.archive(container.path);
  container.state = withoutCounts(container.state);
  waitForRetry(turn, container, delay);
}

function lastFailureOf({ journal }: Turn, { error, action }: Node): Failure {
  if (error === undefined) return { code: 'INTERNAL', message: '', action };
  return parseJson(journal.text(error)) as unknown as Failure; // As it was kept.
}

/** What outlasts an attempt of a container. */
function withoutCounts({ told, key, forgiven, maybe }: NodeState): NodeState {
  return {
    ...(told === undefined ? {} : { told }),
    ...(key === undefined ? {} : { key }),
    ...(forgiven === undefined ? {} : { forgiven }),
    ...(maybe === undefined ? {} : { maybe }),
  };
}

/** Begins to undo all that the run did. */
export function startUndoing(turn: Turn, why: 'own' | 'asked'): void {
  turn.run.undoing = why;
  if (why === 'own') turn.run.status = 'compensating';
  undoNext(turn, undefined);
}

/** The failed attempt of a container is undone before the next one. */
export function undoAttempt(turn: Turn, path: string): void {
  const container = nodeAt(turn, path);
  if (container.phase !== 'undo') return;
  setPhase(turn, container, 'undo', 'retrying');
  undoNext(turn, container);
}
