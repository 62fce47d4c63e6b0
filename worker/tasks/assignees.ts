/** Who may complete a task: resolved when it is read. Spec: workflows.md §3, `humanTask`. */
import { GatewayError } from '../../proto/errors.ts';
import type { Policy } from '../access/policy.ts';
import type { Context } from '../context.ts';
import type { WorkflowTaskRow } from '../db/tasks.ts';
import { effectiveLevel, type Level, reaches } from '../levels.ts';
import { unseal } from '../secrets/seal.ts';
import { onWorkflow } from '../workflows/access.ts';
import { assigneesIn, isLevel } from '../workflows/runs/audience.ts';
import { type Content, contentIn, taskSealing } from '../workflows/runs/task-rows.ts';

/** Opens what a task asks. */
export async function contentOf(
  ctx: Context,
  { sealedDataKey }: Policy,
  { uuid, sealedContent }: WorkflowTaskRow,
): Promise<Content> {
  const { orgUuid } = ctx.caller;
  const sealing = taskSealing(ctx.settings, { orgUuid, sealedDataKey }, uuid);
  return contentIn(await unseal(sealing, sealedContent));
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
  const { userUuid, external, key } = ctx.caller;
  const { roles, users } = assigneesIn(content);
  const holds = roles.some((role) =>
    role.startsWith('group:')
      ? external?.groups.includes(role)
      : isLevel(role) && reaches(level, role),
  );
  if (holds) return true;
  // A task that names a person is not a key's, also not one of theirs.
  if (key) return false;
  return users.includes(policy.username.toLowerCase()) || users.includes(userUuid.toLowerCase());
}
