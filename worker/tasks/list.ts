/** Tasks that a caller may complete, as a page of a list. Spec: workflows.md §6. */
import type { Json, JsonObject } from '../../proto/json.ts';
import type { Policy } from '../access/policy.ts';
import type { Context } from '../context.ts';
import { type Level, reaches } from '../levels.ts';
import { type ListContext, readCursor, writeCursor } from '../shapes/cursor.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { onWorkflow } from '../workflows/access.ts';
import { type Content, contentOf, isAssignee, levelOn } from './assignees.ts';
import type { TasksQuery } from './schema.ts';
import { selectTasks, type TaskFilter } from './store.ts';

/** Tasks that one statement reads. */
const STEP = 200;

type Row = Awaited<ReturnType<typeof selectTasks>>[number];

/** The newest first. @throws GatewayError BAD_REQUEST for a cursor of another list, WORKFLOW_NOT_FOUND */
export async function listTasks(
  ctx: Context,
  policy: Policy,
  { status, workflow: named, limit, cursor }: TasksQuery,
): Promise<Json> {
  const { settings, caller } = ctx;
  const { sealedDataKey } = policy;
  const list: ListContext = { settings, orgUuid: caller.orgUuid, sealedDataKey, list: 'tasks' };
  const last = (await readCursor(list, cursor))?.split(' ');
  let after = last && { time: Number(last[0]), uuid: last[1] ?? '' };
  const workflow = named === undefined ? undefined : await uuidOf(ctx, named);
  const levels = new Map<string, Level>();
  const tasks: JsonObject[] = [];
  for await (const row of rowsOf(ctx, { status, workflow, after })) {
    const shown = await told(ctx, policy, row, levels);
    if (shown && tasks.length === limit) {
      return { tasks, next_cursor: await writeCursor(list, `${after?.time} ${after?.uuid}`) };
    }
    if (shown) tasks.push(shown);
    after = { time: row.task.createdAt, uuid: row.task.uuid };
  }
  return { tasks };
}

/** All tasks that a filter finds, read in steps. */
async function* rowsOf(
  ctx: Context,
  filter: Omit<TaskFilter, 'limit'>,
): AsyncGenerator<Row, void, undefined> {
  let after = filter.after;
  for (;;) {
    const rows = await selectTasks(ctx.db, ctx.caller.orgUuid, { ...filter, after, limit: STEP });
    yield* rows;
    const last = rows.at(-1)?.task;
    if (rows.length < STEP || !last) return;
    after = { time: last.createdAt, uuid: last.uuid };
  }
}

async function uuidOf(ctx: Context, workflow: string): Promise<string> {
  return (await onWorkflow('Read', { deleted: true }).find(ctx, { workflow })).resource.row.uuid;
}

/** Undefined where the caller may not see the task. */
async function told(
  ctx: Context,
  policy: Policy,
  { task, workflow }: Row,
  levels: Map<string, Level>,
): Promise<JsonObject | undefined> {
  const { workflowUuid } = task;
  const level = levels.get(workflowUuid) ?? (await levelOn(ctx, workflowUuid));
  levels.set(workflowUuid, level);
  const content = await contentOf(ctx, policy, task);
  if (!reaches(level, 'Admin') && !isAssignee(ctx, policy, content, level)) return undefined;
  return taskOf(task, workflow, content);
}

function taskOf(task: Row['task'], workflow: string, content: Content): JsonObject {
  const { title, description, form, assignees, escalation } = content;
  const { dueAt, completedBy, completedAt, status } = task;
  const roles = Array.isArray(assignees.roles) ? assignees.roles : [];
  return {
    id: task.uuid,
    workflow,
    run_id: task.runUuid,
    action: task.action,
    title,
    ...(description === undefined ? {} : { description }),
    form,
    assignees: escalation ? { ...assignees, roles: [...roles, ...escalation] } : assignees,
    status,
    created: isoTime(task.createdAt),
    ...(dueAt === null ? {} : { due: isoTime(dueAt) }),
    escalated: task.escalated,
    ...(completedBy === null ? {} : { completed_by: completedBy }),
    ...(completedAt === null ? {} : { completed: isoTime(completedAt) }),
  };
}
