/** Takes levels away: a subject's on one resource, on all of a kind, or everywhere. Contract §4. */

import type { Json } from '../../proto/json.ts';
import { demand } from '../access/access.ts';
import { ruledSubject } from '../access/api-keys/identity.ts';
import type { EntityKind } from '../access/explain.ts';
import { type Policy, policyOn } from '../access/policy.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import type { ResourceKind } from '../db/schema.ts';
import { effectiveLevel } from '../levels.ts';
import { hold, type IfMatch } from '../revision.ts';
import { visible } from '../shapes/visible.ts';
import { findTarget, type Target } from './access.ts';
import {
  deleteDocument,
  deleteOthersRules,
  deleteRules,
  type RuleChange,
  raiseRules,
  type Scope,
  selectHighRules,
  selectRemaining,
} from './changes/store.ts';
import { changedMeanwhile, lastSuperAdmin } from './grant.ts';
import { pluralOf, resultMemberOf } from './kinds.ts';
import { selectDocument, selectOrganizationRule, selectRulesRevision } from './store.ts';
import { isAccount, isGroup, type Subject } from './subjects.ts';

/** Whose rules, and what revision of rules the request is held to. */
interface Revocation {
  readonly resource: Subject;
  readonly ifMatch: IfMatch | undefined;
}

/**
 * Takes a subject's level on the organization away; its rules on resources stay.
 * @throws GatewayError FORBIDDEN, PRECONDITION_FAILED, LAST_SUPER_ADMIN, EDIT_CONFLICT
 */
export async function revokeOnOrganization(
  ctx: Context,
  { resource: subject, ifMatch }: Revocation,
): Promise<Json> {
  const { orgUuid, orgId } = ctx.caller;
  const scope = { kind: 'organization', resourceUuid: orgUuid } as const;
  await takeAway(ctx, { subject, scope, policy: await policyOn(ctx), ifMatch });
  return removed('organization', subject, orgId);
}

/**
 * Takes a subject's level on one resource away, or those on all of a kind.
 * @param named the resource's id or UUID
 * @throws GatewayError 404 of the resource's sort, FORBIDDEN, PRECONDITION_FAILED, EDIT_CONFLICT
 */
export async function revokeOnKind(
  ctx: Context,
  kind: EntityKind,
  { resource: subject, ifMatch }: Revocation,
  named: string | undefined,
): Promise<Json> {
  if (named === undefined) {
    await takeAway(ctx, { subject, scope: { kind }, policy: await policyOn(ctx), ifMatch });
    return removed(kind, subject, null);
  }
  const { target, policy } = await findTarget(ctx, kind, named);
  const scope = { kind, resourceUuid: target.uuid };
  await takeAway(ctx, { subject, scope, policy, target, ifMatch });
  return removed(kind, subject, target.id);
}

/**
 * Takes all of a subject's levels in the organization away; it stays a member.
 * @throws GatewayError FORBIDDEN, PRECONDITION_FAILED, LAST_SUPER_ADMIN, EDIT_CONFLICT
 */
export async function revokeEverywhere(
  ctx: Context,
  { resource: subject, ifMatch }: Revocation,
): Promise<Json> {
  await takeAway(ctx, { subject, scope: 'everything', policy: await policyOn(ctx), ifMatch });
  return {
    message: `All permissions of ${subject.name} removed`,
    subject: subject.name,
    organizationId: null,
    endpointId: null,
    templateId: null,
    workflowId: null,
  };
}

/**
 * Takes all rules on a resource away.
 * @throws GatewayError PRECONDITION_FAILED
 */
export async function revokeOnResource(
  ctx: Context,
  kind: EntityKind,
  { uuid, id }: Target,
  ifMatch: IfMatch | undefined,
): Promise<Json> {
  const { orgUuid } = ctx.caller;
  const [[rules], before] = await ctx.db.batch([
    selectRulesRevision(ctx.db, orgUuid),
    selectDocument(ctx.db, orgUuid, uuid),
    deleteDocument(ctx.db, orgUuid, uuid, ifMatch),
    auditStatement(ctx, {
      action: `rbac.${pluralOf(kind)}.delete`,
      resource: `${kind}:${uuid}`,
      details: { id },
    }),
    raiseRules(ctx.db, orgUuid),
  ]);
  hold(String(rules?.revision), ifMatch);
  return removedDocument(`${kind} ${id}`, before);
}

/**
 * Takes all rules on the organization away but the caller's own SuperAdmin.
 * @throws GatewayError PRECONDITION_FAILED, LAST_SUPER_ADMIN when the caller has no such rule
 */
export async function revokeAllOnOrganization(
  ctx: Context,
  { ifMatch }: Pick<Revocation, 'ifMatch'>,
): Promise<Json> {
  const { orgUuid, orgId } = ctx.caller;
  const own = ruledSubject(ctx.caller);
  // What no account holds is no SuperAdmin that may be the only one to remain.
  const keeper = isAccount(own) ? own : '';
  const [[rules], before, , , , kept] = await ctx.db.batch([
    selectRulesRevision(ctx.db, orgUuid),
    selectDocument(ctx.db, orgUuid, orgUuid),
    deleteOthersRules(ctx.db, orgUuid, keeper, ifMatch),
    auditStatement(ctx, {
      action: 'rbac.organizations.delete',
      resource: `organization:${orgUuid}`,
    }),
    raiseRules(ctx.db, orgUuid),
    selectOrganizationRule(ctx.db, orgUuid, keeper),
  ]);
  hold(String(rules?.revision), ifMatch);
  if (kept[0]?.level !== 'SuperAdmin') throw lastSuperAdmin();
  return removedDocument(
    `organization ${orgId}`,
    before.filter(({ subject }) => subject !== keeper),
  );
}

/** What is taken away, where, and its author. */
interface Removal {
  readonly subject: Subject;
  readonly scope: Scope;
  /** The caller's rights there. */
  readonly policy: Policy;
  readonly target?: Target;
  readonly ifMatch: IfMatch | undefined;
}

async function takeAway(ctx: Context, removal: Removal): Promise<void> {
  const { subject, scope, policy, target, ifMatch } = removal;
  const { orgUuid } = ctx.caller;
  const change: RuleChange = { orgUuid, scope, entries: [[subject.key, null]] };
  const held = effectiveLevel(policy);
  const params = scope === 'everything' || !target ? {} : { [scope.kind]: target.id };
  const check = async () => {
    const high = await selectHighRules(ctx.db, change);
    demand({ held, policy, params }, high.length > 0 ? 'SuperAdmin' : 'Admin');
  };
  await check();
  const bySuperAdmin = held === 'SuperAdmin';
  const [[rules], , , , remaining] = await ctx.db.batch([
    selectRulesRevision(ctx.db, orgUuid),
    deleteRules(ctx.db, change, { bySuperAdmin, ifMatch }),
    auditStatement(ctx, entryOf(orgUuid, removal)),
    raiseRules(ctx.db, orgUuid),
    selectRemaining(ctx.db, change),
  ]);
  hold(String(rules?.revision), ifMatch);
  if (remaining.length === 0) return;
  await check(); // Says what changed meanwhile, if that is why.
  throw bySuperAdmin ? lastSuperAdmin() : changedMeanwhile();
}

function entryOf(orgUuid: string, { subject, scope, target }: Removal) {
  const where = scope === 'everything' ? 'subjects' : `${pluralOf(scope.kind)}.subjects`;
  const resource =
    scope !== 'everything' && 'resourceUuid' in scope
      ? `${scope.kind}:${scope.resourceUuid}`
      : `organization:${orgUuid}`;
  return {
    action: `rbac.${where}.delete`,
    resource,
    details: { subject: subject.key, ...(target ? { id: target.id } : {}) },
  };
}

function removed(kind: ResourceKind, { name }: Subject, id: string | null): Json {
  const where = id === null ? `all ${pluralOf(kind)}` : `${kind} ${id}`;
  return {
    message: `Permissions of ${name} on ${where} removed`,
    subject: name,
    [resultMemberOf(kind)]: id,
  };
}

function removedDocument(
  where: string,
  rows: readonly { readonly subject: string; readonly username: string | null }[],
): Json {
  const named = (isWanted: boolean) =>
    rows
      .filter(({ subject }) => isGroup(subject) === isWanted)
      .map(({ subject, username }) => visible(username ?? subject.replace(/^group:/, '')));
  return {
    message: `Permissions on ${where} removed`,
    removed_subjects: { users: named(false), groups: named(true) },
  };
}
