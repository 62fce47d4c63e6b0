/** The interface of the objects that keep decisions on transactions, for their callers. Spec: transactions.md §3, §4. */
import type { ErrorCode } from '../../../proto/errors.ts';
import type {
  Closed,
  Closing,
  Entered,
  Entering,
  Leaving,
  NewInteractive,
  RunBegun,
} from './taking-part.ts';

/** The organization that owns the log. */
export interface LogOwner {
  readonly orgUuid: string;
  readonly orgId: string;
  readonly sealedDataKey: string;
}

/** What all participants together can promise. Spec: transactions.md §2. */
export type Guarantee = 'atomic' | 'last-resource';

/** The state of a transaction. Spec: transactions.md §5. */
export const STATUSES = [
  'active',
  'preparing',
  'committing',
  'committed',
  'rolling_back',
  'rolled_back',
  'in_doubt',
  'mixed',
] as const;
export type Status = (typeof STATUSES)[number];

/** The state of a participant: `reading` leaves nothing to end. */
export type ShareStatus = 'reading' | 'active' | 'committed' | 'rolled_back' | 'in_doubt';

/** What a participant does: it is prepared, it only reads, or its own commit is the decision. */
export type Part = 'prepares' | 'reads' | 'decides';

/** A participant, as it is announced. */
export interface NewShare {
  /** Its number in the transaction, which its name in the backend ends with. */
  readonly n: number;
  /** UUID of the endpoint. */
  readonly endpoint: string;
  readonly id: string;
  readonly kind: string;
  readonly part: Part;
  /** Of the endpoint's pool: with another, the configuration may be another. */
  readonly revision: number;
  /** The endpoint as it was found, JSON; its configuration is sealed. */
  readonly snapshot: string;
}

/** A transaction, as it is announced. */
export interface NewTransaction {
  /** As `randomName` makes it. */
  readonly id: string;
  readonly caller: { readonly uuid: string; readonly name: string };
  readonly requestId: string;
  readonly address: string;
  readonly guarantee: Guarantee;
  /** UUIDs of endpoints that it has for itself, and keys that narrow that. */
  readonly claims: { readonly endpoints: readonly string[]; readonly keys?: readonly string[] };
  readonly shares: readonly NewShare[];
  /** Milliseconds from now. */
  readonly timeoutMs: number;
  /** Digests of an `Idempotency-Key` and of the body that came with it. */
  readonly key?: { readonly name: string; readonly body: string } | undefined;
}

/** A failure, as it is kept for a repeat. */
export interface KeptFailure {
  readonly code: ErrorCode;
  readonly message: string;
  /** JSON of them. */
  readonly details: string;
  /** Which of its requests it was that failed. */
  readonly by?: string;
}

/** What beginning answers. */
export type Begun =
  | { readonly is: 'begun'; readonly log: string }
  /** The key was used: what was answered then, sealed; undefined where it was too large to keep. */
  | { readonly is: 'answered'; readonly shown: Shown; readonly reply: Uint8Array | undefined }
  /** The key was used, and the request of that id failed so. */
  | { readonly is: 'failed'; readonly failure: KeptFailure; readonly requestId: string }
  | { readonly is: 'running' | 'reused' | 'circle' | 'late' }
  | { readonly is: 'doubt'; readonly holder: string };

/** What a share leaves behind to be asked for later: PostgreSQL's number of the transaction. */
export interface Mark {
  readonly n: number;
  readonly recovery: string;
}

/** What a participant's end was found to be. */
export interface ShareEnd {
  readonly n: number;
  /** `unknown`: its backend does not know it, and nobody else has asked. */
  readonly status: 'committed' | 'rolled_back' | 'unknown';
}

/** What participants of a transaction have come to. */
export interface Confirmed {
  readonly id: string;
  readonly ends: readonly ShareEnd[];
}

/** What deciding answers: by then the log may have rolled back. */
export type Decided =
  | {
      readonly is: 'committed';
      readonly sequence: number;
      /** Another waits for what its participants are to confirm. */
      readonly isAwaited: boolean;
    }
  | { readonly is: 'rolled back' };

/** Results that are kept for a repeat, where there is room for them. */
export interface KeptReply {
  /** Sealed. */
  readonly bytes: Uint8Array;
  /** Bytes of the organization's storage. */
  readonly quota: number;
}

/** A transaction for people. Spec: transactions.md §5. */
export interface Shown {
  readonly id: string;
  readonly sequence: number | null;
  readonly guarantee: Guarantee;
  readonly status: Status;
  /** UUID of who sent it. */
  readonly caller: string;
  readonly requestId: string;
  /** Unix epoch milliseconds. */
  readonly started: number;
  readonly decided?: number;
  readonly ended?: number;
  readonly error?: KeptFailure;
  readonly participants: readonly {
    readonly endpoint: string;
    readonly kind: string;
    readonly status: ShareStatus;
    readonly gid?: string;
    readonly reason?: string;
  }[];
}

/** Which transactions a list shows. */
export interface ListQuery {
  readonly status?: Status | undefined;
  /** UUID of who sent them; left out, all. */
  readonly caller?: string | undefined;
  /** Goes on after this one: `started` and id. */
  readonly after?: readonly [started: number, id: string] | undefined;
  readonly limit: number;
}

/** One per organization, by the name of its UUID: it owns the order. */
export interface TransactionLogObject extends Rpc.DurableObjectBranded {
  /** Waits until nothing conflicts. @param confirmed as for `confirmAll` */
  begin(
    owner: LogOwner,
    transaction: NewTransaction,
    confirmed?: readonly Confirmed[],
  ): Promise<Begun>;
  /** Begins one that its client goes on with. Answers when it ends if nothing comes, in Unix epoch milliseconds. */
  open(owner: LogOwner, transaction: NewInteractive): Promise<number>;
  /** A request takes part, once those before it have left and nothing conflicts. */
  enter(entering: Entering): Promise<Entered>;
  /** It has ended well. Answers why it was for nothing, where the transaction was rolled back meanwhile. */
  leave(leaving: Leaving): Promise<Closed | undefined>;
  /** A run of a template begins, once those before it have left: no commit comes between its requests. */
  beginRun(id: string, caller: string): Promise<RunBegun>;
  /** It has ended, well or not. @param run as `beginRun` gave it */
  endRun(id: string, run: string): Promise<void>;
  /**
   * A request has failed: what its client still goes on with is rolled back, and nothing else.
   * @param ends numbers of participants of which certainly nothing is left; it may be told them later
   * @returns how it had ended before, by something else than that request
   */
  abandon(
    id: string,
    caller: string,
    failure: KeptFailure,
    ends?: readonly number[],
  ): Promise<Closed | undefined>;
  /** Its client ends it: no request takes part any more. */
  close(id: string, caller: string, outcome: 'commit' | 'roll back'): Promise<Closing>;
  /** Nothing was written: there is nothing to decide. */
  finish(id: string, reply: KeptReply | undefined): Promise<void>;
  /** Before the commit of the one that cannot prepare: from now on its outcome is the decision. */
  seek(id: string, marks: readonly Mark[]): Promise<boolean>;
  /** The decision to commit, on disk when it answers. @param confirmed of others, as for `confirmAll` */
  decide(
    id: string,
    marks: readonly Mark[],
    reply: KeptReply | undefined,
    confirmed?: readonly Confirmed[],
  ): Promise<Decided>;
  /** What became of participants. Those that are not named are finished by the log. */
  confirmAll(confirmed: readonly Confirmed[]): Promise<void>;
  /** It failed: what is not named as ended is rolled back by the log. Answers its state then. */
  fail(id: string, failure: KeptFailure, ends: readonly number[]): Promise<Status>;
  /** Nobody knows whether the last resource has committed: looks for it. Answers its state then. */
  learn(id: string): Promise<Shown | undefined>;
  show(id: string): Promise<Shown | undefined>;
  list(query: ListQuery): Promise<readonly Shown[]>;
  /** What a person found of a participant in doubt. @param participant id of its endpoint */
  resolve(
    id: string,
    participant: string,
    outcome: 'committed' | 'rolled_back',
    by: {
      readonly uuid: string;
      readonly name: string;
      readonly requestId: string;
      readonly address: string;
    },
  ): Promise<Shown | 'unknown' | 'not in doubt'>;
  /** Forgets everything: the organization is gone. */
  clear(): Promise<void>;
}
