/** The record of a user who has no account here: what the token says. Contract §3, "External tokens". */
import type { Json } from '../../proto/json.ts';
import { uuidOfDigest } from '../../proto/node-id.ts';
import { ENTITY_KINDS } from '../access/explain.ts';
import { boundedLevel, type ExternalIdentity } from '../access/external/identity.ts';
import type { Policy } from '../access/policy.ts';
import type { Context } from '../context.ts';
import { pluralOf } from '../grants/kinds.ts';
import { selectWithOwnRule } from '../grants/store.ts';
import { effectiveLevel, reaches } from '../levels.ts';

/**
 * The caller's own record. Its times are those of the token, its author the issuer, and its UUID
 * stands for issuer and subject alone; nothing here is found by it. Spec silent.
 */
export async function getExternal(
  ctx: Context,
  { issuer, groups }: ExternalIdentity,
  policy: Policy,
): Promise<Json> {
  const { caller } = ctx;
  const issuedAt = new Date(caller.issuedAt).toISOString();
  const managed: [string, number][] = [];
  for (const kind of ENTITY_KINDS) {
    managed.push([pluralOf(kind), await countManaged(ctx, policy, kind)]);
  }
  return {
    userId: caller.userId,
    uuid: await uuidOf(caller.userId),
    description: '',
    accessLevel: effectiveLevel({ ...policy, onResource: [] }),
    status: 'active',
    created: issuedAt,
    createdBy: issuer,
    lastModified: issuedAt,
    lastModifiedBy: issuer,
    lastActive: new Date(ctx.now()).toISOString(),
    groups: groups.map((name) => name.replace(/^group:/, '')),
    managedResources: Object.fromEntries(managed),
    activity: { lastLogin: issuedAt, loginCount: 0, lastOperations: [] },
  };
}

async function countManaged(
  ctx: Context,
  { onOrganization }: Policy,
  kind: (typeof ENTITY_KINDS)[number],
): Promise<number> {
  const rows = await selectWithOwnRule(ctx.db, ctx.caller, kind);
  return rows.filter(({ level }) => {
    const onResource = level ? [boundedLevel(ctx.caller, level)] : [];
    return reaches(effectiveLevel({ onOrganization, onResource }), 'Admin');
  }).length;
}

async function uuidOf(subject: string): Promise<string> {
  const bytes = new TextEncoder().encode(subject);
  return uuidOfDigest(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}
