/** Why a token of an identity provider is not taken, as far as its bearer may know. Contract §13. */
import { errors } from 'jose';
import { GatewayError } from '../../../proto/errors.ts';
import { tokenInvalid } from '../tokens.ts';

/** `details` name it; all but the first only once the issuer is one of the setting. */
type TokenRule = 'issuer' | 'audience' | 'organization' | 'signature' | 'algorithm' | 'expired';

/** A token that a rule refuses. */
export function refusedBy(rule: TokenRule, cause?: unknown): GatewayError {
  const [code, message] =
    rule === 'expired'
      ? (['TOKEN_EXPIRED', 'Token has expired'] as const)
      : (['TOKEN_INVALID', 'Invalid token format'] as const);
  return new GatewayError(code, message, {
    details: [{ rule }],
    // Without the claims of an expired one: they are not ours, and tell no organization yet.
    ...(rule === 'expired' ? {} : { cause }),
  });
}

/** What of a token is not as its form has it: that no rule refuses. */
const MALFORMED = [
  errors.JWTClaimValidationFailed,
  errors.JWSInvalid,
  errors.JWTInvalid,
  errors.JOSENotSupported,
];

/** What verifying a token of a known issuer failed by. Keys come from outside too: what the platform says about a malformed one is no failure of ours. */
export function asRefusal(thrown: unknown): GatewayError {
  if (thrown instanceof errors.JWTExpired) return refusedBy('expired');
  if (thrown instanceof errors.JOSEAlgNotAllowed) return refusedBy('algorithm', thrown);
  if (thrown instanceof errors.JWTClaimValidationFailed && thrown.claim === 'aud') {
    return refusedBy('audience', thrown);
  }
  if (MALFORMED.some((each) => thrown instanceof each)) return tokenInvalid(thrown);
  return refusedBy('signature', thrown);
}
