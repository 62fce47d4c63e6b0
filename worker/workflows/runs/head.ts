/** A run: its workflow, what it is started with, and its record. Spec: workflows.md §6, §7. */
import type { JsonObject } from '../../../proto/json.ts';
import type { Caller } from '../../context.ts';
import type { Effect } from '../engine/effect.ts';
import type { NodeStatus, RunStatus } from '../engine/journal.ts';
import type { Entry, Owner, Refusal } from './object.ts';

/** A workflow in one of its versions. */
export interface WorkflowVersion {
  readonly uuid: string;
  readonly id: string;
  readonly version: string;
}

/** The account whose rights a run has by `runAs`. */
export interface RunAuthor {
  /** Null where no account stored the version: its actions are refused. */
  readonly uuid: string | null;
  /** The username when the run began. */
  readonly name: string;
  /** Id of the workflow that is the door: of a subworkflow's run it may be one around. */
  readonly workflow: string;
}

/** Who retries a run, and from where. */
export interface Retrier {
  readonly caller: Caller;
  readonly address: string;
}

/** The workflow and the owner of a run: of all this only who retried it changes. */
export interface RunHead extends Owner {
  readonly workflow: WorkflowVersion;
  /** Who called; of a run that nobody called, its author. Its actions have their rights, unless there is an `author`. */
  readonly caller: Caller;
  /** Whose rights its actions have instead of the caller's. */
  readonly author?: RunAuthor;
  /** Who retried it last, or a run around it: what it does from then on needs their rights, too. */
  readonly retriedBy?: Retrier;
  /** A username. */
  readonly startedBy: string;
  readonly trigger: {
    readonly type: string;
    readonly index?: number;
    readonly id: string;
    /** What expressions see of it besides: without its body. */
    readonly told?: JsonObject;
  };
  readonly parent?: { readonly run: string; readonly path: string };
  readonly forkedFrom?: string;
  /** Runs within each other, the first counted. */
  readonly depth: number;
  /** Runs that led to it by whatever triggers and actions, itself counted; absent of one that no run caused. */
  readonly chain?: number;
  /** The owner of the schedule that started it is told of its end. */
  readonly tellsEnd?: true;
  /** It was refused before it began: none of it can go on. */
  readonly isRefused?: true;
  /** Milliseconds that it is kept after its end. */
  readonly retentionMs: number;
  /** Until when its dead letters keep it, in Unix epoch milliseconds; there once it has left one. */
  readonly keptUntil?: number;
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
  /** Of what those nest, by UUID. */
  readonly nested?: { readonly [uuid: string]: string };
  readonly workflows: { readonly [name: string]: WorkflowVersion };
}

/** A run that is to begin. */
export interface Order extends Omit<RunHead, 'gate' | 'retentionMs' | 'isRefused'> {
  readonly id: string;
  /** JSON text. */
  readonly input: string;
  /** Milliseconds; used where the workflow says nothing. */
  readonly retentionMs: number;
  /** A fork of `forkedFrom`: where it begins, and the UUIDs of the endpoints that the kept values come from. */
  readonly fork?: { readonly from: string; readonly reached: readonly string[] };
  /** Nobody is there to be told of a fault of the input: it is recorded as a failed run. */
  readonly isRecorded?: boolean;
  /** Such a fault that is known already. */
  readonly refusal?: Refusal;
}

/** What is done outside for a run: what its engine asks for, and what surrounds the run. */
export type RunEffect = Effect | ({ readonly do: 'enter'; readonly gate: string } & Entry);

/** Times are Unix epoch milliseconds; texts are JSON. */
export interface RunRecord {
  readonly id: string;
  readonly head: RunHead;
  readonly status: RunStatus;
  readonly key?: string;
  readonly compensation?: 'none' | 'complete' | 'partial';
  readonly started: number;
  readonly ended?: number;
  readonly input: ValueRecord;
  readonly output?: ValueRecord;
  readonly error?: ValueRecord;
  /** Whether its dead letters tell its input and outputs. */
  readonly keepsState?: true;
  /** UUIDs of the endpoints that it reached. */
  readonly reached: readonly string[];
  /** Counts changes. */
  readonly seq: number;
}

/** A value: its JSON text, or where it is larger than 64 KiB its bytes. */
export type ValueRecord =
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
  readonly input?: ValueRecord;
  readonly output?: ValueRecord;
  readonly error?: ValueRecord;
  readonly started: number;
  readonly ended?: number;
  readonly by?: string;
  readonly compensates?: string;
  /** Its place in the order of starts, and that of its last change. */
  readonly begun: number;
  readonly seq: number;
}

/** A call that leaves once the transition is written. */
export interface Call {
  readonly path: string;
  readonly attempt: number;
}
