/** What asking for the run of a subworkflow needs, and whose rights that run has. Spec: keys-and-doors.md §2. */
import { authorize, demand } from '../../access/access.ts';
import type { Demand } from '../../access/demand.ts';
import type { Context } from '../../context.ts';
import { onWorkflow, type Workflow } from '../access.ts';
import { storedBy } from './author.ts';
import type { WorkflowVersion } from './head.ts';

/** A subworkflow that may be run. */
interface AskedChild {
  readonly row: Workflow['row'];
  /** The version that is run. */
  readonly version: WorkflowVersion;
  /** Whether the run has the rights of the version's author. */
  readonly isDoor: boolean;
  readonly demands: readonly Demand[];
}

/**
 * Read on a workflow whose run has the rights of the run around; Write where it has its author's, as of callers. Where
 * either the pinned version or another one in force has these, Admin: what was closed stays closed.
 * @param pinned the version that is run; left out it is the one in force
 * @throws GatewayError WORKFLOW_NOT_FOUND, FORBIDDEN
 */
export async function askChild(
  ctx: Context,
  named: string,
  pinned: WorkflowVersion | undefined,
): Promise<AskedChild> {
  const params = { workflow: named };
  const found = await authorize(ctx, onWorkflow('Read'), params);
  const { row } = found.resource;
  const version = pinned ?? { uuid: row.uuid, id: row.id, version: row.version };
  const isDoorInForce = row.runAs === 'author';
  const isInForce = version.uuid === row.uuid && version.version === row.version;
  const isDoor = isInForce ? isDoorInForce : (await storedBy(ctx, version))?.runAs === 'author';
  const isStale = !isInForce && (isDoor || isDoorInForce);
  const level = isStale ? 'Admin' : isDoor ? 'Write' : 'Read';
  const more = level === 'Read' ? [] : [demand({ ...found, params }, level)];
  return { row, version, isDoor, demands: [...found.demands, ...more] };
}
