/** The face of the objects that run workflows, for who calls them: their class knows the whole worker. Spec: workflows.md §6, §7. */
import type { Json } from '../../../proto/json.ts';
import type { Caller } from '../../context.ts';
import type { Effect, NodeStatus, RunStatus } from '../engine/journal.ts';

/** Whose object it is, and what seals what is kept there. */
export interface Owner {
  readonly orgUuid: string;
  readonly orgId: string;
  /** Column `sealed_data_key` of the organization. */
  readonly sealedDataKey: string;
}

/** A workflow in one of its versions. */
export interface WorkflowVersion {
  readonly uuid: string;
  readonly id: string;
  readonly version: string;
}

/** What a run is of, and whose: it never changes. */
export interface Head extends Owner {
  readonly workflow: WorkflowVersion;
  /** Whose rights its actions have. */
  readonly caller: Caller;
  /** A username. */
  readonly startedBy: string;
  readonly trigger: { readonly type: string; readonly index?: number; readonly id: string };
  readonly parent?: { readonly run: string; readonly path: string };
  readonly forkedFrom?: string;
  /** Runs within each other, the first counted. */
  readonly depth: number;
  /** Milliseconds that it is kept after its end. */
  readonly retentionMs: number;
  /** Versions that what it names had when it began, by their names in the definition. */
  readonly pins: Pins;
  /** At most `max` runs are inside of a gate. */
  readonly gate?: { readonly name: string; readonly max: number };
  /** Of the request that started it. */
  readonly requestId: string;
  readonly address: string;
  /** Of a start with an `Idempotency-Key`: the digest of its body. */
  readonly body?: string;
}

export interface Pins {
  readonly templates: { readonly [name: string]: string };
  readonly workflows: { readonly [name: string]: WorkflowVersion };
}

/** A run that is to begin. */
export interface Order extends Omit<Head, 'gate' | 'retentionMs'> {
  readonly id: string;
  /** JSON text. */
  readonly input: string;
  /** Milliseconds; used where the workflow says nothing. */
  readonly retentionMs: number;
  /** A fork: where it begins, and what is there already. */
  readonly fork?: { readonly from: string; readonly kept: Kept };
}

/** What a fork keeps of the run that it is made of. */
export interface Kept {
  /** Rows of nodes, as they are stored, with values in place of their refs. */
  readonly nodes: readonly string[];
}

/** A fault of an input or a start. */
export interface StartFault {
  readonly path: string;
  readonly message: string;
}

/** How a run stands, in short. */
export interface Standing {
  readonly run: string;
  readonly status: RunStatus;
}

/** What starting a run answers. */
export type Started =
  | (Standing & { readonly is: 'started'; readonly isAwaited: boolean })
  /** It was started before, by the request of that id. */
  | (Standing & { readonly is: 'known'; readonly requestId: string; readonly sameBody: boolean })
  | { readonly is: 'invalid'; readonly faults: readonly StartFault[] }
  | { readonly is: 'no-room' }
  | { readonly is: 'no-version' };

/** What is done outside for a run: what its engine asks for, and what surrounds the run. */
export type RunEffect =
  | Effect
  | { readonly do: 'enter'; readonly gate: string; readonly max: number };

/** Times are Unix epoch milliseconds; texts are JSON. */
export interface RunRecord {
  readonly id: string;
  readonly head: Head;
  readonly status: RunStatus;
  readonly key?: string;
  readonly compensation?: 'none' | 'complete' | 'partial';
  readonly started: number;
  readonly ended?: number;
  readonly input: Told;
  readonly output?: Told;
  readonly error?: Told;
  /** UUIDs of the endpoints that it reached. */
  readonly reached: readonly string[];
  /** Counts changes. */
  readonly seq: number;
}

/** A value: its JSON text, or where it is larger than 64 KiB its bytes. */
export type Told =
  | { readonly ref: number; readonly text: string }
  | { readonly ref: number; readonly bytes: number };

/** One action of a record. */
export interface ActionRecord {
  readonly id: string;
  readonly path: string;
  readonly type: string;
  readonly status: NodeStatus;
  readonly attempts: readonly {
    readonly started: number;
    readonly ended?: number;
    readonly error?: { readonly code: string; readonly message: string };
  }[];
  readonly input?: Told;
  readonly output?: Told;
  readonly error?: Told;
  readonly started: number;
  readonly ended?: number;
  readonly by?: string;
  readonly compensates?: string;
  /** Its place in the order of starts, and that of its last change. */
  readonly begun: number;
  readonly seq: number;
}

/** Which actions are asked for. */
export interface ActionQuery {
  readonly path?: string | undefined;
  readonly status?: string | undefined;
  /** Place in the order of starts after which they begin. */
  readonly after: number;
  readonly limit: number;
}

/** What `end` tells a parent. */
export type ChildOutcome =
  | { readonly is: 'started' }
  | { readonly is: 'succeeded'; readonly text?: string }
  | { readonly is: 'failed'; readonly code: string; readonly message: string };

/** How a key of an action stands. */
export type KeyStanding =
  | { readonly is: 'own' | 'elsewhere' | 'unknown' }
  | { readonly is: 'done'; readonly text?: string };

/** What a person does to a task. */
export type TaskAnswer = { readonly by: string } & (
  | { readonly form: Json }
  | { readonly rejected: string }
);

/** Sixteen per organization, by the names that names.ts gives. */
export interface WorkflowRunsObject extends Rpc.DurableObjectBranded {
  /**
   * Begins a run, once for its id.
   * @param isAwaited whether its end is waited for; undefined is as the workflow's trigger says
   */
  start(owner: Owner, order: string, isAwaited: boolean | undefined): Promise<Started>;
  /** Undefined where there is no such run, or no more. As JSON: of `{record, actions}`. */
  record(run: string, query: ActionQuery): Promise<string | undefined>;
  /** JSON text of a value of a run. */
  value(run: string, ref: number): Promise<string | undefined>;
  /** What changed after a place, as JSON; waits for a change so long. */
  changes(run: string, after: number, waitMs: number): Promise<string | undefined>;
  cancel(run: string): Promise<Standing | 'ended' | undefined>;
  retry(run: string): Promise<Standing | 'running' | 'succeeded' | 'compensated' | undefined>;
  /** What a fork keeps that begins at an action; as JSON. */
  kept(run: string, from: string): Promise<string | undefined>;
  completeTask(run: string, path: string, answer: TaskAnswer): Promise<boolean>;
  callBack(token: string, run: string, path: string, text: string): Promise<boolean>;
  /** Offers events to a wait. Answers the place after which it looks on; undefined when it is over. */
  offer(
    run: string,
    path: string,
    events: readonly { seq: number; text: string }[],
  ): Promise<number | undefined>;
  childEnded(run: string, path: string, child: string, outcome: ChildOutcome): Promise<void>;
  childUndone(run: string, path: string, result: 'none' | 'complete' | 'partial'): Promise<void>;
  undo(run: string): Promise<void>;
  claim(owner: Owner, name: string, run: string, path: string): Promise<KeyStanding>;
  settle(
    owner: Owner,
    name: string,
    run: string,
    path: string,
    as: 'done' | 'unknown' | 'free',
    text: string | undefined,
  ): Promise<void>;
  keyEnded(run: string, path: string): Promise<void>;
  /** Answers whether the run is inside. */
  enter(owner: Owner, gate: string, max: number, run: string): Promise<boolean>;
  leave(gate: string, max: number, run: string): Promise<void>;
  released(run: string): Promise<void>;
  /** Looks for what was lost: called by the clock. */
  wake(): Promise<void>;
  /** Forgets everything: the organization is gone. */
  clear(): Promise<void>;
}
