/** The interface of the objects that keep events, for their callers. Spec: workflows.md §5. */
import type { TriggerState } from '../workflows/triggers/state.ts';

/** The organization that owns the events. */
export interface EventsOwner {
  readonly orgUuid: string;
  readonly orgId: string;
  readonly sealedDataKey: string;
}

/** The source of the gateway's own events. Spec: workflows.md §5. */
export const OWN = 'causeway';

/** The run that an event of our own reports about, or that sent one. */
export interface EventCause {
  /** UUID: it is not started by it; absent of an event that a run sent by a call of the gateway. */
  readonly workflow?: string;
  /** Runs that led to it, itself counted. */
  readonly chain: number;
}

/** An event that comes in. */
export interface NewEvent {
  readonly source: string;
  readonly event: string;
  readonly id: string;
  /** ISO 8601. */
  readonly time: string;
  /** JSON text. */
  readonly data: string;
  /** Absent of what no run of ours caused. */
  readonly by?: EventCause;
}

/** A wait of a run. */
export interface Wait {
  readonly run: string;
  readonly path: string;
  readonly source: string;
  /** `*` stands for any characters. */
  readonly pattern: string;
  /** Place in the log after which events are for it; undefined is from now on. */
  readonly after: number | undefined;
}

/** One per organization, by the name of its UUID. */
export interface OrganizationEventsObject extends Rpc.DurableObjectBranded {
  /** Keeps events in the order of receipt. Answers for each whether it was there; false where there is no room for them. */
  append(owner: EventsOwner, events: readonly NewEvent[]): Promise<readonly boolean[] | false>;
  /** The place in the log of the newest event. */
  position(owner: EventsOwner): Promise<number>;
  /** Offers a run the events that it waits for, those that came before too. */
  listen(owner: EventsOwner, wait: Wait): Promise<void>;
  unlisten(run: string, path: string): Promise<void>;
  /** Reads from D1 which triggers events are offered to: from now on, where one is new or active again. */
  triggersChanged(owner: EventsOwner): Promise<void>;
  /** The state of the event triggers of a workflow, by its UUID. */
  triggerStates(workflow: string): Promise<readonly TriggerState[]>;
  /** Looks for what was lost: called by the clock. */
  wake(): Promise<void>;
  /** Forgets everything: the organization is gone. */
  clear(): Promise<void>;
}
