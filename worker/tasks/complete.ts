/** Completes a task, or rejects it. Spec: workflows.md §6. */
import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type Json } from '../../proto/json.ts';
import { writtenText } from '../../proto/written-json.ts';
import type { Policy } from '../access/policy.ts';
import { actorOf, recordAfterReply } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { reaches } from '../levels.ts';
import { isUuid } from '../shapes/ids.ts';
import type { TaskAnswer } from '../workflows/runs/object.ts';
import { runsObject } from '../workflows/runs/reachable.ts';
import type { Content } from '../workflows/runs/task-rows.ts';
import { contentOf, isAssignee, levelOn } from './assignees.ts';
import { formFaults } from './form.ts';
import type { CompleteBody } from './schema.ts';
import { selectTask } from './store.ts';

/**
 * The run goes on.
 * @throws GatewayError TASK_NOT_FOUND, FORBIDDEN, TASK_CLOSED, BAD_REQUEST with every field
 */
export async function completeTask(
  ctx: Context,
  policy: Policy,
  named: string,
  body: CompleteBody,
): Promise<Json> {
  const uuid = isUuid(named) ? named.toLowerCase() : '';
  const { orgUuid } = ctx.caller;
  const [found] = await selectTask(ctx.db, orgUuid, uuid);
  if (!found) throw taskNotFound(named);
  const { task, workflow } = found;
  const content = await contentOf(ctx, policy, task);
  const level = await levelOn(ctx, task.workflowUuid);
  if (!isAssignee(ctx, policy, content, level)) {
    if (!reaches(level, 'Read')) throw taskNotFound(named);
    const message = 'Only assignees of the task may complete it';
    throw new GatewayError('FORBIDDEN', message, { details: [{ rule: 'assignees' }] });
  }
  if (task.status !== 'open') throw closed(task.status === 'done' ? DONE : 'is expired');
  const answer = answerOf({ by: policy.username, task: uuid }, content, body);
  const object = runsObject(ctx.env, orgUuid, task.runUuid);
  if (!(await object.completeTask(task.runUuid, task.path, answer))) throw closed(OVER);
  const what = 'reject' in body ? 'reject' : 'complete';
  recordAfterReply(ctx, actorOf(ctx.caller), {
    action: `task.${what}`,
    resource: `task:${uuid}`,
    outcome: 'success',
    details: { id: workflow },
  });
  const message = what === 'reject' ? 'The task is rejected' : 'The task is done';
  return { message, id: uuid, run_id: task.runUuid };
}

/** @throws GatewayError BAD_REQUEST */
function answerOf(
  of: Pick<TaskAnswer, 'by' | 'task'>,
  { form }: Content,
  body: CompleteBody,
): TaskAnswer {
  if ('reject' in body) return { ...of, rejected: body.comment ?? 'The task was rejected' };
  const fields = Array.isArray(form.fields) ? form.fields.filter(isJsonObject) : [];
  const faults = formFaults(fields, body.form);
  if (faults.length === 0) return { ...of, form: writtenText(body.form) };
  const told = faults.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new GatewayError('BAD_REQUEST', told, { details: [...faults] });
}

const DONE = 'was completed already, or rejected';
/** Known to the run alone: lists may be a second late. */
const OVER = 'is over: it was completed or rejected, or its run has ended';

function taskNotFound(named: string): GatewayError {
  return new GatewayError('TASK_NOT_FOUND', `Task ${named} does not exist`);
}

function closed(how: string): GatewayError {
  return new GatewayError('TASK_CLOSED', `The task ${how}`);
}
