/** What an action's output comes from, and what a run needs for it. Contract §9. */
import { ERRORS } from '../../../proto/errors.ts';
import { authorize, demand } from '../../access/access.ts';
import { policyOn } from '../../access/policy.ts';
import type { Context } from '../../context.ts';
import type { TemplateRow } from '../../db/templates.ts';
import { onEndpoint } from '../../endpoints/access.ts';
import { failureOf } from '../../outcome.ts';
import { loadReach } from '../../reach/load.ts';
import { onTemplate } from '../../templates/access.ts';
import type { EndpointAction, TemplateAction } from '../definition/tree.ts';
import type { Failure } from '../engine/journal.ts';
import { ownOf } from '../own.ts';
import { failureFrom } from './call-failure.ts';
import type { RunContexts } from './contexts.ts';
import type { Pins } from './head.ts';
import { demandOfRetrier } from './retrier.ts';

/** The version of a template that an action runs. */
export function rootOf(
  { uuid, version }: Pick<TemplateRow, 'uuid' | 'version'>,
  { template }: Pick<TemplateAction, 'template'>,
  { templates }: Pins,
) {
  return { uuid, version: ownOf(templates, template) ?? version, isPinned: true };
}

/**
 * Asks for what a call of an action asks for. Answers the UUIDs of the endpoints that its output comes from.
 * @throws GatewayError FORBIDDEN, ENDPOINT_NOT_FOUND, TEMPLATE_NOT_FOUND, TEMPLATE_FAILED, TOKEN_REVOKED
 */
export async function demandSources(
  ctx: Context,
  action: EndpointAction | TemplateAction,
  pins: Pins,
): Promise<readonly string[]> {
  await policyOn(ctx);
  if (action.type === 'endpoint') {
    const level = action.operation === 'write' ? 'Write' : 'Read';
    const params = { endpoint: action.endpoint };
    const found = await authorize(ctx, onEndpoint(level), params);
    demand({ ...found, params }, level);
    return [found.resource.row.uuid];
  }
  const params = { template: action.template };
  const { resource } = await authorize(ctx, onTemplate('Read'), params);
  const { id } = resource.row;
  const reach = await loadReach(ctx, rootOf(resource.row, action, pins), pins.nested);
  reach.demandRun({ id, policy: resource.policy }, true);
  return reach.endpoints.map(({ uuid }) => uuid);
}

/**
 * UUIDs of the endpoints that an action's output comes from, or why the run may not have it: its rights are asked as for a
 * call, and those of who retried it.
 */
export async function sourcesOf(
  { own, retrier }: RunContexts,
  action: EndpointAction | TemplateAction,
  pins: Pins,
): Promise<{ readonly reached: readonly string[] } | { readonly failure: Failure }> {
  try {
    await demandOfRetrier(retrier, (ctx) => demandSources(ctx, action, pins));
    return { reached: await demandSources(own, action, pins) };
  } catch (thrown) {
    const error = failureOf(thrown);
    if (ERRORS[error.code].status >= 500) throw thrown;
    return { failure: failureFrom(error, false, action.id) };
  }
}

/** Whether a template's run may have changed something: asked of one that was cut off. */
export async function templateWrites(
  ctx: Context,
  action: TemplateAction,
  pins: Pins,
): Promise<boolean> {
  try {
    const { resource } = await onTemplate('Read').find(ctx, { template: action.template });
    const root = rootOf(resource.row, action, pins);
    return (await loadReach(ctx, root, pins.nested)).writes;
  } catch {
    return true;
  }
}
