/** Tasks that a caller may complete, as a page of a list. Spec: workflows.md §6. */
import type { Json, JsonObject } from '../../proto/json.ts';
import { levelsByRules, type Policy } from '../access/policy.ts';
import { selectRulesOnKind } from '../access/store.ts';
import type { Context } from '../context.ts';
import { effectiveLevel, type Level, reaches } from '../levels.ts';
import { listContext, readCursor, writeCursor } from '../shapes/cursor.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { onWorkflow } from '../workflows/access.ts';
import { audienceTags, rankOf } from '../workflows/runs/audience.ts';
import { type Content, taskSealing } from '../workflows/runs/task-rows.ts';
import { contentOf, isAssignee } from './assignees.ts';
import type { TasksQuery } from './schema.ts';
import { type Audience, selectFloor, selectTasks } from './store.ts';

/**
 * Tasks that one request opens besides those of its page: of such that do not tell their assignees some are
 * not the caller's. After so many a page ends, however few it has. Spec silent.
 */
const SPARE = 100;

type Row = Awaited<ReturnType<typeof selectTasks>>[number];

/** The newest first. @throws GatewayError BAD_REQUEST for a cursor of another list, WORKFLOW_NOT_FOUND */
export async function listTasks(
  ctx: Context,
  policy: Policy,
  { status, workflow: named, limit, cursor }: TasksQuery,
): Promise<Json> {
  const { caller } = ctx;
  const list = listContext(ctx, policy.sealedDataKey, 'tasks');
  const last = (await readCursor(list, cursor))?.split(' ');
  const after = last && { time: Number(last[0]), uuid: last[1] ?? '' };
  const workflow = named === undefined ? undefined : await uuidOf(ctx, named);
  const levels = await levelsOf(ctx, policy);
  const most = limit + SPARE;
  const audience = await audienceFor(ctx, policy, levels);
  const filter = { status, workflow, after, limit: most + 1, audience };
  const [[floor], rows] = await ctx.db.batch([
    selectFloor(ctx.db, caller.orgUuid, filter),
    selectTasks(ctx.db, caller.orgUuid, filter),
  ]);
  const tasks: JsonObject[] = [];
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1]?.task;
    if (before && (tasks.length === limit || at === most)) {
      return { tasks, next_cursor: await writeCursor(list, `${before.createdAt} ${before.uuid}`) };
    }
    const shown = await visibleTask(ctx, policy, row, levels(row.task.workflowUuid));
    if (shown) tasks.push(shown);
  }
  // Tasks that were made at the same time as the last one that was looked at are on this page.
  return { tasks, ...(floor && { next_cursor: await writeCursor(list, `${floor.time} `) }) };
}

/** The caller's level on any workflow. */
async function levelsOf(ctx: Context, policy: Policy) {
  const byRules = levelsByRules(policy, await selectRulesOnKind(ctx.db, ctx.caller, 'workflow'));
  const own = effectiveLevel({ ...policy, onResource: [] });
  const level = (workflowUuid: string): Level => byRules.get(workflowUuid) ?? own;
  return Object.assign(level, { own, byRules });
}

async function audienceFor(
  { settings, caller }: Context,
  { username, sealedDataKey }: Policy,
  { own, byRules }: Awaited<ReturnType<typeof levelsOf>>,
): Promise<Audience> {
  const { orgUuid, userUuid, external } = caller;
  const names = [username.toLowerCase(), userUuid.toLowerCase(), ...(external?.groups ?? [])];
  const sealing = taskSealing(settings, { orgUuid, sealedDataKey }, '');
  return {
    rank: rankOf(own),
    ranks: Object.fromEntries([...byRules].map(([uuid, level]) => [uuid, rankOf(level)])),
    tags: await audienceTags(sealing, names),
  };
}

async function uuidOf(ctx: Context, workflow: string): Promise<string> {
  return (await onWorkflow('Read', { deleted: true }).find(ctx, { workflow })).resource.row.uuid;
}

/** Undefined where the caller may not see the task. */
async function visibleTask(
  ctx: Context,
  policy: Policy,
  { task, workflow }: Row,
  level: Level,
): Promise<JsonObject | undefined> {
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
