/** Triggers of the version in force that follow changes of data. Spec: workflows.md §5, `dataChange`. */
import type { Database } from '../../context.ts';
import type { FollowingTrigger } from '../../data-changes/prepare.ts';
import type { WorkflowRow } from '../../db/workflows.ts';
import type { ChangeDetail } from './rows.ts';
import { selectTriggersOf } from './store.ts';

/** As they are stored; those whose endpoint is gone are left out. */
export async function storedFollowing(
  db: Database,
  { orgUuid, uuid }: Pick<WorkflowRow, 'orgUuid' | 'uuid'>,
): Promise<FollowingTrigger[]> {
  const rows = await selectTriggersOf(db, orgUuid, uuid);
  return rows.flatMap(({ index, type, endpointUuid, detail }) => {
    if (type !== 'dataChange' || endpointUuid === null) return [];
    const { collection, operations } = JSON.parse(detail) as ChangeDetail; // As rows.ts wrote it.
    const path = rows.length === 1 ? 'trigger' : `trigger.${index}`;
    return [{ path, endpoint: endpointUuid, collection, operations }];
  });
}
