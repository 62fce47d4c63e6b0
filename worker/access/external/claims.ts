/** What an external token says about its bearer, by the issuer's mapping. Contract §3. */
import type { JWTPayload } from 'jose';
import type { Issuer } from '../../issuers.ts';

/** As a username or a group may be written: in 1 to 255 characters, without control characters. */
const NAME = /^[^\p{Cc}]{1,255}$/u;

/** The bearer of a token, and the organization. */
interface BearerClaims {
  readonly subject: string;
  /** Id or UUID; undefined where the token names none. */
  readonly organization: string | undefined;
  /** Groups and permissions, each once, in order; what could not be a group's name is left out. */
  readonly groups: readonly string[];
}

/** What the claims say; nothing when they name no subject. */
export function claimed({ claims }: Issuer, payload: JWTPayload): BearerClaims | undefined {
  const subject = claimAt(payload, claims.subject);
  const organization = claimAt(payload, claims.organization);
  if (!isName(subject)) return undefined;
  const groups = textsOf(claimAt(payload, claims.groups));
  const permissions = claimAt(payload, claims.permissions);
  // A text of permissions is a list by spaces, as `scope` is (RFC 8693 §4.2).
  const more = typeof permissions === 'string' ? permissions.split(' ') : textsOf(permissions);
  const all = new Set([...groups, ...more].filter(isName));
  return {
    subject,
    organization: isName(organization) ? organization : undefined,
    groups: [...all].toSorted(),
  };
}

/** A claim by its name; else, where the name has dots, the member at that path. */
function claimAt(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  let value: unknown = payload;
  for (const member of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return;
    value = new Map<string, unknown>(Object.entries(value)).get(member);
  }
  return value;
}

function textsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value) && value.isWellFormed();
}
