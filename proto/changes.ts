/** What drivers offer that tell changes of data. Spec: workflows.md §5, `dataChange`. */
import type { Call, ResultBytes } from './driver.ts';

/** What may happen to a row, document or key. Spec: workflows.md §5, `dataChange`. */
export const CHANGE_OPERATIONS = ['insert', 'update', 'delete'] as const;
export type ChangeOperation = (typeof CHANGE_OPERATIONS)[number];

/** A collection whose changes are told. */
export interface WatchedCollection {
  /** As the caller names it: a table, a collection, or a key or pattern of keys. */
  readonly name: string;
  /** At least one. */
  readonly operations: readonly ChangeOperation[];
}

/** All that one endpoint watches. */
export interface ChangesRequest {
  /** What the backend keeps for the endpoint is named by it: `[a-z0-9_]`, at most 60 characters. */
  readonly slot: string;
  readonly collections: readonly WatchedCollection[];
}

/** One row, document or key that changed. */
export interface Change {
  /** Unique among the endpoint's changes, and the same when the change is told again; empty where the backend has none. */
  readonly id: string;
  /** In full, for example `public.orders`; of Redis the key. */
  readonly collection: string;
  /** Names of the request whose collections and operations this is one of. */
  readonly watched: readonly string[];
  readonly operation: ChangeOperation;
  /** JSON text: an object of the members of the key; of Redis the key itself. */
  readonly key: ResultBytes;
  /** JSON text as a read gives it. Left out where the backend does not say. */
  readonly before?: ResultBytes | undefined;
  /** Whether `before` holds the key alone: what else there was, the backend does not say. */
  readonly keyOnly?: boolean | undefined;
  /** JSON text as a read gives it. Left out of a delete, and where the backend does not say. */
  readonly after?: ResultBytes | undefined;
  /** Members of `after` that did not change and that the backend does not say. */
  readonly absent?: readonly string[] | undefined;
  /** Of the commit: ISO 8601 in UTC. */
  readonly time: string;
  /** Rises with the order of commits, compared by characters; the same of one transaction's. Empty where the backend has none. */
  readonly mark: string;
}

/** Where changes begin. */
export interface PreparedChanges {
  /** Before every change that commits after the answer; empty where there are no positions. */
  readonly position: string;
  /** Marks of changes that were committed before the call are not greater, those of changes that commit after the answer are. Empty where the backend has none. */
  readonly mark: string;
}

/** What cannot be told; other changes are. */
export interface ChangeFault {
  /** Name of the request that it is about. */
  readonly watched: string;
  /** With what would be right. */
  readonly message: string;
}

/** Changes that follow one another: at most a thousand, and about a mebibyte unless it is only one. */
export interface ChangeBatch {
  readonly changes: readonly Change[];
  readonly faults: readonly ChangeFault[];
  /** Where to go on once all of this is stored; empty where the backend has no positions. */
  readonly position: string;
}

/** What a backend keeps for an endpoint. */
export interface ChangesLag {
  /** Bytes of log that it keeps for that alone. */
  readonly bytes: number;
  /** False when it no longer has all that is not acknowledged: `prepareChanges` begins again. */
  readonly whole: boolean;
}

/** Reports changes of collections, each one exactly once for who stores positions with what it got. */
export interface Changes {
  /**
   * Makes the backend keep changes of these collections, and of no others, for the endpoint.
   * Repeating it is no error.
   * @throws GatewayError BAD_REQUEST with a detail for each thing that the backend lacks, naming it and what would mend it:
   *   its `path` is `collections[i]` or, of the server or the credential, `endpoint`
   */
  prepareChanges(request: ChangesRequest, call: Call): Promise<PreparedChanges>;
  /**
   * Changes in the order of their commits, until the caller leaves. The first batch has none and follows
   * the backend's acceptance; others without any move the position on, or show that all is well.
   * @param position after which to go on, which acknowledges it; undefined for what was acknowledged last
   * @throws GatewayError NOT_FOUND when the backend no longer has what follows the position: `prepareChanges` begins again
   */
  changes(
    request: ChangesRequest,
    position: string | undefined,
    call: Call,
  ): AsyncIterable<ChangeBatch>;
  /** Lets the backend forget what comes up to a position. @returns false when no subscription of this client is there to tell it */
  acknowledgeChanges(slot: string, position: string): boolean | Promise<boolean>;
  /** Ends what is kept for the endpoint. @returns false when there was nothing */
  dropChanges(slot: string, call: Call): Promise<boolean>;
  changesLag(slot: string, call: Call): Promise<ChangesLag>;
}
