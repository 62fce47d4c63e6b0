/** Shares of transactions over many databases: what a driver offers to the one that decides. Spec: transactions.md §2, §3. */
import type { Call, Mode, ResultBytes } from './driver.ts';
import type { Json } from './json.ts';
import type { OnceMark } from './once.ts';

/** Levels that may be asked for, from the weakest. Source: ISO/IEC 9075-2, "SQL-transactions". */
export const ISOLATIONS = ['read committed', 'repeatable read', 'serializable'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** Names of shares at a backend: of the decision log, the transaction, the participant. At most 64 bytes, for XA. */
export const SHARE_NAME = /^causeway_[\dA-Za-z]{22}_[\dA-Za-z]{22}_\d{1,6}$/;
/** What the names of one log, or of one transaction, begin with. */
export const SHARE_PREFIX = /^causeway_[\dA-Za-z]{22}_(?:[\dA-Za-z]{22}_)?$/;

/** What a share begins as. */
export interface Beginning {
  /** As `SHARE_NAME` says; the backend shows it as long as somebody works on the share, where it can. */
  readonly name: string;
  /** That level or a stricter one; the backend's own, at least `read committed`, when left out. */
  readonly isolation: Isolation | undefined;
  /** It will not be prepared: what only prepared shares need is left out. */
  readonly onePhase: boolean;
  /** Where `commitMarked` will leave a mark: made first, where a share does not see what is made later. */
  readonly markPlace?: string | undefined;
}

/** Some of a transaction's operations, all of one participant. */
export interface Share<Request = unknown> {
  readonly operations: readonly ShareOperation<Request>[];
  /** The result of an operation of another share, or of an earlier part of this one, by its place. */
  earlier(place: number): Json | undefined;
  /** Whether to answer what `settle` needs. */
  readonly recoverable: boolean;
}

/** One operation of a share. */
export interface ShareOperation<Request = unknown> {
  /** Its place in the whole transaction, from 0. */
  readonly place: number;
  /** `read` holds it to what `/read` lets through. */
  readonly mode: Mode;
  readonly request: Request;
}

/** What a share's operations came to. */
export interface Performed {
  /** JSON array in UTF-8 with one result per operation. */
  readonly results: ResultBytes;
  /** Every operation so far was one that `/read` lets through. */
  readonly onlyRead: boolean;
  /** For `settle`; empty unless it was asked for, and where the backend has nothing to ask it by. */
  readonly recovery: string;
}

/** How the preparing of a share ended. */
export interface Prepared {
  /** False when it only read: it has ended, and there is nothing to commit. */
  readonly prepared: boolean;
  /** For `commit` and `rollback`; empty where the backend has nothing of the sort. */
  readonly recovery: string;
}

/**
 * Where a share is, as far as its backend says: `open` while somebody still works on it, `unknown` when the
 * backend does not know it and keeps no record of those that have ended.
 */
export const SHARE_STATUSES = ['committed', 'rolled_back', 'open', 'unknown'] as const;
export type ShareStatus = (typeof SHARE_STATUSES)[number];

/** What ending a share by its name came to. */
export interface Finished {
  /** Whether it was prepared until now. */
  readonly found: boolean;
  readonly status: ShareStatus;
}

/** A share that is prepared. */
export interface PreparedShare {
  readonly name: string;
  /** Milliseconds since it was prepared; undefined where the backend does not tell. */
  readonly ageMs: number | undefined;
  /** Who prepared it; empty where the backend does not tell. */
  readonly owner: string;
}

/** Who waits for whom among shares; empty when the one that holds cannot be named. */
export interface LockWait {
  readonly waiting: string;
  readonly holding: string;
}

/** Waits for locks; `shown` is false where the backend does not show them to this credential. */
export interface LockWaits {
  readonly shown: boolean;
  readonly waits: readonly LockWait[];
}

/** What keeps a server from preparing. */
const LACK_CODES = [
  'prepared_transactions_off',
  'version',
  'privilege',
  'cluster',
  'pooler',
  'standby',
  'engine',
] as const;

/** One reason why a server cannot prepare. */
export interface Lack {
  readonly code: (typeof LACK_CODES)[number];
  /** With what would mend it, as the end of a sentence: "Endpoint x lacks …". */
  readonly message: string;
}

/** A share whose operations come one after another, on a connection of its own. Calls on it are made one at a time. */
export interface Participant<Request = unknown> {
  /** Runs operations in it; without any it reports the backend that it is still wanted. After a failure it can only be closed. @throws GatewayError with `operation` in its details */
  perform(share: Share<Request>, call: Call): Promise<Performed>;
  /**
   * Commits in one phase: for one that only read, and for the one that decides.
   * @throws GatewayError OUTCOME_UNKNOWN when it may have committed: then `settle` is asked
   */
  commit(call: Call): Promise<void>;
  /**
   * Commits in one phase and leaves a mark in the same transaction: for the one that decides, where marks are kept.
   * @throws GatewayError BAD_REQUEST with what makes the place of marks, OUTCOME_UNKNOWN when it may have committed: then `settleMark` is asked
   */
  commitMarked(mark: OnceMark, call: Call): Promise<void>;
  /** Undoes what is neither prepared nor committed, and frees the connection. Answers whether the backend has said that nothing is left. */
  close(): Promise<boolean>;
}

/** A participant that can be prepared, if it did not begin with `onePhase`. */
export interface PreparingParticipant<Request = unknown> extends Participant<Request> {
  /** Prepares it under its name; it has ended then. @throws GatewayError, and all of it is undone */
  prepare(call: Call): Promise<Prepared>;
}

/** Takes part in transactions, at the least as the one that commits by itself. */
export interface Joins<Request = unknown> {
  /** Begins a share. @throws GatewayError BAD_REQUEST naming an isolation level that it cannot give */
  join(beginning: Beginning, call: Call): Promise<Participant<Request>>;
  /** What became of a share that was told to commit in one phase, by what `Performed` said; may be repeated. */
  settle(recovery: string, call: Call): Promise<ShareStatus>;
  /** Undoes a share, prepared or still being worked on, no matter which process does; may be repeated. */
  rollback(name: string, recovery: string, call: Call): Promise<Finished>;
}

/** Can prepare shares, so that they survive no matter which process prepared them. */
export interface Prepares<Request = unknown> extends Joins<Request> {
  join(beginning: Beginning, call: Call): Promise<PreparingParticipant<Request>>;
  /** What its server lacks to prepare; nothing when it can. Remembered until preparing fails. */
  lacks(call: Call): Promise<readonly Lack[]>;
  /** Begins a share, runs it and prepares it, all on one connection. @throws GatewayError, and all of it is undone */
  prepare(beginning: Beginning, share: Share<Request>, call: Call): Promise<Performed & Prepared>;
  /** Commits a prepared share, no matter which process prepared it; may be repeated. @param recovery as `prepare` answered it, or empty */
  commit(name: string, recovery: string, call: Call): Promise<Finished>;
  /** Prepared shares whose names begin so: of this database, of this user where the backend tells users apart. */
  recover(prefix: string, call: Call): Promise<readonly PreparedShare[]>;
  /** Who waits for locks among the shares whose names begin so. */
  waits(prefix: string, call: Call): Promise<LockWaits>;
}

/** Whether a participant can be prepared. */
export function isPreparing<Request>(
  participant: Participant<Request>,
): participant is PreparingParticipant<Request> {
  return 'prepare' in participant;
}

/** Whether what somebody holds is a share of a transaction over many databases. */
export function isParticipant(held: object): held is Participant {
  return 'perform' in held;
}
