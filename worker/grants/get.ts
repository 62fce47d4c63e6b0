/** Rules as they are told: of one resource, or of one subject. Contract §4. */

import type { Json } from '../../proto/json.ts';
import { limitOnUuid } from '../access/api-keys/identity.ts';
import { ENTITY_KINDS, type EntityKind } from '../access/explain.ts';
import { boundedLevel } from '../access/external/identity.ts';
import { type Policy, policyOn } from '../access/policy.ts';
import type { Context } from '../context.ts';
import type { ResourceKind } from '../db/schema.ts';
import { effectiveLevel, type Level, reaches } from '../levels.ts';
import { Tagged } from '../outcome.ts';
import { visible } from '../shapes/visible.ts';
import type { Target } from './access.ts';
import { idMemberOf, pluralOf } from './kinds.ts';
import {
  selectDocument,
  selectOrganizationRule,
  selectRulesOfSubject,
  selectRulesRevision,
  selectWithOwnRule,
} from './store.ts';
import { isGroup, type Subject } from './subjects.ts';

type LevelsById = { [id: string]: Level };

/** The configuration document of a resource or of the organization. */
export async function getDocument(
  ctx: Context,
  kind: ResourceKind,
  { uuid, id }: Target,
): Promise<Tagged> {
  const tag = await tagOf(ctx);
  const rows = await selectDocument(ctx.db, ctx.caller.orgUuid, uuid);
  const of = (groups: boolean): LevelsById =>
    Object.fromEntries(
      rows
        .filter(({ subject }) => isGroup(subject) === groups)
        .map(({ subject, username, level }) => [
          visible(username ?? subject.replace(/^group:/, '')),
          level,
        ]),
    );
  return new Tagged(tag, { [idMemberOf(kind)]: id, users: of(false), groups: of(true) });
}

/**
 * The ETag of all that holds rules: one for the whole organization, raised by every change of a
 * rule or of a username there. It is read before what it stands for, so that it is never newer.
 */
async function tagOf({ db, caller }: Context): Promise<string> {
  const [rules] = await selectRulesRevision(db, caller.orgUuid);
  return String(rules?.revision);
}

/** A subject's levels by rules on resources of these kinds. An external caller's own also come from the token, and have no ETag. */
export async function getPermissions(
  ctx: Context,
  { key, name }: Subject,
  kinds: readonly ResourceKind[],
): Promise<Json | Tagged> {
  const tag = await tagOf(ctx);
  const sorts: [string, LevelsById][] = [];
  for (const kind of kinds) sorts.push([pluralOf(kind), await levelsOn(ctx, kind, key)]);
  const shown = { subject: name, ...Object.fromEntries(sorts) };
  return isExternalSelf(ctx, key) ? shown : new Tagged(tag, shown);
}

/** All of a subject's levels. Spec: "Access record (RBAC)". */
export function getSummary(ctx: Context, subject: Subject): Promise<Json | Tagged> {
  return getPermissions(ctx, subject, ['organization', ...ENTITY_KINDS]);
}

/** What the caller may read of a kind, with the level in force on each. */
export async function getAccessible(ctx: Context, policy: Policy, kind: EntityKind): Promise<Json> {
  const rows = await selectWithOwnRule(ctx.db, ctx.caller, kind);
  const levels = rows.map(({ uuid, id, level }): [string, Level] => [
    id,
    effectiveLevel({
      onOrganization: policy.onOrganization,
      onResource: level ? [boundedLevel(ctx.caller, level)] : [],
      limit: limitOnUuid(policy.limits, uuid),
    }),
  ]);
  const readable = levels.filter(([, level]) => reaches(level, 'Read'));
  return { subject: visible(policy.username), [pluralOf(kind)]: Object.fromEntries(readable) };
}

async function levelsOn(ctx: Context, kind: ResourceKind, subject: string): Promise<LevelsById> {
  const { orgUuid, orgId } = ctx.caller;
  if (isExternalSelf(ctx, subject)) return levelsOfGroups(ctx, kind);
  if (kind !== 'organization') {
    const rows = await selectRulesOfSubject(ctx.db, orgUuid, kind, subject);
    return Object.fromEntries(rows.map(({ id, level }) => [id, level]));
  }
  const rows = await selectOrganizationRule(ctx.db, orgUuid, subject);
  return Object.fromEntries(rows.map(({ level }) => [orgId, level]));
}

function isExternalSelf({ caller }: Context, subject: string): boolean {
  return caller.external !== undefined && subject === caller.userUuid;
}

/** An external caller's own: the most restrictive of the groups' levels there. */
async function levelsOfGroups(ctx: Context, kind: ResourceKind): Promise<LevelsById> {
  if (kind === 'organization') {
    const { onOrganization } = await policyOn(ctx);
    if (onOrganization.length === 0) return {};
    return { [ctx.caller.orgId]: effectiveLevel({ onOrganization, onResource: [] }) };
  }
  const rows = await selectWithOwnRule(ctx.db, ctx.caller, kind);
  return Object.fromEntries(
    rows.flatMap(({ id, level }) => (level ? [[id, boundedLevel(ctx.caller, level)]] : [])),
  );
}
