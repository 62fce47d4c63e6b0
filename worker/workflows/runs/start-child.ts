/** Begins the run of a subworkflow, with the rights of the run that asks for it. Spec: workflows.md §3, `subworkflow`. */
import { ERRORS, GatewayError } from '../../../proto/errors.ts';
import { policyOn } from '../../access/policy.ts';
import { failureOf } from '../../outcome.ts';
import { ownOf } from '../own.ts';
import { authorOf, withRightsOf } from './author.ts';
import { refusalOf } from './call-failure.ts';
import { askChild } from './child-rights.ts';
import { contextsOf, type RunContexts } from './contexts.ts';
import type { Order, RunEffect } from './head.ts';
import type { RunRow } from './journal.ts';
import type { ChildOutcome } from './object.ts';
import { LARGE, pinned, textOfOrder } from './order.ts';
import { type Reachable, runsObject, takeChild } from './reachable.ts';
import { recordStart } from './record-start.ts';
import { demandOfRetrier } from './retrier.ts';
import { LOOKUP_MS, withinTime } from './time-limit.ts';

type Effect = Extract<RunEffect, { do: 'start-child' }>;

/** @throws what it may be tried again after */
export async function startChild(at: Reachable, row: RunRow, effect: Effect): Promise<void> {
  const outcome = await started(at, row, effect).catch((thrown: unknown): ChildOutcome => {
    const error = failureOf(thrown);
    if (ERRORS[error.code].status >= 500) throw thrown;
    return { is: 'failed', ...refusalOf(error) };
  });
  await takeChild(at, row.run, effect.path, effect.child, outcome);
}

async function started(at: Reachable, row: RunRow, effect: Effect): Promise<ChildOutcome> {
  const { env, driver } = at;
  return withinTime(LOOKUP_MS, (signal) =>
    startedBy(at, row, effect, contextsOf(env, row, signal, driver.later)),
  );
}

async function startedBy(
  { env, driver }: Reachable,
  row: RunRow,
  { path, child, workflow: named }: Effect,
  { own: ctx, retrier }: RunContexts,
): Promise<ChildOutcome> {
  const { head, body, id } = row;
  const input = driver.inputOf(row.run, path);
  if (input === undefined) return { is: 'started' };
  const { username } = await policyOn(ctx);
  const kept = ownOf(head.pins.workflows, named);
  const { row: of, version: workflow, isDoor } = await askChild(ctx, named, kept);
  if (of.status === 'paused') {
    return { is: 'failed', code: 'WORKFLOW_PAUSED', message: `Workflow ${of.id} is paused` };
  }
  await demandOfRetrier(retrier, (theirs) => askChild(theirs, named, kept));
  const own = isDoor ? await authorOf(ctx, workflow) : undefined;
  const author = own ?? head.author;
  // What is behind a door needs its author's rights alone.
  const retriedBy = own ? undefined : head.retriedBy;
  const { pins, retentionMs } = await pinned(withRightsOf(ctx, own), workflow);
  const { orgUuid, orgId, sealedDataKey, caller, requestId, address } = head;
  const startedBy = head.author ? head.startedBy : username;
  const order: Order = {
    ...{ orgUuid, orgId, sealedDataKey, caller, requestId, address, startedBy },
    ...(author ? { author } : {}),
    ...(retriedBy ? { retriedBy } : {}),
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
  if (answer.is === 'started') recordStart(ctx, order);
  return { is: 'started' };
}
