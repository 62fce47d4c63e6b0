/** The interface of the objects that keep what webhooks were sent, for their callers. Spec: workflows.md §5, `webhook`. */
import type { Owner } from '../workflows/runs/object.ts';
import type { TriggerState } from '../workflows/triggers/state.ts';

/** A trigger of a workflow. */
interface TriggerOf {
  /** UUID of the workflow. */
  readonly workflow: string;
  readonly index: number;
}

/** A delivery that its sender names. */
export interface Delivery extends TriggerOf {
  /** Of its name. */
  readonly digest: string;
}

/** What is known of such a delivery. */
export interface KnownDelivery {
  /** Our own name of it: the same for each repeat within seven days. */
  readonly receipt: string;
  /** The run that it started; absent where it has started none so far. */
  readonly run?: string;
}

/** Why a delivery started nothing. */
export interface DeliveryError {
  readonly code: string;
  readonly message: string;
}

/** What became of a delivery. */
export interface Note extends TriggerOf {
  /** Unix epoch milliseconds. */
  readonly at: number;
  /** The run that it started. */
  readonly run?: string;
  /** Of a delivery that its sender names. */
  readonly digest?: string;
  readonly error?: DeliveryError;
  /** Whether who sent it proved who they are; only those tell the state of the trigger. */
  readonly isTrusted: boolean;
}

/** One per organization, by the name of its UUID. */
export interface WebhookDeliveriesObject extends Rpc.DurableObjectBranded {
  /** Keeps the name of a delivery for seven days; false where there is no room for it. */
  claim(owner: Owner, delivery: Delivery): Promise<KnownDelivery | false>;
  note(owner: Owner, notes: readonly Note[]): Promise<void>;
  /** The state of the triggers of a workflow that deliveries came to, by its UUID: `failing` where the last signed one started nothing. */
  stateOf(workflow: string): Promise<readonly TriggerState[]>;
  /** The workflow is gone. */
  forget(workflow: string): Promise<void>;
  /** Forgets everything: the organization is gone. */
  clear(): Promise<void>;
}
