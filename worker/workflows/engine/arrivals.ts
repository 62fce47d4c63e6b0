/** What comes to a run from outside: events, people, callbacks, runs that it began. Spec: workflows.md §3. */
import type { Plain } from '../../language/expressions/index.ts';
import { fail, isTruthy, noteFailure, succeed, viewpoint } from './ending.ts';
import { failureOf } from './failure.ts';
import type { Failure, Ref } from './journal.ts';
import { readText } from './ready-values.ts';
import { Scope } from './scope.ts';
import { comesTo, settle } from './settle.ts';
import { cut, endWait, taskOf, tellTask } from './stop.ts';
import { actionOf, type Turn } from './turn.ts';
import { undone } from './undo.ts';

/** An event of the log, as it is offered to a wait. */
interface Offered {
  readonly seq: number;
  readonly text: string;
}

/** Offers an event to a wait; answers whether it has ended with it. */
export function eventArrived(turn: Turn, path: string, event: Offered): boolean {
  const { journal } = turn;
  const node = comesTo(turn, path);
  if (node?.phase !== 'wait' || node.state.wait !== 'event') return true;
  const action = actionOf(turn, node);
  if (action.type !== 'wait' || action.wait.mode !== 'event') return true;
  if (journal.hasTaken(event.seq)) return false;
  const { filter } = action.wait;
  try {
    const named = [readText(turn, event.text) as Plain];
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

/** How a person ended a task, and its id; the form's values are JSON text. */
type TaskEnd = { readonly by: string; readonly task: string } & (
  | { readonly form: string }
  | { readonly rejected: string }
);

/** Ends a task; answers whether it was open: that of an earlier attempt is not. */
export function taskEnded(turn: Turn, path: string, ended: TaskEnd): boolean {
  const node = comesTo(turn, path);
  if (node?.phase !== 'wait' || node.state.wait !== 'task') return false;
  if (taskOf(turn, node) !== ended.task) return false;
  node.by = ended.by;
  endWait(turn, node, 'done');
  const status = 'form' in ended ? 'done' : 'rejected';
  tellTask(turn, node, 'task.completed', { status, by: ended.by });
  if ('form' in ended) succeed(turn, node, turn.journal.keep(ended.form));
  else {
    const { action } = node;
    fail(turn, node, { code: 'TASK_REJECTED', message: ended.rejected, action });
  }
  settle(turn);
  return true;
}

/** A callback came; answers whether its wait is open, or is still to begin and was not called back. */
export function calledBack(turn: Turn, path: string, text: string): boolean {
  const { journal } = turn;
  const node = comesTo(turn, path);
  if (node?.phase === 'wait' && node.state.wait === 'callback') {
    succeed(turn, node, journal.keep(text));
    settle(turn);
    return true;
  }
  if (node || journal.takeCallback(path) !== undefined) return false;
  journal.keepCallback(path, journal.keep(text));
  return true;
}

/** How a child's run ended, or that it never began. */
type ChildEnd =
  | { readonly is: 'started' }
  | { readonly is: 'succeeded'; readonly output: Ref | undefined }
  | { readonly is: 'failed'; readonly failure: Failure };

/** A subworkflow's run has begun, ended, or was refused. */
export function childEnded(turn: Turn, path: string, child: string, ended: ChildEnd): void {
  const { journal } = turn;
  const node = comesTo(turn, path);
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
    cut(turn, node);
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
