/** The end of a transition: does all that follows from it, and sets the status of the run. Spec: workflows.md §4. */
import { advance, failedUp } from './advance.ts';
import { endFailed, fail, isWithin, noteFailure } from './ending.ts';
import type { Node } from './journal.ts';
import { start } from './start.ts';
import { closeContainers, stopFirst } from './stop.ts';
import { type FailedItem, type Item, nodeAt, putOff, type Turn } from './turn.ts';
import { startUndoing, undoAttempt } from './undo.ts';

/** Actions that begin in one transition; further ones wait for the next, so that others get their turn. */
const STARTS_MAX = 200;
/** Steps after which it begins no further ones: about 5 ms. Each action may take its own beyond. */
const STEPS_MAX = 1_200_000;
/** Steps that beginning and ending an action comes to, without what it computes. Found by measuring runs of 1,000 trivial actions. */
const STEPS_OF_A_START = 16_000;

/** Does all that follows now, and notes the state of the run then. */
export function settle(turn: Turn): void {
  const begun: Begun = { starts: 0, putOff: false };
  do doAgenda(turn, begun);
  while (closeContainers(turn) || closeRun(turn));
  const { run, spent } = turn;
  if (run.status !== 'running' && run.status !== 'waiting') return;
  run.status = run.inFlight > 0 || spent.putOff ? 'running' : 'waiting';
}

/** The node that something comes to: what is to stop, and was not reached yet, has stopped then. */
export function comesTo(turn: Turn, path: string): Node | undefined {
  const node = turn.journal.node(path);
  if (node && node.phase !== 'ended' && stopFirst(turn, node)) settle(turn);
  return node;
}

/** Actions that a transition began, and whether others were left to the next. */
interface Begun {
  starts: number;
  putOff: boolean;
}

function doAgenda(turn: Turn, begun: Begun): void {
  for (let item = turn.agenda.shift(); item; item = turn.agenda.shift()) {
    if (item.do !== 'start') {
      follow(turn, item);
      continue;
    }
    // The first always begins: else it would be put off for ever.
    begun.putOff ||= begun.starts >= STARTS_MAX || (begun.starts > 0 && isLong(turn));
    if (begun.putOff) {
      putOff(turn, item.path);
      continue;
    }
    begun.starts += 1;
    turn.spent.steps += STEPS_OF_A_START;
    const node = nodeAt(turn, item.path);
    stopFirst(turn, node);
    start(turn, node);
  }
}

function isLong({ spent }: Turn): boolean {
  return spent.steps > STEPS_MAX;
}

function follow(turn: Turn, item: Item): void {
  const node = nodeAt(turn, item.path);
  stopFirst(turn, node);
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
  if (journal.isActiveBelow('', (path) => !isWithin(turn.workflow, path, 'escalation')))
    return false;
  startUndoing(turn, 'own');
  return true;
}

/** The run ends once nothing runs alongside it. */
function finish(turn: Turn, status: NonNullable<Turn['run']['finishing']>): boolean {
  const { run, journal } = turn;
  if (run.undoing === 'asked') return endAskedUndo(turn);
  if (run.endedAt !== 0 || journal.isActiveBelow('', () => true)) return false;
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
