/** From the Authorization header to a caller. */
import { GatewayError } from '../../proto/errors.ts';
import { Lru } from '../cache.ts';
import type { Caller, PublicContext } from '../context.ts';
import { verifyToken } from './tokens.ts';

const SCHEME = /^bearer +(\S+)$/i;
/** Tokens remembered per isolate. */
const CAPACITY = 10_000;
/** Callers by the token that was verified and the key it was verified under. */
const verified = new Lru<Caller>(CAPACITY);

/**
 * Verifies a token once and remembers its caller until it expires; nothing is looked up. Whether
 * he still is a member is `authorize`'s question.
 * @throws GatewayError TOKEN_REQUIRED, TOKEN_EXPIRED, TOKEN_INVALID
 */
export async function authenticate(open: PublicContext, header: string | null): Promise<Caller> {
  const token = bearerOf(header);
  const name = `${open.settings.JWT_SECRET}\n${token}`;
  const known = verified.get(name);
  if (known && known.expiresAt > open.now()) return known;
  const caller = await verifyToken(open.settings, token, open.now());
  verified.set(name, caller);
  return caller;
}

/**
 * The token of an Authorization header.
 * @throws GatewayError TOKEN_REQUIRED, TOKEN_INVALID
 */
export function bearerOf(header: string | null): string {
  if (header === null) {
    throw new GatewayError('TOKEN_REQUIRED', 'Authentication token required: see /docs');
  }
  const token = SCHEME.exec(header)?.[1];
  if (token === undefined) {
    throw header.trim().toLowerCase() === 'bearer' || !/^bearer\b/i.test(header)
      ? new GatewayError('TOKEN_REQUIRED', 'Authentication token required: see /docs')
      : new GatewayError('TOKEN_INVALID', 'Invalid token format');
  }
  return token;
}
