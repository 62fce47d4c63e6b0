/** Cancels runs, and lets those go on that failed. Spec: workflows.md §6. */
import { type ErrorCode, GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import type { Demand } from '../../access/demand.ts';
import { actorOf, recordAfterReply } from '../../audit/record.ts';
import type { Context } from '../../context.ts';
import { type Accepted, failureOf } from '../../outcome.ts';
import type { Workflow } from '../access.ts';
import type { Order, Retrier, RunRecord } from '../runs/head.ts';
import type { Retried, RunSummary } from '../runs/object.ts';
import { runsObject } from '../runs/reachable.ts';
import { demandRun } from './rights.ts';
import type { CancelManyBody } from './schema.ts';
import { findRun, runNotFound, standing } from './show.ts';
import { selectRuns } from './store.ts';

/** Runs of one request. Spec: workflows.md §6. */
export const MANY_MAX = 1000;
/** Ids that are worked on at the same time. */
const AT_ONCE = 20;

/** A run, and whose rights it has where these are not the caller's. */
type Steered = Pick<Order, 'id' | 'author'>;

/** Tells the audit that a run was steered. */
export function recordSteering(
  ctx: Context,
  action: string,
  { id: run, author }: Steered,
  workflow: string,
): void {
  recordAfterReply(ctx, actorOf(ctx.caller), {
    action: `workflow.${action}`,
    resource: `workflow-run:${run}`,
    outcome: 'success',
    details: { id: workflow, author: author?.name },
  });
}

/** @throws GatewayError RUN_NOT_FOUND, RUN_CONFLICT for one that has ended */
export async function cancelRun(
  ctx: Context,
  workflow: Workflow,
  named: string,
): Promise<Accepted> {
  const { record } = await findRun(ctx, workflow, named, { limit: 0 });
  const object = runsObject(ctx.env, ctx.caller.orgUuid, record.id);
  const answer = await object.cancel(record.id);
  if (answer === undefined) throw runNotFound();
  if (answer === 'ended') throw conflict(`The run has ended: it is ${record.status}`);
  recordSteering(ctx, 'execution.cancel', steered(record), workflow.row.id);
  return standing(ctx, workflow.row.id, answer);
}

/**
 * The same run goes on with what failed or was cut off.
 * @param demands gets what is demanded of the caller
 * @throws GatewayError RUN_NOT_FOUND, RUN_CONFLICT, FORBIDDEN for a caller without its rights
 */
export async function retryRun(
  ctx: Context,
  workflow: Workflow,
  named: string,
  demands: Demand[],
  action = 'execution.retry',
): Promise<Accepted> {
  const { record } = await findRun(ctx, workflow, named, { limit: 0 });
  demands.push(...(await demandRun(ctx, record.head)));
  const by: Retrier = { caller: ctx.caller, address: ctx.address };
  const object = runsObject(ctx.env, ctx.caller.orgUuid, record.id);
  const answer = await object.retry(record.id, JSON.stringify(by));
  if (answer === undefined) throw runNotFound();
  if (typeof answer === 'string' || 'undone' in answer) {
    throw conflict(whyNotRetried(answer, record.status));
  }
  recordSteering(ctx, action, steered(record), workflow.row.id);
  return standing(ctx, workflow.row.id, answer);
}

function whyNotRetried(answer: Exclude<Retried, RunSummary>, status: string): string {
  if (typeof answer !== 'string') {
    const from = answer.undone === undefined ? '' : ` from ${answer.undone}`;
    return `What the run did was undone: fork it${from} instead`;
  }
  if (answer === 'running') return `The run has not ended: it is ${status}`;
  return answer === 'refused'
    ? 'The run was refused before it began: there is nothing to go on with'
    : 'The run has succeeded: only one that failed or was cancelled can be retried';
}

function steered({ id, head: { author } }: RunRecord): Steered {
  return author ? { id, author } : { id };
}

/** The run is in a state in which the operation is not possible. */
export function conflict(message: string): GatewayError {
  return new GatewayError('RUN_CONFLICT', message);
}

/** Does something for each id; the answer lists the ids that failed, with error codes. */
export async function eachOf(
  ids: readonly string[],
  work: (id: string) => Promise<unknown>,
): Promise<Json> {
  const done: string[] = [];
  const failed: { id: string; code: ErrorCode }[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    const ends = await Promise.allSettled(some.map(work));
    for (const [index, end] of ends.entries()) {
      const id = some[index] ?? '';
      if (end.status === 'fulfilled') done.push(id);
      else failed.push({ id, code: failureOf(end.reason).code });
    }
  }
  return { done, failed };
}

/** Cancels runs by their ids, or those that a filter finds and that have not ended. */
export async function cancelMany(
  ctx: Context,
  workflow: Workflow,
  body: CancelManyBody,
): Promise<Json> {
  const ids = 'ids' in body ? body.ids : await foundBy(ctx, workflow, body.filter);
  return eachOf([...new Set(ids)], (id) => cancelRun(ctx, workflow, id));
}

async function foundBy(
  ctx: Context,
  { row }: Workflow,
  filter: Extract<CancelManyBody, { filter: object }>['filter'],
): Promise<string[]> {
  const part = { after: undefined, limit: MANY_MAX };
  const { orgUuid } = ctx.caller;
  const rows = await selectRuns(ctx.db, orgUuid, row.uuid, filter, part, ctx.now());
  return rows.filter(({ endedAt }) => endedAt === null).map(({ uuid }) => uuid);
}
