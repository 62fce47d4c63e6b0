/** What a login and a refresh answer. Spec: "Login result". */
import { GatewayError } from '../../proto/errors.ts';
import { issueToken, type Subject } from '../access/tokens.ts';
import type { PublicContext } from '../context.ts';
import type { Level } from '../levels.ts';
import { visible } from '../shapes/visible.ts';

/** Who logs in, to which organization, and their level there. */
interface LoginSubject extends Subject {
  readonly level: Level;
  /**
   * Milliseconds: when what the token rests on began to be read, so that a password, username or
   * membership that was changed meanwhile ends it; never before the last change.
   */
  readonly issuedAt: number;
}

/**
 * Issues a token.
 * @throws GatewayError TOKEN_EXPIRED when the login lies `LOGIN_MAX_S` back
 */
export async function issueLoginToken({ settings }: PublicContext, holder: LoginSubject) {
  const { token, expiresAt } = await issueToken(settings, holder, holder.issuedAt);
  if (expiresAt <= holder.issuedAt) throw new GatewayError('TOKEN_EXPIRED', 'Token has expired');
  return {
    token,
    expires: new Date(expiresAt).toISOString(),
    user: { username: visible(holder.userId), accessLevel: holder.level },
  };
}
