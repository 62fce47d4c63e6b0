/** Whose rights a run that a caller asks for will have. Spec: keys-and-doors.md §2. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Context } from '../../context.ts';
import { effectiveLevel, reaches } from '../../levels.ts';
import { versionNotFound, type Workflow } from '../access.ts';
import { authorOf } from '../runs/author.ts';
import type { RunAuthor, WorkflowVersion } from '../runs/head.ts';

/**
 * The author of the version that is to run, where the version in force has its author's rights; undefined: the
 * run has the caller's.
 * @throws GatewayError FORBIDDEN for another version than that in force, to callers below Admin; WORKFLOW_NOT_FOUND
 */
export async function authorFor(
  ctx: Context,
  { row, policy }: Workflow,
  version: WorkflowVersion,
): Promise<RunAuthor | undefined> {
  if (row.runAs !== 'author') return undefined;
  const held = effectiveLevel(policy);
  if (version.version !== row.version && !reaches(held, 'Admin')) {
    const message = `Workflow ${row.id} runs with its author's rights: below Admin only its version in force can be run`;
    throw new GatewayError('FORBIDDEN', message, {
      details: [{ rule: 'run_as', level: held, needed: 'Admin' }],
    });
  }
  const author = await authorOf(ctx, version);
  if (!author) throw versionNotFound(row.id, version.version);
  return author;
}
