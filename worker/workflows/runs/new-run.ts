/** What a run is when it begins. Spec: workflows.md §6. */
import type { Run } from '../engine/journal.ts';
import type { RunHead } from './head.ts';

/** All but its input, which lies with its values. */
export function newBody(
  id: string,
  head: RunHead,
  key: string | undefined,
  eventsAfter: number,
): Omit<Run, 'input'> {
  const now = Date.now();
  const { told, ...trigger } = head.trigger;
  return {
    id,
    depth: head.depth,
    status: head.gate ? 'queued' : 'running',
    stop: undefined,
    undoing: 'no',
    undone: 0,
    notUndone: 0,
    startedAt: now,
    endedAt: 0,
    deadline: 0,
    trigger: { time: new Date(now).toISOString(), ...trigger, ...told },
    version: head.workflow.version,
    key,
    output: undefined,
    error: undefined,
    routed: undefined,
    eventsAfter,
    inFlight: 0,
    order: 0,
    closing: false,
    finishing: undefined,
    last: undefined,
  };
}
