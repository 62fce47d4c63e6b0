/** Who may complete a task: resolved when it is read. Spec: workflows.md §3, `humanTask`. */
import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../proto/json.ts';
import type { Policy } from '../access/policy.ts';
import type { Context } from '../context.ts';
import type { WorkflowTaskRow } from '../db/workflows.ts';
import { effectiveLevel, LEVELS, type Level, reaches } from '../levels.ts';
import { unseal } from '../secrets/seal.ts';
import { onWorkflow } from '../workflows/access.ts';
import { taskSealing } from '../workflows/runs/task-rows.ts';

/** What a task asks, as its run made it. */
export interface Content {
  readonly title: string;
  readonly description?: string;
  readonly assignees: JsonObject;
  readonly form: JsonObject;
  /** Roles that became assignees when its time ran out once. */
  readonly escalation?: readonly string[];
}

/** Opens what a task asks. */
export async function contentOf(
  ctx: Context,
  { sealedDataKey }: Policy,
  { uuid, sealedContent }: WorkflowTaskRow,
): Promise<Content> {
  const { orgUuid } = ctx.caller;
  const sealing = taskSealing(ctx.settings, { orgUuid, sealedDataKey }, uuid);
  const content = parseJson(await unseal(sealing, sealedContent)) as unknown as Content; // As the run made it.
  return isJsonObject(content.assignees) ? content : { ...content, assignees: {} };
}

/** The caller's level on a workflow; `None` where they do not see it. */
export async function levelOn(ctx: Context, workflow: string): Promise<Level> {
  try {
    const { policy } = await onWorkflow('Read', { deleted: true }).find(ctx, { workflow });
    return effectiveLevel(policy);
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === 'WORKFLOW_NOT_FOUND') return 'None';
    throw thrown;
  }
}

/** Whether the caller is one of the assignees of a task. */
export function isAssignee(ctx: Context, policy: Policy, content: Content, level: Level): boolean {
  const { userUuid, external } = ctx.caller;
  const roles = [...textsIn(content.assignees.roles), ...(content.escalation ?? [])];
  const holds = roles.some((role) =>
    role.startsWith('group:')
      ? external?.groups.includes(role)
      : isLevel(role) && reaches(level, role),
  );
  if (holds) return true;
  const users = textsIn(content.assignees.users).map((user) => user.toLowerCase());
  return users.includes(policy.username.toLowerCase()) || users.includes(userUuid.toLowerCase());
}

function isLevel(text: string): text is Level {
  return (LEVELS as readonly string[]).includes(text);
}

function textsIn(json: Json | undefined): string[] {
  const list = Array.isArray(json) ? json : [json];
  return list.filter((each): each is string => typeof each === 'string');
}
