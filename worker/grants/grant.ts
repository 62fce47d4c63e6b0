/** Gives subjects a level. Contract §4. */
import { badRequest, GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { demand } from '../access/access.ts';
import { authorOf } from '../access/api-keys/identity.ts';
import type { Demand } from '../access/demand.ts';
import { type Policy, policyOn } from '../access/policy.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import type { ResourceKind } from '../db/schema.ts';
import { effectiveLevel, reaches } from '../levels.ts';
import { demandStorage } from '../limits/quotas/demand.ts';
import { isUuid } from '../shapes/ids.ts';
import { findTarget, type Target } from './access.ts';
import {
  type GrantingChange,
  raiseRules,
  selectHighRules,
  selectSubjectsWithRules,
  upsertRules,
} from './changes/store.ts';
import { pluralOf, resourceNotFound, resultMemberOf } from './kinds.ts';
import type { Additions } from './schema.ts';
import { membersNamed, type Subject, subjectNamed } from './subjects.ts';

/** A change that its author may make, as far as was seen when it was asked for. */
interface GrantPlan {
  readonly target: Target;
  readonly subjects: readonly Subject[];
  readonly change: GrantingChange;
  readonly bySuperAdmin: boolean;
}

/**
 * Gives each subject its level on one resource, or none of them. A grant replaces the earlier one.
 * @throws GatewayError 404 of the resource's sort, USER_NOT_FOUND, FORBIDDEN, LAST_SUPER_ADMIN,
 * EDIT_CONFLICT, QUOTA_EXCEEDED
 */
export async function addSubjects(
  ctx: Context,
  kind: ResourceKind,
  additions: Additions,
  demands: Demand[],
): Promise<Json> {
  const { target, subjects, change, bySuperAdmin } = await plan(ctx, kind, additions, demands);
  await demandRoom(ctx, change);
  const author = { bySuperAdmin, by: authorOf(ctx.caller), at: ctx.now() };
  const entries = change.entries.map(([subject, level]) =>
    auditStatement(ctx, {
      action: `rbac.${pluralOf(kind)}.subjects.create`,
      resource: `${kind}:${target.uuid}`,
      details: { id: target.id, subject, level },
    }),
  );
  const [written] = await ctx.db.batch([
    upsertRules(ctx.db, change, author),
    ...entries,
    raiseRules(ctx.db, change.orgUuid),
  ]);
  if (written.length === 0) {
    await plan(ctx, kind, additions, demands); // Says what changed meanwhile, if that is why.
    throw kind === 'organization' ? lastSuperAdmin() : changedMeanwhile();
  }
  const added = change.entries.map(([, level], at) => ({
    subject: subjects[at]?.name ?? '',
    accessLevel: level,
  }));
  const [first] = added;
  if (additions.isList || !first) {
    return { message: `${added.length} subjects added to ${kind} ${target.id}`, subjects: added };
  }
  const message = `${first.subject} has ${first.accessLevel} on ${kind} ${target.id}`;
  return { message, ...first, [resultMemberOf(kind)]: target.id };
}

/**
 * Groups may have any name, so their rules would have no end. What takes rights away still works without
 * room: another level for a subject that has a rule, and None for a member.
 */
async function demandRoom(ctx: Context, change: GrantingChange): Promise<void> {
  const more = change.entries.filter(
    ([subject, level]) => level !== 'None' || subject.startsWith('group:'),
  );
  const replaced = new Set(
    (await selectSubjectsWithRules(ctx.db, change)).map(({ subject }) => subject),
  );
  if (more.some(([subject]) => !replaced.has(subject))) await demandStorage(ctx, 0);
}

/** At least one SuperAdmin stays: no other user could make a new one. */
export function lastSuperAdmin(): GatewayError {
  return new GatewayError('LAST_SUPER_ADMIN', 'The organization needs a user who is SuperAdmin');
}

/** Another change came first, and its effect is no longer visible. */
export function changedMeanwhile(): GatewayError {
  return new GatewayError('EDIT_CONFLICT', 'The rules were changed meanwhile: try again');
}

async function plan(
  ctx: Context,
  kind: ResourceKind,
  additions: Additions,
  demands: Demand[],
): Promise<GrantPlan> {
  const { target, policy } = await grantedOn(ctx, kind, additions.entity);
  const names = additions.subjects.map(([name]) => name);
  const members = await membersNamed(ctx, names);
  const subjects = names.map((name) => subjectNamed(name, members));
  if (new Set(subjects.map(({ key }) => key)).size < subjects.length) throw namedTwice();
  const change = {
    orgUuid: ctx.caller.orgUuid,
    scope: { kind, resourceUuid: target.uuid },
    entries: subjects.map(({ key }, at) => [key, additions.subjects[at]?.[1] ?? 'None'] as const),
  };
  demands.push(await demandGranting(ctx, { target, policy }, change));
  return { target, subjects, change, bySuperAdmin: effectiveLevel(policy) === 'SuperAdmin' };
}

/** What rules are held on, and the caller's rights on them. */
interface Granted {
  readonly target: Target;
  readonly policy: Policy;
}

/**
 * Demands what a change of levels needs, on what they are held on: SuperAdmin where it gives,
 * changes or takes Admin or more, else Admin. Contract §4.
 * @throws GatewayError FORBIDDEN
 */
export async function demandGranting(
  ctx: Context,
  { target, policy }: Granted,
  change: GrantingChange,
): Promise<Demand> {
  const touchesAdmin =
    change.entries.some(([, level]) => reaches(level, 'Admin')) ||
    (await selectHighRules(ctx.db, change)).length > 0;
  const params = { [change.scope.kind]: target.id };
  const held = effectiveLevel(policy);
  return demand({ held, policy, params }, touchesAdmin ? 'SuperAdmin' : 'Admin');
}

/**
 * What rules are held on, and the caller's rights on them.
 * @param named none for the organization
 * @throws GatewayError 404 of the resource's sort
 */
export async function grantedOn(
  ctx: Context,
  kind: ResourceKind,
  named: string | undefined,
): Promise<Granted> {
  if (kind !== 'organization') return findTarget(ctx, kind, named ?? '');
  const { orgUuid: uuid, orgId: id } = ctx.caller;
  const isOwn =
    named === undefined || (isUuid(named) ? named.toLowerCase() === uuid : named === id);
  if (!isOwn) throw resourceNotFound(kind, named);
  return { target: { uuid, id }, policy: await policyOn(ctx) };
}

function namedTwice(): GatewayError {
  return badRequest('subjects', 'names a subject twice');
}
