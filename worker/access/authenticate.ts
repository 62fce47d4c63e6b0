/** From the Authorization header to a caller. */
import { GatewayError } from '../../proto/errors.ts';
import type { Caller, PublicContext } from '../context.ts';
import { issuerOf, namesIssuer } from '../issuers.ts';
import type { Settings } from '../settings.ts';
import { isOutdated, keyCaller } from './api-keys/caller.ts';
import { isKeyLike } from './api-keys/form.ts';
import { externalCaller } from './external/caller.ts';
import { KEYS_MAX_AGE_MS } from './external/keys.ts';
import { refusedBy } from './external/refusal.ts';
import { TokenMemory, type Verified } from './token-memory.ts';
import { verifyToken } from './tokens.ts';

const SCHEME = /^bearer +(\S+)$/i;
/** What was verified under these settings, by token. */
const memories = new WeakMap<Settings, TokenMemory>();

/**
 * Verifies a token once and remembers its caller until it expires; nothing is looked up but the
 * organization that an external token names. Whether the caller still is a member is `authorize`'s
 * question.
 * @throws GatewayError TOKEN_REQUIRED, TOKEN_EXPIRED, TOKEN_INVALID; of external tokens and keys TOKEN_REVOKED, of the former SERVICE_UNAVAILABLE
 */
export async function authenticate(open: PublicContext, header: string | null): Promise<Caller> {
  const token = bearerOf(header);
  const memory = memoryOf(open.settings);
  const known = memory.get(token);
  if (known && known.until > open.now() && !isOutdated(known.caller)) return known.caller;
  const verified = await verify(open, token);
  memory.set(token, verified);
  return verified.caller;
}

/** By what is stored of keys; by the issuer that the token names if we know it; else by ourselves. */
async function verify(open: PublicContext, token: string): Promise<Verified> {
  const { settings, now } = open;
  if (isKeyLike(token)) {
    const caller = await keyCaller(open, token);
    // Whether it is taken is asked for each call: see `policyOf`.
    return { caller, until: Number.POSITIVE_INFINITY };
  }
  const issuer = issuerOf(settings.AUTH_EXTERNAL, token);
  if (!issuer) {
    const caller = await verifyToken(settings, token, now()).catch((thrown: unknown) => {
      const isInvalid = thrown instanceof GatewayError && thrown.code === 'TOKEN_INVALID';
      throw isInvalid && namesIssuer(token) ? refusedBy('issuer', thrown.cause) : thrown;
    });
    return { caller, until: caller.expiresAt };
  }
  const caller = await externalCaller(open, issuer, token);
  // No longer than keys are, or a key that was withdrawn would live as long as its tokens.
  return { caller, until: Math.min(caller.expiresAt, now() + KEYS_MAX_AGE_MS) };
}

function memoryOf(settings: Settings): TokenMemory {
  const known = memories.get(settings) ?? new TokenMemory();
  memories.set(settings, known);
  return known;
}

/**
 * The token of an Authorization header.
 * @throws GatewayError TOKEN_REQUIRED, TOKEN_INVALID
 */
export function bearerOf(header: string | null): string {
  if (header === null) {
    throw tokenRequired();
  }
  const token = SCHEME.exec(header)?.[1];
  if (token !== undefined) return token;
  const trimmed = header.trim();
  if (trimmed.toLowerCase() === 'bearer') throw tokenRequired();
  if (/^bearer\b/i.test(trimmed)) throw new GatewayError('TOKEN_INVALID', 'Invalid token format');
  throw tokenRequired(
    /^basic\b/i.test(trimmed)
      ? 'send the token as Authorization: Bearer <token>; Basic is for the login alone'
      : 'write Bearer and a space before the token',
  );
}

/** In the contract's words, and what would be right where something else was sent. Contract §1, §2. */
function tokenRequired(hint?: string): GatewayError {
  const words = 'Authentication token required';
  return new GatewayError('TOKEN_REQUIRED', hint === undefined ? words : `${words}: ${hint}`, {
    details: [{ path: 'Authorization', message: hint ?? 'is required: see /docs' }],
  });
}
