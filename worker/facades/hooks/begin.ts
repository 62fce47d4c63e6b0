/** Starts a workflow that anyone may start. Spec: workflows.md §5, `api`. */
import type { Context, PublicContext } from '../../context.ts';
import { countStartOf } from '../../limits/hooks.ts';
import { admitStart } from '../../limits/starts.ts';
import type { Reply } from '../../route.ts';
import type { ApiTrigger } from '../../workflows/definition/trigger-tree.ts';
import { paused } from '../../workflows/runs/order.ts';
import { readDelivery } from './delivery.ts';
import type { Hook } from './find.ts';
import { noteDelivery } from './notes.ts';
import type { Delivered } from './receive.ts';
import { started } from './started.ts';

/**
 * The body is the input.
 * @throws GatewayError BAD_REQUEST with every fault of the input, UNSUPPORTED_MEDIA_TYPE, WORKFLOW_PAUSED, RATE_LIMITED, NOT_FOUND, QUOTA_EXCEEDED, SERVICE_UNAVAILABLE where too many wait
 */
export async function beginRun(
  ctx: PublicContext & Pick<Context, 'place'>,
  hook: Hook<ApiTrigger>,
  { request, bytes, params }: Delivered,
): Promise<Reply> {
  const { workflow, trigger, owner } = hook;
  if (hook.isPaused) throw paused(workflow.id);
  countStartOf(ctx, owner.orgUuid);
  const root = await readDelivery(ctx, request.headers.get('Content-Type'), bytes);
  const id = crypto.randomUUID();
  const told = { delivery: { path: params.path } };
  const start = () => started(ctx, hook, { id, root, told, request });
  const { run, reply } = await admitStart(ctx, owner.orgUuid, start);
  const of = { workflow: workflow.uuid, index: trigger.index, isTrusted: true };
  noteDelivery(ctx, owner, { ...of, at: ctx.now(), run });
  return reply;
}
