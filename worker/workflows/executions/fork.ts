/** A new run that keeps what another one did before an action. Spec: workflows.md §6, `fork`. */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject } from '../../../proto/json.ts';
import { hintFor } from '../../../proto/near-name.ts';
import { writtenText } from '../../../proto/written-json.ts';
import type { Demand } from '../../access/demand.ts';
import type { Context } from '../../context.ts';
import type { Accepted } from '../../outcome.ts';
import { versionNotFound, type Workflow } from '../access.ts';
import { withRightsOf } from '../runs/author.ts';
import type { Order, RunHead, WorkflowVersion } from '../runs/head.ts';
import { paused, pinned } from '../runs/order.ts';
import { runsObject } from '../runs/reachable.ts';
import { sameBefore } from '../runs/same-before.ts';
import { authorFor } from './author.ts';
import { demandNamed, demandRun } from './rights.ts';
import type { ForkBody } from './schema.ts';
import { findRun, hidden, ownerOf, runNotFound, standing } from './show.ts';
import { readsAll } from './sight.ts';
import { invalid } from './start.ts';
import { conflict, recordSteering } from './steer.ts';

/** What the object of a run says about what a fork keeps. */
interface ForkSource {
  readonly head: RunHead;
  readonly input: string;
  /** UUIDs of the endpoints that its values come from. */
  readonly reached: readonly string[];
  /** Ids of the actions before it; absent where the action never ran. */
  readonly before?: readonly string[];
  /** Ids of the actions of the top level that ran; where `before` is absent. */
  readonly main?: readonly string[];
  /** The first of them that was undone. */
  readonly undone?: string;
}

/**
 * @param demands gets what is demanded of the caller
 * @throws GatewayError RUN_NOT_FOUND, RUN_CONFLICT, WORKFLOW_PAUSED, WORKFLOW_NOT_FOUND for an unknown
 * version, BAD_REQUEST, FORBIDDEN, QUOTA_EXCEEDED
 */
export async function forkRun(
  ctx: Context,
  workflow: Workflow,
  named: string,
  body: ForkBody,
  demands: Demand[],
): Promise<Accepted> {
  const { row, policy } = workflow;
  if (row.status === 'paused') throw paused(row.id);
  const { record } = await findRun(ctx, workflow, named, { limit: 0 });
  if (!(await readsAll(ctx, workflow, record))) throw hidden();
  const object = runsObject(ctx.env, ctx.caller.orgUuid, record.id);
  const text = await object.forkOf(record.id, body.from);
  if (text === undefined) throw runNotFound();
  const told = JSON.parse(text) as ForkSource; // As the object wrote it.
  if (!told.before) throw neverRan(body.from, told.main);
  if (told.undone !== undefined) {
    const { undone } = told;
    throw conflict(`What action ${undone} did was undone: fork the run from ${undone}`);
  }
  const version = {
    uuid: row.uuid,
    id: row.id,
    version: body.version ?? told.head.workflow.version,
  };
  await demandSame(ctx, told, version);
  const author = await authorFor(ctx, workflow, version);
  const own = withRightsOf(ctx, author);
  demands.push(...(await demandNamed(own, version)));
  if (body.input !== undefined && !isJsonObject(body.input)) {
    throw invalid([{ path: 'input', message: 'must be an object: the input of the run' }]);
  }
  const kept = await pinned(own, version);
  // It passes over what the workflow checks before that action: no more than the caller could do alone.
  if (author) {
    demands.push(...(await demandRun(ctx, { workflow: version, pins: kept.pins, depth: 1 })));
  }
  const order: Order = {
    ...ownerOf(ctx, policy),
    id: crypto.randomUUID(),
    input: body.input === undefined ? told.input : writtenText(body.input),
    workflow: version,
    caller: ctx.caller,
    ...(author ? { author } : {}),
    startedBy: policy.username,
    trigger: { type: 'fork', id: record.id },
    forkedFrom: record.id,
    depth: 1,
    ...kept,
    requestId: ctx.requestId,
    address: ctx.address,
    fork: { from: body.from, reached: told.reached },
  };
  return started(ctx, workflow, order);
}

function neverRan(from: string, main: readonly string[] = []): GatewayError {
  const known = main.length === 0 ? '' : `; ${hintFor(from, main, { before: 'it came to' })}`;
  return conflict(`The run never came to an action ${from} of the top level${known}`);
}

/** @throws GatewayError WORKFLOW_NOT_FOUND, RUN_CONFLICT */
async function demandSame(
  ctx: Context,
  { head, before = [] }: ForkSource,
  version: WorkflowVersion,
): Promise<void> {
  if (version.version === head.workflow.version) return;
  const same = await sameBefore(ctx, head.workflow, version, before);
  if (same === undefined) throw versionNotFound(version.id, version.version);
  if (!same) {
    throw conflict(`Version ${version.version} has other actions before the one to begin at`);
  }
}

async function started(ctx: Context, workflow: Workflow, order: Order): Promise<Accepted> {
  const { row, policy } = workflow;
  const object = runsObject(ctx.env, ctx.caller.orgUuid, order.id);
  const answer = await object.start(ownerOf(ctx, policy), JSON.stringify(order), false);
  if (answer.is === 'invalid') {
    throw invalid(answer.faults.map(({ path, ...fault }) => ({ path: `input.${path}`, ...fault })));
  }
  if (answer.is === 'no-version') throw versionNotFound(row.id, order.workflow.version);
  if (answer.is === 'no-room') {
    throw new GatewayError('QUOTA_EXCEEDED', "The organization's storage is used up");
  }
  recordSteering(ctx, 'execution.fork', order, row.id);
  return standing(ctx, row.id, answer);
}
