/** Whose rights a run of a workflow has, where these are not the caller's. Spec: keys-and-doors.md §2. */
import { authorContext } from '../../access/door/door.ts';
import { remembered } from '../../access/policy.ts';
import type { Context } from '../../context.ts';
import { selectAuthor } from '../triggers/store.ts';
import type { RunAuthor, WorkflowVersion } from './head.ts';

/** Who stored a version, and the state of its workflow; undefined where it is no more. Usually this takes no trip to D1. */
export function storedBy(
  ctx: Context,
  { uuid, version }: Pick<WorkflowVersion, 'uuid' | 'version'>,
) {
  return remembered(ctx, `workflow-author:${uuid}:${version}`, async () => {
    const [row] = await selectAuthor(ctx.db, ctx.caller.orgUuid, { uuid, version });
    return row;
  });
}

/** The author of a version whose runs have the author's rights; undefined where there is no such version. */
export async function authorOf(
  ctx: Context,
  version: WorkflowVersion,
): Promise<RunAuthor | undefined> {
  const row = await storedBy(ctx, version);
  return row && { uuid: row.authorUuid, name: row.username ?? row.createdBy, workflow: version.id };
}

/** The context with a run's rights. @throws GatewayError FORBIDDEN where its author is no account */
export function withRightsOf(ctx: Context, author: RunAuthor | undefined): Context {
  if (author === undefined) return ctx;
  return authorContext(ctx, { kind: 'workflow', id: author.workflow }, author.uuid);
}
