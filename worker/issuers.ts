/** Identity providers whose tokens are taken, as the setting `AUTH_EXTERNAL` lists them. Contract §13. */
import { decodeJwt } from 'jose';
import * as z from 'zod';
import { LEVELS } from './levels.ts';

/** Asymmetric ones only: verifying a token must not allow making one. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

const Claim = z.string().min(1);

const Issuer = z.strictObject({
  /** As the tokens' `iss` has it, to the letter. */
  issuer: z.url().refine((text) => !text.includes('#'), 'has a fragment'),
  /** One of these must be among the tokens' `aud`. */
  audience: z.union([Claim.transform((one) => [one]), z.array(Claim).min(1)]),
  jwks_url: z.url().refine(isSafe, 'must be https, or http on loopback'),
  algorithms: z.array(z.enum(ALGORITHMS)).min(1),
  /** Ids or UUIDs of the organizations that it may speak for. */
  organizations: z.array(Claim).min(1),
  /** No rule gives its users more. */
  max_level: z.enum(LEVELS).exclude(['None']).default('Write'),
  /** Names of the claims, or their paths by dots; these defaults. Spec silent. */
  claims: z
    .strictObject({
      organization: Claim.default('org_id'),
      subject: Claim.default('sub'),
      groups: Claim.default('groups'),
      permissions: Claim.default('permissions'),
    })
    .prefault({}),
});
/** One identity provider. */
export type Issuer = Readonly<z.infer<typeof Issuer>>;

/** The list of a setting; each issuer once. */
export const Issuers = z
  .array(Issuer)
  .refine(
    (all) => new Set(all.map(({ issuer }) => issuer)).size === all.length,
    'names an issuer twice',
  );

/** Whose token it says it is, unverified; none when it names no issuer of the list. */
export function issuerOf(issuers: readonly Issuer[], token: string): Issuer | undefined {
  if (issuers.length === 0) return undefined;
  try {
    const { iss } = decodeJwt(token);
    return issuers.find(({ issuer }) => issuer === iss);
  } catch {
    return undefined; // Not a token at all: its verification says so.
  }
}

/** Whether a token says that an identity provider made it, whichever; ours name none. */
export function namesIssuer(token: string): boolean {
  try {
    return typeof decodeJwt(token).iss === 'string';
  } catch {
    return false;
  }
}

function isSafe(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}
