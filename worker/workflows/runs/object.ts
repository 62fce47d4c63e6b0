/** The interface of the objects that run workflows, for their callers: their class knows the whole worker. Spec: workflows.md §6, §7. */
import type { RunStatus } from '../engine/journal.ts';

/** The organization that owns the object, and the key that seals what is kept there. */
export interface Owner {
  readonly orgUuid: string;
  readonly orgId: string;
  /** Column `sealed_data_key` of the organization. */
  readonly sealedDataKey: string;
}

/** What comes of a retry; of a run that was undone, from where it can be forked. */
export type Retried =
  | RunSummary
  | 'running'
  | 'succeeded'
  | 'refused'
  | { readonly undone: string | undefined };

/** A fault of an input or a start. */
export interface StartFault {
  readonly path: string;
  readonly message: string;
}

/** Why a run fails before it begins. */
export interface Refusal {
  readonly code: 'EXPRESSION_FAILED' | 'INVALID_INPUT';
  readonly faults: readonly StartFault[];
}

/** The state of a run, in short. */
export interface RunSummary {
  readonly run: string;
  readonly status: RunStatus;
}

/** What starting a run answers. */
export type Started =
  | (RunSummary & {
      readonly is: 'started';
      readonly isAwaited: boolean;
      /** Of one that is recorded as failed before it began. */
      readonly refusal?: Refusal;
      /** Of one that was awaited and has ended: as `record` answers with the first actions. */
      readonly record?: string;
    })
  /** It was started before, by the request of that id. */
  | (RunSummary & { readonly is: 'known'; readonly requestId: string; readonly sameBody: boolean })
  | { readonly is: 'invalid'; readonly faults: readonly StartFault[] }
  | { readonly is: 'no-room' }
  | { readonly is: 'no-version' };

/** Which actions are asked for. */
export interface ActionQuery {
  readonly path?: string | undefined;
  readonly status?: string | undefined;
  /** Place in the order of starts after which they begin. */
  readonly after: number;
  readonly limit: number;
  /** Only what counts: not what an earlier attempt of a container ran. */
  readonly current?: boolean;
  /** Exactly these paths, instead of one and all below it. */
  readonly paths?: readonly string[];
}

/** What `end` reports a parent. */
export type ChildOutcome =
  | { readonly is: 'started' }
  | ({ readonly is: 'succeeded'; readonly text?: string } & Reaching)
  | ({ readonly is: 'failed'; readonly code: string; readonly message: string } & Reaching);

/** What values come from: callers who may not read all of it do not see them. */
interface Reaching {
  /** UUIDs of endpoints. */
  readonly reached?: readonly string[];
}

/** The state of a key of an action. */
export type KeyStanding =
  | { readonly is: 'own' | 'elsewhere' | 'unknown' }
  | { readonly is: 'done'; readonly text?: string };

/** How a run comes to a gate that lets `max` in. */
export interface Entry {
  readonly max: number;
  /** A retry: a run that began later may have brought another number, which stays. */
  readonly isAgain?: true;
}

/** What a person does to a task; the form's values are JSON text. */
export type TaskAnswer = { readonly by: string; readonly task: string } & (
  | { readonly form: string }
  | { readonly rejected: string }
);

/** Four per organization, by the names that names.ts gives. */
export interface WorkflowRunsObject extends Rpc.DurableObjectBranded {
  /**
   * Begins a run, once for its id.
   * @param isAwaited whether its end is waited for; undefined is as the workflow's trigger says
   */
  start(owner: Owner, order: string, isAwaited: boolean | undefined): Promise<Started>;
  /** Undefined where there is no such run, or no more. As JSON: of `{record, actions, hasMore}`. */
  record(run: string, query: ActionQuery): Promise<string | undefined>;
  /** JSON text of a value of a run. */
  value(run: string, ref: number): Promise<string | undefined>;
  /** Its SHA-256 digest, of which the same value has the same in every object; read a few bytes at a time. */
  digest(run: string, ref: number): Promise<string | undefined>;
  /** The same value as bytes, a few at a time. */
  valueBytes(run: string, ref: number): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Whether a run has ended, or is none any more; waits so long for that. */
  hasEnded(run: string, waitMs: number): Promise<boolean>;
  /** Waits for a change after a place, so long; of a run that has ended, or is none any more, it does not. */
  news(run: string, after: number, waitMs: number): Promise<void>;
  /** What changed after a place, as JSON; a part of much. */
  changes(run: string, after: number): Promise<string | undefined>;
  cancel(run: string): Promise<RunSummary | 'ended' | undefined>;
  /** Writes to D1 at once what the index does not tell yet. */
  index(): Promise<void>;
  /** Writes to D1 what the index has lost. */
  remakeIndex(): Promise<void>;
  /** The workflow is deleted: its active runs are cancelled, and none is started any more. */
  close(workflow: string): Promise<void>;
  /** @param by JSON of the `Retrier`, whose rights it needs, too, from then on */
  retry(run: string, by: string): Promise<Retried | undefined>;
  /**
   * What a fork that begins at an action is made of, as JSON of `{head, input, reached, before?, undone?}`: `before` are ids,
   * absent where the action never ran; `undone` is the first of these that was undone.
   */
  forkOf(run: string, from: string): Promise<string | undefined>;
  /** The actions that such a fork keeps: one line each, in as many pieces as it takes. */
  kept(run: string, from: string): Promise<ReadableStream<Uint8Array> | undefined>;
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
  enter(owner: Owner, gate: string, entry: Entry, run: string): Promise<boolean>;
  leave(gate: string, max: number, run: string): Promise<void>;
  released(run: string): Promise<void>;
  /** Looks for what was lost: called by the clock. */
  wake(): Promise<void>;
  /** Forgets everything: the organization is gone. */
  clear(): Promise<void>;
}
