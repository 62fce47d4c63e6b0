/** Password resets. Spec: "Password reset". Contract §3. */

import { GatewayError } from '../../proto/errors.ts';
import { forgetAll } from '../access/policy.ts';
import { auditPasswordStatements } from '../audit/record.ts';
import type { PublicContext } from '../context.ts';
import { textDigest } from '../secrets/digest.ts';
import { hasMailer, mailerOf } from './mailer.ts';
import { hashPassword } from './passwords.ts';
import { allowedRedirect, linkTo, ownRedirect } from './redirects.ts';
import { newResetToken } from './reset-token.ts';
import type { ResetCompletion, ResetStart } from './schema.ts';
import {
  deleteExpiredResets,
  endResetsAfterChange,
  insertReset,
  selectAccount,
  selectOpenReset,
  setPasswordAfterChange,
  useReset,
} from './store.ts';
import { countForAccount, countForAddress } from './throttle.ts';
import { usernameKey } from './username.ts';

/**
 * Starts a reset. Whether there is such an account is looked up after the reply, so that neither
 * its words nor its time tell.
 * @throws GatewayError BAD_REQUEST for a `redirectUrl` that is not allowed, RATE_LIMITED
 */
export async function startReset(ctx: PublicContext, { email, redirectUrl }: ResetStart) {
  const redirect = allowedRedirect(ctx.settings, redirectUrl);
  await countForAccount(ctx, await countForAddress(ctx), usernameKey(email));
  ctx.afterReply(sendTo(ctx, email, redirect));
  return {
    message: hasMailer(ctx.settings)
      ? 'If there is such an account, a link to reset its password is on its way'
      : 'No link was sent: this gateway has no mailer (MAIL_URL)',
    requestId: ctx.requestId,
  };
}

/**
 * Sends the link of a reset that we start ourselves, after the reply.
 * @returns why none is sent, in words for the reply; undefined when one is
 */
export function sendOwnLink(
  ctx: PublicContext,
  username: string,
  token: string,
): string | undefined {
  const redirect = ownRedirect(ctx.settings);
  if (redirect === undefined) {
    return 'no link to set a password was sent, as neither PUBLIC_URL nor RESET_REDIRECT_URLS is set';
  }
  ctx.afterReply(sendResetLink(ctx, username, linkTo(redirect, token)));
  if (hasMailer(ctx.settings)) return undefined;
  return 'no link to set a password was sent, as this gateway has no mailer (MAIL_URL)';
}

/**
 * Sends the link of a reset that is stored already.
 * @param username as it is stored: a spelling that only compares equal may be another's address
 */
function sendResetLink(ctx: PublicContext, username: string, link: string): Promise<void> {
  return mailerOf(ctx).send({
    to: username,
    subject: 'Set a new password',
    text: `Open this link within 30 minutes to set a new password:\n\n${link}\n\nIf you did not ask for it, do nothing: your password stays as it is.`,
    link,
  });
}

async function sendTo(ctx: PublicContext, email: string, redirect: URL): Promise<void> {
  const [account] = await selectAccount(ctx.db, email);
  if (!account) return;
  const { token, ...stored } = await newResetToken(ctx.now());
  await ctx.db.batch([
    deleteExpiredResets(ctx.db, account.uuid, ctx.now()),
    insertReset(ctx.db, { ...stored, accountUuid: account.uuid, username: account.username }),
  ]);
  await sendResetLink(ctx, account.username, linkTo(redirect, token));
}

/**
 * Sets the new password, ends every token issued before, and proves that the account's owner
 * reads its mail.
 * @throws GatewayError RESET_TOKEN_INVALID, RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function completeReset(
  ctx: PublicContext,
  { username, token, new_password: password }: ResetCompletion,
) {
  const address = await countForAddress(ctx);
  const [account] = await selectAccount(ctx.db, username);
  const key = account?.usernameKey ?? usernameKey(username);
  const check = await countForAccount(ctx, address, key);
  const digest = await textDigest(token);
  const uuid = account?.uuid ?? '';
  const [open] = await selectOpenReset(ctx.db, uuid, digest, ctx.now());
  if (!open) throw invalidToken();
  const hash = await hashPassword(ctx, check, password);
  const now = ctx.now();
  const [used] = await ctx.db
    .batch([
      useReset(ctx.db, uuid, digest, now),
      setPasswordAfterChange(ctx.db, uuid, hash, now),
      endResetsAfterChange(ctx.db, uuid, now),
      ...auditPasswordStatements(
        ctx,
        { uuid, username: account?.username ?? username, passwordHash: hash },
        'auth.password.reset',
      ),
    ])
    // Here and not by the route's `changes`: else any request could empty the cache.
    .finally(forgetAll);
  if (used.length === 0) throw invalidToken();
  return { message: 'The password was changed: log in with it', requestId: ctx.requestId };
}

function invalidToken(): GatewayError {
  return new GatewayError(
    'RESET_TOKEN_INVALID',
    'The reset token is unknown, was used, or has expired',
  );
}
