/** One transition of a run: what its parts share, and the changes that more than one of them makes. */
import type { Json } from '../../../proto/json.ts';
import { writtenText } from '../../../proto/written-json.ts';
import type { RunBounds } from '../../language/expressions/index.ts';
import type { Action, Workflow } from '../definition/tree.ts';
import { ActionFault } from './failure.ts';
import type { Failure, Journal, Node, NodeStatus, Phase, Ref, Role, Run } from './journal.ts';
import { above } from './paths.ts';

/** Bytes of a value between actions. Spec: workflows.md §7. */
export const VALUE_MAX = 32 * 1024 * 1024;
/** What is said of a larger one. */
export const VALUE_TOO_LARGE = 'The value is larger than 32 MiB, the most between actions';

/** A run within one transaction. */
export interface Turn {
  readonly workflow: Workflow;
  readonly journal: Journal;
  readonly run: Run;
  /** Unix epoch milliseconds. */
  readonly now: number;
  /** What one action's expressions may take together. */
  readonly bounds: RunBounds;
  /** What is still to be done in it. */
  readonly agenda: Item[];
  /** What it has computed so far. */
  readonly spent: Spent;
  /** Nodes after which it begins, or stops, no further ones that can wait for the next. */
  readonly beginsMax: number;
  /** Paths of what may have to close: it begins to stop, or something below it has ended. */
  readonly closable: Set<string>;
}

/** What a transition has taken so far. */
interface Spent {
  /** Steps of expressions, and what reading and writing values comes to in steps. */
  steps: number;
  /** Nodes that it has made. */
  begun: number;
  /** Whether something was left to the next transition. */
  putOff: boolean;
}

/** Nodes that a transition of a run begins or stops at most where others can wait: some 5 ms. */
export const BEGINS_MAX = 100;

/** A transition that has done nothing yet. */
export function newTurn(
  of: Pick<Turn, 'workflow' | 'journal' | 'run' | 'now' | 'bounds'>,
  beginsMax = BEGINS_MAX,
): Turn {
  return {
    ...of,
    beginsMax,
    agenda: [],
    closable: new Set(),
    spent: { steps: 0, begun: 0, putOff: false },
  };
}

/** Whether the transition may begin one more of many nodes. */
export function mayBegin({ spent, beginsMax }: Turn): boolean {
  return spent.begun < beginsMax;
}

/** Leaves what a node has still to begin, or the run with an empty path, to the next transition. */
export function putOff(turn: Turn, path: string): void {
  turn.spent.putOff = true;
  turn.journal.due(turn.now, path, 'go');
}

/** Steps that a value counts for which is read or written, and a character of it: many short ones take longer than a long one. */
const [STEPS_OF_A_VALUE, STEPS_OF_A_CHARACTER] = [4_000, 4];

/** Counts a value that is read or written as a whole. */
export function spendOn({ spent }: Turn, text: string): string {
  spent.steps += STEPS_OF_A_VALUE + STEPS_OF_A_CHARACTER * text.length;
  return text;
}

/**
 * What follows from what was done: a node begins, has ended, has failed for good; what its failed
 * attempt did is undone; all below it has stopped.
 */
export type Item = { readonly do: 'start' | 'ended' | 'undo'; readonly path: string } | FailedItem;

/** A failure that goes on to what is above. */
export interface FailedItem {
  readonly do: 'failed' | 'closed';
  readonly path: string;
  readonly failure: Failure;
  /** Where the run goes on. */
  readonly route?: string | undefined;
}

/** Where a node is when it is made. */
interface Position {
  readonly frame: string;
  readonly owner: string;
  readonly role: Role;
}

/** On the main line. */
export const MAIN = { frame: '', owner: '', role: 'step' } as const;

/** Makes a node of an action, which begins before the transition ends. */
export function begin(turn: Turn, { id }: Action, { frame, owner, role }: Position): Node {
  const { run, now } = turn;
  run.order += 1;
  const node: Node = {
    path: frame + id,
    action: id,
    frame,
    owner,
    role,
    status: 'running',
    phase: 'ready',
    begun: run.order,
    startedAt: now,
    ended: 0,
    endedAt: 0,
    attempts: 0,
    attemptAt: now,
    tried: [],
    input: undefined,
    output: undefined,
    error: undefined,
    undo: 'none',
    stopping: false,
    by: undefined,
    state: {},
  };
  turn.spent.begun += 1;
  turn.journal.add(node);
  turn.agenda.push({ do: 'start', path: node.path });
  return node;
}

/** The action of a node. */
export function actionOf({ workflow }: Turn, { action, path }: Node): Action {
  const found = workflow.byId.get(action);
  if (!found) throw new Error(`The workflow has no action ${path}`);
  return found;
}

/** A node that must be there. */
export function nodeAt({ journal }: Turn, path: string): Node {
  const found = journal.node(path);
  if (!found) throw new Error(`The run has no node ${path}`);
  return found;
}

/** Moves a node to another phase; calls in flight are counted. */
export function setPhase(turn: Turn, node: Node, phase: Phase, status: NodeStatus): void {
  if (node.phase === 'attempt') turn.run.inFlight -= 1;
  if (phase === 'attempt') turn.run.inFlight += 1;
  node.phase = phase;
  node.status = status;
  turn.journal.touch(node);
  if (phase !== 'ended' || !turn.run.closing) return;
  for (const path of above(node.path)) turn.closable.add(path);
}

/** Ends a node. What it does afterwards, such as its fallback, is a phase of its own. */
export function end(turn: Turn, node: Node, status: NodeStatus): void {
  setPhase(turn, node, 'ended', status);
  turn.run.order += 1;
  node.ended = turn.run.order;
  node.endedAt = turn.now;
  turn.journal.undue(node.path);
}

/**
 * Keeps a value; undefined is none.
 * @throws ActionFault RESULT_TOO_LARGE
 */
export function keepJson(turn: Turn, value: Json | undefined): Ref | undefined {
  if (value === undefined) return undefined;
  return turn.journal.keep(bounded(spendOn(turn, writtenText(value))));
}

/** @throws ActionFault RESULT_TOO_LARGE */
export function bounded(text: string): string {
  if (text.length <= VALUE_MAX) return text;
  throw new ActionFault('RESULT_TOO_LARGE', VALUE_TOO_LARGE);
}

/** Keeps why something failed, as the record shows it. */
export function keepFailure({ journal }: Turn, failure: Failure): Ref {
  const { code, message, action, details } = failure;
  return journal.keep(
    JSON.stringify({ code, message, action, ...(details === undefined ? {} : { details }) }),
  );
}
