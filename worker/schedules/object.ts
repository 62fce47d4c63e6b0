/** The interface of the objects that own schedules, for their callers. Spec: workflows.md §5, `schedule`. */
import type { Owner } from '../workflows/runs/object.ts';
import type { TriggerState } from '../workflows/triggers/state.ts';

/** One per organization, by the name of its UUID. */
export interface WorkflowSchedulesObject extends Rpc.DurableObjectBranded {
  /** Reads from D1 which schedules there are: ticks count from now on, where one is new, changed or active again. */
  schedulesChanged(owner: Owner): Promise<void>;
  /** The state of the schedules of a workflow, by its UUID. */
  scheduleStates(workflow: string): Promise<readonly TriggerState[]>;
  /** A run has ended which later ticks of its schedule wait for, or are left out for. @param place index of the trigger */
  runEnded(workflow: string, place: number, run: string): Promise<void>;
  /** Looks for what was lost: called by the clock. */
  wake(): Promise<void>;
  /** Forgets everything: the organization is gone. */
  clear(): Promise<void>;
}
