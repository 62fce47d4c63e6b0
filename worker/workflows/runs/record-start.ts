/** Tells the audit of runs that start. Contract §9. */
import { actorOf, recordAfterReply } from '../../audit/record.ts';
import type { PublicContext } from '../../context.ts';
import type { Order } from './head.ts';

/** Records that a run was started: by a caller, by what came by itself, or by the run around it. */
export function recordStart(
  ctx: PublicContext,
  { id, caller, workflow, author }: Pick<Order, 'id' | 'caller' | 'workflow' | 'author'>,
): void {
  recordAfterReply(ctx, actorOf(caller), {
    action: 'workflow.run',
    resource: `workflow-run:${id}`,
    outcome: 'success',
    details: { id: workflow.id, author: author?.name },
  });
}
