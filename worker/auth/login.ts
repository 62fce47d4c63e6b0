/** Logs a user in. Spec: "Authentication". Contract §2, §3. */
import { GatewayError } from '../../proto/errors.ts';
import * as audit from '../audit/login.ts';
import type { PublicContext } from '../context.ts';
import type { Given } from '../idempotency/rule.ts';
import { effectiveLevel } from '../levels.ts';
import { credentialsOf, organizationOf } from './credentials.ts';
import { issueLoginToken } from './login-token.ts';
import { hashPassword, isOutdated, isPassword } from './passwords.ts';
import { recordLogin, replaceHash, selectForLogin } from './store.ts';
import { countForAccount, countForAddress } from './throttle.ts';
import { usernameKey } from './username.ts';

/**
 * A token for the user in the organization that `X-Org-Id` names. A member without any rule gets
 * one too: what it opens is another question.
 * @throws GatewayError PASSWORD_REQUIRED, RATE_LIMITED, INVALID_CREDENTIALS, SERVICE_UNAVAILABLE
 */
export async function login(ctx: PublicContext, { header }: Pick<Given, 'header'>) {
  const organization = organizationOf(header('X-Org-Id'));
  const { user, password } = credentialsOf(header('Authorization'));
  const address = await countForAddress(ctx);
  const startedAt = ctx.now();
  const [found] = await selectForLogin(ctx.db, organization, user);
  const check = await countForAccount(ctx, address, found?.usernameKey ?? usernameKey(user));
  // Always computed: unknown users, non-members and wrong passwords cost the same and read the same.
  const matches = await isPassword(ctx, check, password, found?.passwordHash);
  if (!matches || !found?.passwordHash || !found.orgUuid || !found.orgId) {
    audit.recordFailedLogin(ctx, organization, found?.orgUuid ? found : undefined);
    throw new GatewayError('INVALID_CREDENTIALS', 'Invalid credentials');
  }
  const issuedAt = Math.max(startedAt, found.validFrom);
  ctx.afterReply(recordLogin(ctx.db, found.orgUuid, found.uuid, startedAt).execute());
  const { uuid, username, orgUuid } = found;
  audit.recordLogin(ctx, { orgUuid, username, uuid });
  if (isOutdated(found.passwordHash)) {
    ctx.afterReply(rehash(ctx, found, found.passwordHash, password));
  }
  return issueLoginToken(ctx, {
    userId: found.username,
    userUuid: found.uuid,
    orgId: found.orgId,
    orgUuid: found.orgUuid,
    level: effectiveLevel({ onOrganization: found.level ? [found.level] : [], onResource: [] }),
    loginAt: issuedAt,
    issuedAt,
  });
}

/** After the reply, when the client may be gone. */
async function rehash(
  ctx: PublicContext,
  account: { readonly uuid: string; readonly usernameKey: string },
  old: string,
  password: string,
): Promise<void> {
  const check = await countForAccount(ctx, await countForAddress(ctx), account.usernameKey);
  const { signal } = new AbortController();
  const hash = await hashPassword({ ...ctx, signal }, check, password);
  await replaceHash(ctx.db, account.uuid, old, hash);
}
