/** Runs that more runs have led to than may: what starts none tells it. Spec: workflows.md §5, "Our own events". */
import { type NewEvent, OWN } from '../../events/object.ts';
import type { WorkflowVersion } from '../runs/head.ts';
import { CHAIN_MAX } from './start.ts';

/** Why nothing starts. */
export const TOO_DEEP = {
  code: 'INVALID_INPUT',
  message: `${CHAIN_MAX} runs have led to this, one after the other: it starts no further one`,
} as const;

/** What would have started a run. */
interface Deep {
  readonly workflow: Pick<WorkflowVersion, 'uuid' | 'id'>;
  /** Of the trigger; absent of a start by a caller. */
  readonly index?: number;
  /** Names what came. */
  readonly receipt: string;
  /** Runs that led to it, one that would have started counted. */
  readonly chain: number;
}

/** The event `trigger.failed` of it: it starts nothing of the workflow. */
export function tooDeep({ workflow: { uuid, id }, index, receipt, chain }: Deep): NewEvent {
  const trigger = index === undefined ? {} : { trigger: index };
  return {
    ...{ source: OWN, event: 'trigger.failed', id: `${uuid}:${index ?? ''}:${receipt}` },
    time: new Date().toISOString(),
    data: JSON.stringify({ workflow: id, ...trigger, ...TOO_DEEP }),
    by: { workflow: uuid, chain: chain - 1 },
  };
}
