/** What the engine keeps of a run, and through what: rows of nodes, values by reference, due times, effects to do. Spec: workflows.md §7. */
import type { Json } from '../../../proto/json.ts';
import type { Effect } from './effect.ts';
import type { Wanted } from './ready-values.ts';
import type { TextPart } from './text-parts.ts';

/** Names a value that the journal keeps; values never change. */
export type Ref = number;

/** The state of a run. Spec: workflows.md §4. */
export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'compensating'
  | 'succeeded'
  | 'failed'
  | 'cancelled';

/** The state of an action. Spec: workflows.md §4. */
export type NodeStatus =
  | 'running'
  | 'waiting'
  | 'retrying'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'compensated';

/** Why an action or a run failed. */
export interface Failure {
  /** Of the error table, or one of those that workflows.md §4 adds. */
  readonly code: string;
  readonly message: string;
  /** Id of the action that failed; empty where it was none. */
  readonly action: string;
  readonly details?: Json;
  /** Whether the attempt may have had an effect; `none` where the backend knows that neither it nor one before it had. */
  readonly effect?: 'possible' | 'none';
  /** Whether the backend's own words say that another attempt may do better. */
  readonly transient?: true;
  /** Milliseconds that the backend asks to wait before the next attempt. */
  readonly retryAfterMs?: number;
}

/** An attempt that failed. Times are Unix epoch milliseconds. */
interface Tried {
  readonly started: number;
  readonly ended: number;
  readonly code: string;
  readonly message: string;
}

/** What a node is for: an action of a list, or one that stands for or beside another. */
export type Role = 'step' | 'option' | 'fallback' | 'compensation' | 'escalation';

/**
 * What a node does at the moment: `ready` has not begun, `attempt` has a call in flight, `key` waits
 * for its idempotency key, `children` runs others, `wait` waits for something from outside,
 * `backoff` for its next attempt, `fallback` for the action that stands for it, `undo` for the
 * compensation of what its failed attempt did.
 */
export type Phase =
  | 'ready'
  | 'attempt'
  | 'key'
  | 'children'
  | 'wait'
  | 'backoff'
  | 'fallback'
  | 'undo'
  | 'ended';

/** What is particular to the node's type; plain JSON. */
export interface NodeState {
  /** Of a loop: elements in all, the next that begins, under way, ended. */
  count?: number;
  next?: number;
  running?: number;
  done?: number;
  /** Of a parallel, besides the branch that begins next: branches that have not ended, and the last outputs of those that have. */
  left?: number;
  outputs?: (Ref | null)[];
  /** Why it stops, and where the run goes on then. */
  failing?: { readonly failure: Failure; readonly route?: string };
  /** What a wait waits for. */
  wait?: 'event' | 'time' | 'callback' | 'task' | 'child';
  /** Id of its task, if that is of a later attempt than the first: `taskOf` tells it of any. */
  task?: string;
  /** Of a task: whether its time has run out once. */
  escalated?: boolean;
  /** Whether the handler's escalation was told. */
  told?: boolean;
  /** Of a subworkflow: the child's run. */
  child?: string;
  /** Its time is over, and it ends with the child. */
  timedOut?: boolean;
  /** The digest of its idempotency key. */
  key?: string;
  /** What tells this claim of the key from others in the run: what is undone frees the key, and its mark stays. */
  claim?: number;
  /** Milliseconds until its next attempt, once what the last one did is undone. */
  delay?: number;
  /** Path of what is being undone of its failed attempt. */
  undoing?: string;
  /** Not all that its failed attempt did could be undone: it is not made again. */
  isKept?: boolean;
  /** Failed attempts that no longer count: those before a retry of the run. */
  forgiven?: number;
  /** Whether it is unknown if an attempt had its effect. */
  maybe?: boolean;
  /** Its failure was dealt with: by a fallback, a route, a timeout's action or `continueOnError`. */
  handled?: boolean;
  /** Of a condition: what it decided, whatever its `output` makes of that. */
  holds?: boolean;
  /** Action of the same list that follows, decided when it ended; null is the list's end. */
  follows?: string | null;
  /** It ended while it was stopped, or more follows it than began at once: what follows has not begun, or not all. */
  held?: boolean;
  /** Of a container that a retry opens in several transitions: the last path below it that was looked at. */
  reopened?: string;
  /** Of a loop whose elements have ended: what was joined of its output. */
  joined?: Joined;
  /** Of an action of a graph: the first of those that come after it which is still to be looked at. */
  followed?: number;
}

/** What was joined of a value, where that takes several transitions. */
export interface Joined {
  /** Values that follow each other. */
  readonly parts: readonly Ref[];
  /** Characters of all together, about. */
  readonly length: number;
}

/** One action of a run: in a loop, one of each element. Members without `readonly` change; code that changes one calls `touch`. */
export interface Node {
  /** Such as `each[3].store`; of what stands for or beside an action, below it: `store.undo`. */
  readonly path: string;
  /** The action's id. */
  readonly action: string;
  /** What its path begins with, by which those of the same list are found: `` or `each[3].`. */
  readonly frame: string;
  /** Path of the node that it is part of; empty on the main line. */
  readonly owner: string;
  readonly role: Role;
  status: NodeStatus;
  phase: Phase;
  /** Place in the order of starts. */
  readonly begun: number;
  readonly startedAt: number;
  /** Place in the order of ends; 0 before. */
  ended: number;
  endedAt: number;
  /** Attempts begun. */
  attempts: number;
  attemptAt: number;
  tried: readonly Tried[];
  input: Ref | undefined;
  output: Ref | undefined;
  error: Ref | undefined;
  /** `todo` is to be compensated if the run fails, `doing` is being. */
  undo: 'none' | 'todo' | 'doing' | 'done' | 'failed';
  /** It begins nothing more: what it is part of has failed or was cancelled. */
  stopping: boolean;
  /** Who completed a task. */
  by: string | undefined;
  state: NodeState;
}

/** How far a run is. */
export interface Run {
  readonly id: string;
  readonly depth: number;
  status: RunStatus;
  /** Why everything stops, and what the run is then. */
  stop: { readonly as: 'failed' | 'cancelled'; readonly failure: Failure } | undefined;
  /** Compensation of what succeeded: after a failure, or because the parent undoes it. */
  undoing: 'no' | 'own' | 'asked';
  undone: number;
  notUndone: number;
  startedAt: number;
  endedAt: number;
  /** Unix epoch milliseconds at which it fails with `TIMED_OUT`; set when it begins. */
  deadline: number;
  /** Members of `$.trigger`. */
  readonly trigger: Json;
  readonly version: string;
  readonly key: string | undefined;
  input: Ref;
  output: Ref | undefined;
  error: Ref | undefined;
  /** What follows an error route reads it as `$.error`. */
  routed: Ref | undefined;
  /** The log's place at which the run began: only later events are for it. */
  readonly eventsAfter: number;
  /** Calls in flight. */
  inFlight: number;
  /** Counts starts and ends of nodes. */
  order: number;
  /** Something has had to stop. */
  closing: boolean;
  /** Queued once more: when it is its turn it goes on where it failed or was cut off. */
  resumes?: true | undefined;
  /** Of a retry that opens its actions in several transitions: the path up to which it has. */
  reopened?: string | undefined;
  /** What stops in several transitions: by the path below which it does, the path up to which it has. */
  stops?: { [below: string]: string } | undefined;
  /** How it ends, once what runs alongside it has ended. */
  finishing: 'succeeded' | 'failed' | 'cancelled' | undefined;
  /** The last output on the main line. */
  last: Ref | undefined;
  /** Of a graph whose actions have ended: what was joined of its output, and of how many. */
  joined?: (Joined & { readonly next: number }) | undefined;
  /** Of a graph that is still beginning: the first of its actions which is still to be looked at. */
  looked?: number | undefined;
}

/** What is due, of which node; of the run itself with an empty path. */
export type DueKind = 'go' | 'retry' | 'timeout' | 'wake' | 'deadline';

/** An element of a loop that has ended: its output, or its error with `continueOnError`. */
export interface ElementEnd {
  readonly output?: Ref;
  readonly error?: Ref;
}

/** The same as it is read. */
export interface ElementResult extends ElementEnd {
  readonly index: number;
  readonly size: number;
}

/** What is kept of one run, within one transaction. Everything is synchronous. */
export interface Journal {
  node(path: string): Node | undefined;
  /** Reads nodes that are going to be asked for, where that is less work together. */
  readAhead(paths: readonly string[]): void;
  /** Adds a node that begins. */
  add(node: Node): void;
  /** Says that a node was changed: it is written with the transaction. */
  touch(node: Node): void;
  /** Of the nodes below one, or of all with an empty path, the next that have not ended, in the order of their paths. */
  activeAfter(below: string, after: string, most: number): Node[];
  /** Whether one of them has not ended whose path fits. */
  isActiveBelow(below: string, fits: (path: string) => boolean): boolean;
  /** Nodes of one list, in the order of their starts. */
  inFrame(frame: string): Node[];
  /** Ids of the actions of the top level that have ended well, or after which the run goes on; one that only grows is the same set. */
  ended(): ReadonlySet<string>;
  /** Of the direct children of a node, those that ended without success, or while they were stopped. */
  unfinished(owner: string): Node[];
  /** The next of them, in the order of their paths; of the top level with an empty owner. */
  unfinishedAfter(owner: string, after: string, most: number): Node[];
  /** Of the nodes that are still to be compensated, the one that ended last: below a path, or in the whole run. */
  lastToUndo(below?: string): Node | undefined;
  /** Puts aside what an earlier attempt of a container ran: only the record shows it from then on. */
  archive(below: string): void;
  /** Whether an earlier attempt of what a node is part of has escalated there. */
  hasEscalated(path: string): boolean;
  /** JSON text of a value. */
  text(ref: Ref): string;
  /** A large value, parsed beforehand; undefined where it is parsed when it is read. @throws NotReady */
  ready(wanted: Wanted): Json | undefined;
  keep(text: string): Ref;
  /** Bytes of a large value, about; 0 of one that costs little to read. */
  sizeOf(ref: Ref): number;
  /** Keeps the text that parts make together; values among them are not copied. */
  join(parts: readonly TextPart[]): Ref;
  due(at: number, path: string, kind: DueKind): void;
  /** Takes back what was due of a node. */
  undue(path: string, kind?: DueKind): void;
  /** To be done after the transaction, and again until it was. */
  effect(effect: Effect): void;
  /** The call of the node's attempt leaves after the transaction; it is not made again after a crash. */
  call(node: Node): void;
  /** Elements of a collection: some of them, from the index `first`. */
  putElements(path: string, first: number, text: string): void;
  /** The value of one element. */
  element(path: string, index: number): Json;
  putResult(path: string, index: number, end: ElementEnd): void;
  /** Of the elements that have ended, and were not dropped, the first ones by index; `size` is that of a large output, else 0. */
  results(path: string, most: number): Iterable<ElementResult>;
  /** Removes what elements before an index came to. */
  dropResults(path: string, before: number): void;
  hasTaken(event: number): boolean;
  take(event: number): void;
  /** The body of a callback that came before its wait. */
  takeCallback(path: string): Ref | undefined;
  /** Keeps the body of a callback whose wait has not begun. */
  keepCallback(path: string, body: Ref): void;
  /** Where a callback goes: unguessable, and the same for the same path. */
  callbackUrl(path: string): string;
  /** Id of a child's run, or of a task: the same for the same path and numbers. */
  idOf(what: 'child' | 'task', path: string, ...numbers: readonly number[]): string;
  /** Names an action's idempotency key by its value, as JSON text. */
  keyName(action: string, value: string): string;
  /** From 0 to 1. */
  random(): number;
}
