/** Finds the trigger that a path below `/hooks/{org}` leads to. Spec: workflows.md §5. */
import { GatewayError } from '../../../proto/errors.ts';
import { rememberedOf } from '../../access/policy.ts';
import type { PublicContext } from '../../context.ts';
import { countUnsigned } from '../../limits/hooks.ts';
import { inTurn } from '../../limits/record-reads.ts';
import { isUuid } from '../../shapes/ids.ts';
import type { ApiTrigger, WebhookTrigger } from '../../workflows/definition/trigger-tree.ts';
import type { WorkflowVersion } from '../../workflows/runs/head.ts';
import type { Owner } from '../../workflows/runs/object.ts';
import { loadDefinition } from '../../workflows/runs/source.ts';
import { selectHook } from './store.ts';

/** What the path names. */
export interface HookName {
  /** Id or UUID. */
  readonly org: string;
  readonly path: string;
}

/** What answers there. */
export interface Hook<Type extends WebhookTrigger | ApiTrigger = WebhookTrigger | ApiTrigger> {
  readonly owner: Owner;
  /** In the version in force. */
  readonly workflow: WorkflowVersion;
  readonly isPaused: boolean;
  readonly trigger: Type;
}

/**
 * The trigger. A path that leads nowhere counts as an unsigned delivery, so that paths cannot be
 * tried out at any speed; it is the same for an organization that does not exist.
 * @throws GatewayError NOT_FOUND, RATE_LIMITED
 */
export async function findHook(ctx: PublicContext, { org, path }: HookName): Promise<Hook> {
  // One entry for each hook: letter cases of a UUID, which are many, would push out what others need.
  const named = isUuid(org) ? org.toLowerCase() : org;
  const row = await rememberedOf(ctx, `hook:${JSON.stringify([named, path])}`, async () => {
    // Deliveries of many senders may come from one address: what is too much is refused where it is known whose it is.
    const read = () => selectHook(ctx.db, named, path);
    const [found] = await inTurn(ctx, read, Number.POSITIVE_INFINITY);
    return found;
  });
  const trigger = row && (await triggerOf(ctx, row));
  if (!row || !trigger) {
    await countUnsigned(ctx);
    throw nothingThere();
  }
  const { orgUuid, orgId, sealedDataKey, workflow, status } = row;
  const owner = { orgUuid, orgId, sealedDataKey };
  return { owner, workflow, isPaused: status === 'paused', trigger };
}

/** Usually this takes no trip to D1. */
async function triggerOf(
  ctx: PublicContext,
  {
    orgUuid,
    workflow,
    index,
  }: { readonly orgUuid: string; readonly workflow: WorkflowVersion; readonly index: number },
): Promise<Hook['trigger'] | undefined> {
  const definition = await loadDefinition(ctx.db, orgUuid, workflow);
  const trigger = definition?.triggers.find((each) => each.index === index);
  return trigger?.type === 'webhook' || trigger?.type === 'api' ? trigger : undefined;
}

/** The same for another organization's path, one of a workflow that is gone, and one that never was. */
export function nothingThere(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no webhook at that path');
}
