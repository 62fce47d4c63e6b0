/** Demands again what a call demanded of its caller's rights, before its outcome is told again. Contract: "Retries by the client". */

import { GatewayError } from '../../proto/errors.ts';
import { demand } from '../access/access.ts';
import { type Demand, withoutRepeats } from '../access/demand.ts';
import { authorContext } from '../access/door/door.ts';
import { type Policy, policyOn } from '../access/policy.ts';
import type { Context } from '../context.ts';
import { onEndpoint } from '../endpoints/access.ts';
import { findTarget } from '../grants/access.ts';
import { notFoundOf, resourceNotFound } from '../grants/kinds.ts';
import { effectiveLevel } from '../levels.ts';
import { onTemplate } from '../templates/access.ts';

/**
 * Refuses a caller who no longer has what the call demanded, as the call would be refused now.
 * @param before what was demanded of them just now
 * @throws GatewayError FORBIDDEN, TOKEN_REVOKED, 404 of what is gone since
 */
export async function demandAgain(
  ctx: Context,
  demands: readonly Demand[],
  before: readonly Demand[],
): Promise<void> {
  for (const each of withoutRepeats(demands, before)) {
    const { by } = each;
    const policy = await policyFor(by ? authorContext(ctx, by, by.uuid) : ctx, each).catch(
      (thrown: unknown) => {
        throw asItWasNamed(each, thrown);
      },
    );
    demand({ held: effectiveLevel(policy), policy, params: each.named }, each.level);
  }
}

/** The caller's rights now; by the UUID, since another may have the id by now. */
async function policyFor(ctx: Context, { on, level }: Demand): Promise<Policy> {
  const { kind, uuid, asRules } = on;
  if (kind === 'organization') return policyOn(ctx);
  if (asRules || kind === 'workflow') return (await findTarget(ctx, kind, uuid)).policy;
  return kind === 'endpoint'
    ? (await onEndpoint(level).find(ctx, { endpoint: uuid })).policy
    : (await onTemplate(level).find(ctx, { template: uuid })).policy;
}

function asItWasNamed({ on: { kind, uuid }, named }: Demand, thrown: unknown): unknown {
  const isGone = thrown instanceof GatewayError && thrown.code === notFoundOf(kind);
  return isGone ? resourceNotFound(kind, named[kind] ?? uuid) : thrown;
}
