/** Who may store a door. Spec: keys-and-doors.md §2. */
import { GatewayError } from '../../../proto/errors.ts';
import { type Context, hasAccount } from '../../context.ts';
import type { RunAs } from '../../db/templates.ts';
import { effectiveLevel, reaches } from '../../levels.ts';
import { demand } from '../access.ts';
import type { Demand } from '../demand.ts';
import { administering, onOrganizationAlone, type Policy } from '../policy.ts';

/** Refuses keys and callers of identity providers: they are no accounts. @throws GatewayError FORBIDDEN */
export function demandAccount({ caller }: Context): void {
  if (hasAccount(caller)) return;
  throw new GatewayError(
    'FORBIDDEN',
    'runAs author needs an author with an account here: its runs have the rights of that account. No grant to a key or a group ' +
      'is enough: somebody who logs in here, with Admin access on each endpoint that is reached or on the organization, has to store it',
    { details: [{ rule: 'run_as', path: 'runAs' }] },
  );
}

/**
 * Refuses the same where they may read a door and not change it: a grant of Write, which the refusal of a level
 * names, would not help them.
 * @param runAs of the version in force; asked only where it matters
 * @throws GatewayError FORBIDDEN
 */
export async function demandAccountToChange(
  ctx: Context,
  policy: Policy,
  runAs: () => Promise<RunAs | undefined>,
): Promise<void> {
  const held = effectiveLevel(policy);
  const isBelow = reaches(held, 'Read') && !reaches(held, 'Write');
  if (!isBelow || hasAccount(ctx.caller)) return;
  if ((await runAs()) === 'author') demandAccount(ctx);
}

/** An endpoint that a door reaches, and how the caller stands there. */
interface Reached {
  /** As the caller knows it. */
  readonly id: string;
  readonly policy: Policy;
}

/** Whether the caller is Admin of the organization, which is enough for any door. */
export function keepsAllDoors(policy: Policy): boolean {
  return reaches(effectiveLevel(onOrganizationAlone(policy)), 'Admin');
}

/** Demands Admin on the organization, which is enough for any door. @throws GatewayError FORBIDDEN */
export function demandOnOrganization(policy: Policy): Demand {
  const alone = onOrganizationAlone(policy);
  return demand({ held: effectiveLevel(alone), policy: alone, params: {} }, 'Admin');
}

/**
 * Demands what granting on each endpoint needs: a door lets its callers through to all of them.
 * @throws GatewayError FORBIDDEN naming the endpoint
 */
export function demandKeeper(reached: readonly Reached[]): Demand[] {
  return reached.map(({ id, policy: given }) => {
    const on = { ...given.on, asRules: true } as const;
    const policy = administering({ ...given, on });
    return demand({ held: effectiveLevel(policy), policy, params: { endpoint: id } }, 'Admin');
  });
}
