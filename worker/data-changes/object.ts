/** The interface of the objects that follow changes of data, for their callers. Spec: workflows.md §5, `dataChange`. */
import type { ChangeOperation } from '../../proto/changes.ts';
import type { ErrorCode } from '../../proto/errors.ts';
import type { TriggerState } from '../workflows/triggers/state.ts';

/** The endpoint whose changes an object follows, and the organization that owns it. */
export interface ChangesOwner {
  readonly orgUuid: string;
  readonly orgId: string;
  /** Column `sealed_data_key` of the organization. */
  readonly sealedDataKey: string;
  /** UUID. */
  readonly endpoint: string;
}

/** A collection that triggers watch, and the operations on it that any of them wants. */
export interface WatchedCollection {
  readonly name: string;
  readonly operations: readonly ChangeOperation[];
}

/** Triggers of a workflow that is about to be stored. */
export interface WantedTriggers {
  readonly workflow: string;
  /** One for each trigger, in the order in which faults name them. */
  readonly collections: readonly WatchedCollection[];
  /** Whether the request sets the workflow's status to `active`: what was paused for starting too much begins again. */
  readonly activates: boolean;
}

/** What making ready answers: an error as its parts, since its class does not travel. */
export type Prepared =
  | { readonly is: 'ready' }
  | {
      readonly is: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      /** JSON text of a list; `path` is `collections[i]` of what was wanted, or `endpoint`. */
      readonly details: string;
      readonly retryAfter?: number;
    };

/** One per endpoint, by the name of `changesNameOf`. */
export interface DataChangesObject extends Rpc.DurableObjectBranded {
  /**
   * Makes the backend keep its changes for these triggers, besides those that are stored: what is
   * committed after the answer is not missed once the workflow is stored.
   */
  prepare(owner: ChangesOwner, wanted: WantedTriggers): Promise<Prepared>;
  /** The endpoint, or triggers on it, have changed. Answers once the changes are followed as D1 has it now, or that has failed and is tried again. */
  changed(owner: ChangesOwner): Promise<void>;
  /** The state of the triggers of a workflow that watch this endpoint. @param workflow UUID */
  stateOf(workflow: string): Promise<readonly TriggerState[]>;
  /** Looks for what was lost: called by the clock, of endpoints that are watched. */
  wake(): Promise<void>;
  /** Forgets everything, once what the backend keeps is dropped: the organization is gone. */
  clear(): Promise<void>;
}

/** Name of the object of an endpoint: it begins with the organization. */
export function changesNameOf(orgUuid: string, endpoint: string): string {
  return `${orgUuid}:${endpoint}`;
}
