/** The caller of an identity provider's token, and what rules may give them. Contract §3. */
import { base64url } from 'jose';
import type { Caller, PublicContext } from '../../context.ts';
import type { Issuer } from '../../issuers.ts';
import { comparedName } from '../../shapes/ids.ts';
import { tokenInvalid, tokenRevoked } from '../tokens.ts';
import { claimed } from './claims.ts';
import { refusedBy } from './refusal.ts';
import { selectOrganizationNamed } from './store.ts';
import { SKEW_S, verifyExternal } from './verify.ts';

/**
 * The caller of a token that `issuer` signed. Their name is `<issuer>#<sub>`; no username has a
 * colon, so it cannot be another user's.
 * @throws GatewayError TOKEN_EXPIRED, TOKEN_INVALID also for an organization that the issuer may not speak for, TOKEN_REVOKED when it is gone, SERVICE_UNAVAILABLE when its keys cannot be had
 */
export async function externalCaller(
  open: PublicContext,
  issuer: Issuer,
  token: string,
): Promise<Caller> {
  const payload = await verifyExternal(open, issuer, token);
  const claims = claimed(issuer, payload);
  if (!claims) throw tokenInvalid();
  if (claims.organization === undefined) throw refusedBy('organization');
  const { uuid: orgUuid, id: orgId } = await organizationOf(open, issuer, claims.organization);
  const subject = `${issuer.issuer}#${claims.subject}`;
  const issuedAt = pastTime(payload.iat, open.now());
  const groups = claims.groups.map((name) => `group:${name}`);
  const { max_level: maxLevel } = issuer;
  return {
    userUuid: subject,
    userId: subject,
    orgUuid,
    orgId,
    issuedAt,
    loginAt: issuedAt,
    expiresAt: ((payload.exp ?? 0) + SKEW_S) * 1000,
    external: {
      issuer: issuer.issuer,
      groups,
      maxLevel,
      claims: JSON.stringify(payload),
      digest: await digestOf([subject, maxLevel, ...groups]),
    },
  };
}

async function organizationOf(open: PublicContext, issuer: Issuer, named: string) {
  const listed = new Set(issuer.organizations.map(comparedName));
  const [organization] = await selectOrganizationNamed(open.db, named);
  if (!organization) {
    throw listed.has(comparedName(named)) ? tokenRevoked() : refusedBy('organization');
  }
  const { uuid, id } = organization;
  if (!listed.has(uuid) && !listed.has(id)) throw refusedBy('organization');
  return organization;
}

/** Seconds of a claim as milliseconds of a time that was; now, where the claim is missing or invalid. */
function pastTime(seconds: unknown, now: number): number {
  const isPast = typeof seconds === 'number' && seconds >= 0 && seconds * 1000 <= now;
  return isPast ? seconds * 1000 : now;
}

async function digestOf(parts: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}
