/** Deletes a workflow with all its versions, and cancels its runs, which stay readable until their retention ends. */
import { GatewayError } from '../../proto/errors.ts';
import type { Demand } from '../access/demand.ts';
import { demandOnOrganization } from '../access/door/author.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import type { WorkflowRow } from '../db/workflows.ts';
import { raiseRules } from '../grants/changes/store.ts';
import { demandRemoval, reachLeftUnder } from '../reach/doors/keep.ts';
import { loadReachLeft } from '../reach/load.ts';
import { type IfMatch, isHeld, preconditionFailed } from '../revision.ts';
import { type Workflow, workflowNotFound } from './access.ts';
import { isReached, loadWorkflows } from './admit.ts';
import { deleteRemains, isDeleted, markDeleted } from './changes/store.ts';
import { ownerOf } from './executions/show.ts';
import { tagOf } from './record.ts';
import { objectNamesOf } from './runs/names.ts';
import { selectActive, selectReferencesOf, selectUsers, selectWorkflow } from './store.ts';
import { changed } from './triggers/changed.ts';
import { insertNews } from './triggers/store.ts';

/** What a removal is held to. */
interface WorkflowDeletion {
  /** Whether it may go although runs are active, or others use it. Spec silent of those: as with templates. */
  readonly confirmed: boolean;
  readonly ifMatch: IfMatch | undefined;
  /** Gets what is demanded of the caller: of a workflow with its author's rights what granting needs, else what storing it needed. Contract §4. */
  readonly demands: Demand[];
}

/**
 * Removes versions, references and paths at once, and cancels what runs. Answers how many runs were
 * active: they compensate what they did.
 * @throws GatewayError WORKFLOW_IN_USE with what uses it, WORKFLOW_RUNNING, WORKFLOW_NOT_FOUND when it is gone already, PRECONDITION_FAILED, FORBIDDEN
 */
export async function deleteWorkflow(
  ctx: Context,
  workflow: Workflow,
  { confirmed, ifMatch, demands }: WorkflowDeletion,
): Promise<number> {
  const { db } = ctx;
  const { row, policy } = workflow;
  const { orgUuid, uuid, id } = row;
  const isDoor = row.runAs === 'author';
  demands.push(
    ...(isDoor
      ? demandRemoval(policy, await reachLeftUnder(ctx, [uuid]))
      : await demandsOf(ctx, workflow)),
  );
  await indexRuns(ctx, orgUuid);
  const [[active], users, deleted] = await db.batch([
    selectActive(db, orgUuid, uuid),
    selectUsers(db, orgUuid, 'workflow', row),
    markDeleted(db, row, { ifMatch, confirmed, now: ctx.now() }),
    auditStatement(ctx, {
      action: 'workflow.delete',
      resource: `workflow:${uuid}`,
      details: { id },
    }),
    insertNews(db, row, {
      change: crypto.randomUUID(),
      at: ctx.now(),
      when: isDeleted(db, orgUuid, uuid),
    }),
    ...deleteRemains(db, orgUuid, uuid),
    raiseRules(db, orgUuid),
  ]);
  const count = active?.active ?? 0;
  if (deleted.length > 0) {
    await cancelRunsOf(ctx, row);
    await changed(ctx.env, ownerOf(ctx, policy));
    ctx.afterReply(ctx.env.WEBHOOK_DELIVERIES.getByName(orgUuid).forget(uuid));
    return count;
  }
  const [left] = await selectWorkflow(db, orgUuid, { uuid });
  if (!left || left.deletedAt !== null) throw workflowNotFound(id);
  if (!isHeld(tagOf(left), ifMatch)) throw preconditionFailed();
  throw unconfirmed(
    id,
    count,
    users.map((each) => each.id),
  );
}

/** What storing it would demand, of what is still there. */
async function demandsOf(ctx: Context, { row, policy }: Workflow): Promise<Demand[]> {
  const references = await selectReferencesOf(ctx.db, row);
  const reached = references.filter(isReached);
  const [reach, others] = await Promise.all([
    loadReachLeft(ctx, reached),
    loadWorkflows(ctx, row, references),
  ]);
  if (!reach) return [demandOnOrganization(policy)];
  return [...reach.demandLeft(reached), ...others.demands(references)];
}

/** @param active runs @param workflows ids of those that use it */
function unconfirmed(id: string, active: number, workflows: readonly string[]): GatewayError {
  const runs = { rule: 'active runs', runs: active };
  if (workflows.length === 0) {
    const message = `Workflow ${id} has ${active} active runs: cancel them with ?confirm=true`;
    return new GatewayError('WORKFLOW_RUNNING', message, { details: [runs] });
  }
  const details = [{ rule: 'in use', workflows }, ...(active > 0 ? [runs] : [])];
  const message = `Workflow ${id} is in use: delete it with ?confirm=true`;
  return new GatewayError('WORKFLOW_IN_USE', message, { details });
}

/** Brings the index of the organization's runs up to date, so that D1 knows which are active. */
async function indexRuns({ env }: Context, orgUuid: string): Promise<void> {
  const names = objectNamesOf(orgUuid);
  await Promise.all(names.map((name) => env.WORKFLOW_RUNS.getByName(name).index()));
}

/**
 * Cancels every active run of a workflow that is deleted, and lets none begin any more: waits end,
 * calls in flight are let end, and what was done is compensated. Answers once all have been told.
 */
async function cancelRunsOf({ env }: Context, { orgUuid, uuid }: WorkflowRow): Promise<void> {
  const names = objectNamesOf(orgUuid);
  await Promise.all(names.map((name) => env.WORKFLOW_RUNS.getByName(name).close(uuid)));
}
