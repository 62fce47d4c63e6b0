/** Tells the objects that own triggers that those of an organization have changed: each reads them again. Spec: workflows.md §5. */
import { type Bindings, databaseOf } from '../../context.ts';
import { changesChanged } from '../../data-changes/tell.ts';
import { loggedFault } from '../../db/fault.ts';
import type { WorkflowTriggerNewsRow } from '../../db/workflows.ts';
import { log } from '../../log.ts';
import type { Owner } from '../runs/object.ts';
import { deleteNews, selectNews, selectOldNews, selectWithTriggers } from './store.ts';

/** Milliseconds after which news that nobody was told of are told by the clock. */
const OLD_MS = 10_000;
/** Organizations of one look; the next takes the others. */
const TOLD_MAX = 500;

/** Tells one owner. @throws what may be tried again */
type Tell = (env: Bindings, owner: Owner, news: WorkflowTriggerNewsRow) => Promise<void>;

/** Who owns the triggers of a type. Those of `api` and `webhook` are read when somebody calls. */
const TELLS: { readonly [Type in WorkflowTriggerNewsRow['type']]?: Tell } = {
  event: (env, { orgUuid, orgId, sealedDataKey }) =>
    env.ORGANIZATION_EVENTS.getByName(orgUuid).triggersChanged({ orgUuid, orgId, sealedDataKey }),
  schedule: (env, { orgUuid, orgId, sealedDataKey }) =>
    env.WORKFLOW_SCHEDULES.getByName(orgUuid).schedulesChanged({ orgUuid, orgId, sealedDataKey }),
  dataChange: (env, { orgUuid, orgId, sealedDataKey }, { endpointUuid: endpoint }) =>
    changesChanged(env, { orgUuid, orgId, sealedDataKey, endpoint }),
};

/** Tells an organization's owners what is new, before a change is answered. What fails is told by the clock. */
export async function changed(env: Bindings, owner: Owner): Promise<void> {
  const db = databaseOf(env);
  const rows = await selectNews(db, owner.orgUuid);
  await Promise.all(
    rows.map(async (news) => {
      try {
        await TELLS[news.type]?.(env, owner, news);
        await deleteNews(db, news);
      } catch (thrown) {
        log('warn', 'the owner of triggers is told again', loggedFault(thrown));
      }
    }),
  );
}

/** Tells what a process did not come to tell: for the clock. */
export async function tellOldNews(env: Bindings, now: number): Promise<void> {
  const owners = await selectOldNews(databaseOf(env), now - OLD_MS, TOLD_MAX);
  await Promise.allSettled(owners.map((owner) => changed(env, owner)));
}

/** Wakes the owners of events and schedules, all organizations': for the clock, in case an alarm was lost. */
export async function wakeTriggers(env: Bindings): Promise<void> {
  const db = databaseOf(env);
  for (let after = ''; ; ) {
    const rows = await selectWithTriggers(db, after, TOLD_MAX);
    const owners = rows.flatMap(({ orgUuid, types }) => [
      ...(types.includes('schedule') ? [env.WORKFLOW_SCHEDULES.getByName(orgUuid)] : []),
      ...(types.includes('event') ? [env.ORGANIZATION_EVENTS.getByName(orgUuid)] : []),
    ]);
    await Promise.allSettled(owners.map((owner) => owner.wake()));
    const last = rows.at(-1);
    if (rows.length < TOLD_MAX || !last) return;
    after = last.orgUuid;
  }
}
