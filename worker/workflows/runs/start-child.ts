/** Begins the run of a subworkflow, with the rights of the run that asks for it. Spec: workflows.md §3, `subworkflow`. */
import { ERRORS, GatewayError } from '../../../proto/errors.ts';
import { authorize, demand } from '../../access/access.ts';
import { policyOn } from '../../access/policy.ts';
import type { Context } from '../../context.ts';
import type { RunAs } from '../../db/templates.ts';
import { failureOf } from '../../outcome.ts';
import { onWorkflow } from '../access.ts';
import { authorOf, storedBy, withRightsOf } from './author.ts';
import type { Order, RunAuthor, RunEffect, WorkflowVersion } from './head.ts';
import type { RunRow } from './journal.ts';
import type { ChildOutcome } from './object.ts';
import { LARGE, pinned, textOfOrder } from './order.ts';
import { contextOf } from './perform.ts';
import { type Reachable, runsObject, takeChild } from './reachable.ts';
import { LOOKUP_MS, withinTime } from './time-limit.ts';

type Effect = Extract<RunEffect, { do: 'start-child' }>;

/** @throws what it may be tried again after */
export async function startChild(at: Reachable, row: RunRow, effect: Effect): Promise<void> {
  const outcome = await started(at, row, effect).catch((thrown: unknown): ChildOutcome => {
    const { code, message } = failureOf(thrown);
    if (ERRORS[code].status >= 500) throw thrown;
    return { is: 'failed', code: code === 'TOKEN_REVOKED' ? 'FORBIDDEN' : code, message };
  });
  await takeChild(at, row.run, effect.path, effect.child, outcome);
}

async function started(at: Reachable, row: RunRow, effect: Effect): Promise<ChildOutcome> {
  const { env, driver } = at;
  return withinTime(LOOKUP_MS, (signal) =>
    startedBy(at, row, effect, contextOf(env, row.head, row.id, signal, driver.later)),
  );
}

async function startedBy(
  { env, driver }: Reachable,
  row: RunRow,
  { path, child, workflow: named }: Effect,
  ctx: Context,
): Promise<ChildOutcome> {
  const { head, body, id } = row;
  const input = driver.inputOf(row.run, path);
  if (input === undefined) return { is: 'started' };
  const { username } = await policyOn(ctx);
  const params = { workflow: named };
  const found = await authorize(ctx, onWorkflow('Read'), params);
  const { uuid, id: workflowId, status, version, runAs } = found.resource.row;
  if (status === 'paused') {
    return { is: 'failed', code: 'WORKFLOW_PAUSED', message: `Workflow ${workflowId} is paused` };
  }
  const workflow = head.pins.workflows[named] ?? { uuid, id: workflowId, version };
  const own = await ownAuthor(ctx, workflow, workflow.version === version ? runAs : undefined);
  // With rights of its own it asks of the run around what it asks of callers.
  if (own) demand({ ...found, params }, 'Write');
  const author = own ?? head.author;
  const { pins, retentionMs } = await pinned(withRightsOf(ctx, own), workflow);
  const { orgUuid, orgId, sealedDataKey, caller, requestId, address } = head;
  const startedBy = head.author ? head.startedBy : username;
  const order: Order = {
    ...{ orgUuid, orgId, sealedDataKey, caller, requestId, address, startedBy },
    ...(author ? { author } : {}),
    ...{ id: child, input, workflow, pins, retentionMs },
    trigger: { type: 'subworkflow', id },
    parent: { run: id, path },
    depth: body.depth + 1,
    chain: (head.chain ?? 1) + 1,
  };
  const object = runsObject(env, orgUuid, child);
  const owner = { orgUuid, orgId, sealedDataKey };
  const text = textOfOrder(order);
  // Sent again and again it would fail each time.
  if (text === undefined) {
    return { is: 'failed', code: 'INVALID_INPUT', message: `The input ${LARGE}` };
  }
  const answer = await object.start(owner, text, false);
  if (answer.is === 'invalid') {
    const message = answer.faults.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
    return { is: 'failed', code: 'INVALID_INPUT', message };
  }
  if (answer.is === 'no-room') {
    throw new GatewayError('QUOTA_EXCEEDED', "The organization's storage is used up");
  }
  if (answer.is === 'no-version') {
    const message = `Workflow ${workflow.id} has no version ${workflow.version}`;
    return { is: 'failed', code: 'WORKFLOW_NOT_FOUND', message };
  }
  return { is: 'started' };
}

/** @param runAs of the version, where it is the one in force */
async function ownAuthor(
  ctx: Context,
  version: WorkflowVersion,
  runAs: RunAs | undefined,
): Promise<RunAuthor | undefined> {
  const isDoor = (runAs ?? (await storedBy(ctx, version))?.runAs) === 'author';
  return isDoor ? authorOf(ctx, version) : undefined;
}
