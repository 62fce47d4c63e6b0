/** Verifies a token of an identity provider. Contract §3, "External tokens". */
import { errors, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose';
import { GatewayError } from '../../../proto/errors.ts';
import type { PublicContext } from '../../context.ts';
import type { Issuer } from '../../issuers.ts';
import { isCanonical, tokenInvalid } from '../tokens.ts';
import { issuerKeys } from './keys.ts';
import { asRefusal } from './refusal.ts';

/** Seconds that the provider's clock may differ from ours. Contract §3. */
export const SKEW_S = 30;
/** RFC 8725 §3.11, RFC 9068: access and ID tokens, but no logout tokens, security events or proofs. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt'];

/**
 * The claims of a token that this issuer signed for this gateway.
 * @throws GatewayError TOKEN_EXPIRED, TOKEN_INVALID, SERVICE_UNAVAILABLE when its keys cannot be had
 */
export async function verifyExternal(
  open: PublicContext,
  issuer: Issuer,
  token: string,
): Promise<JWTPayload> {
  const { payload, protectedHeader } = await authentic(open, issuer, token);
  const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '');
  if (!TYPES.includes(type)) throw tokenInvalid();
  // Bound to a key that its holder would have to prove (RFC 7800): bearing it proves nothing.
  if (payload.cnf !== undefined) throw tokenInvalid();
  return payload;
}

async function authentic(
  open: PublicContext,
  issuer: Issuer,
  token: string,
): Promise<JWTVerifyResult> {
  try {
    if (!isCanonical(token)) throw new errors.JWSInvalid('Not in the one form of base64url');
    return await jwtVerify(token, issuerKeys(open, issuer), {
      algorithms: issuer.algorithms,
      issuer: issuer.issuer,
      audience: issuer.audience,
      clockTolerance: SKEW_S,
      currentDate: new Date(open.now()),
      requiredClaims: ['exp'],
    });
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    throw asRefusal(thrown);
  }
}
