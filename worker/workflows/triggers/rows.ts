/** Triggers of a definition as rows: what the objects that own them read, without the definition. Spec: workflows.md §5. */
import type { TriggerType } from '../../db/workflows.ts';
import type {
  DataChangeTrigger,
  EventTrigger,
  ScheduleTrigger,
  Trigger,
} from '../definition/trigger-tree.ts';

/** A trigger that is to be stored. */
export interface StoredTrigger {
  readonly index: number;
  readonly type: TriggerType;
  /** Of a `dataChange`. */
  readonly endpointUuid: string | null;
  /** JSON text, as `detailOf` makes it. */
  readonly detail: string;
}

/** What is kept of an event trigger. */
export type EventDetail = Pick<EventTrigger, 'source' | 'event'>;
/** What is kept of a schedule. */
export type ScheduleDetail = Pick<ScheduleTrigger, 'schedule' | 'timezone' | 'missed' | 'overlap'>;
/** What is kept of a data change. */
export interface ChangeDetail extends Pick<DataChangeTrigger, 'collection' | 'ordered'> {
  readonly operations: readonly ('insert' | 'update' | 'delete')[];
}

/** @param uuidOf the UUID of an endpoint, by what the definition calls it */
export function triggerRows(
  triggers: readonly Trigger[],
  uuidOf: (endpoint: string) => string,
): StoredTrigger[] {
  return triggers.map((trigger) => ({
    index: trigger.index,
    type: trigger.type,
    endpointUuid: trigger.type === 'dataChange' ? uuidOf(trigger.endpoint) : null,
    detail: JSON.stringify(detailOf(trigger)),
  }));
}

function detailOf(trigger: Trigger): EventDetail | ScheduleDetail | ChangeDetail | object {
  if (trigger.type === 'event') {
    const { source, event } = trigger;
    return { source, event };
  }
  if (trigger.type === 'schedule') {
    const { schedule, timezone, missed, overlap } = trigger;
    return { schedule, timezone, missed, overlap };
  }
  if (trigger.type === 'dataChange') {
    const { collection, operations, ordered } = trigger;
    return { collection, operations: [...operations], ordered };
  }
  return {};
}
