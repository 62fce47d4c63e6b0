/** Changes a user: oneself, or what the organization says of another. Contract §3. */
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { demand, type Standing } from '../access/access.ts';
import { reaches } from '../access/levels.ts';
import { forgetAll } from '../access/policy.ts';
import { auditPasswordStatement, auditStatement } from '../audit/record.ts';
import { hashPassword, isPassword } from '../auth/passwords.ts';
import { endResetsAfterChange, selectAccount } from '../auth/store.ts';
import { countForAccount, countForAddress } from '../auth/throttle.ts';
import type { Context } from '../context.ts';
import type { Subject } from '../grants/subjects.ts';
import type { Changes } from './schema.ts';
import { type AccountChanges, selectUser, updateAccount, updateMembership } from './store.ts';

/**
 * Of oneself username, password and description; of another the description.
 * @throws GatewayError FORBIDDEN, ACCOUNT_EXISTS, INVALID_CREDENTIALS, RATE_LIMITED, EDIT_CONFLICT,
 * SERVICE_UNAVAILABLE
 */
export async function changeUser(
  ctx: Context,
  user: Subject,
  standing: Standing,
  body: Changes,
): Promise<Json> {
  if (ctx.caller.external && user.key === ctx.caller.userUuid) throw keptElsewhere();
  if (user.key !== ctx.caller.userUuid) await demandOver(ctx, user, standing, body);
  const { username, password, description } = body;
  if (username !== undefined || password !== undefined) await changeAccount(ctx, user, body);
  if (description !== undefined) await describe(ctx, user, description);
  const updatedFields = (['username', 'password', 'description'] as const).filter(
    (field) => body[field] !== undefined,
  );
  const userId = username ?? user.name;
  const logIn = password === undefined ? '' : ': log in again';
  return { message: `User ${userId} changed${logIn}`, userId, updatedFields };
}

/** Another's description is changed by who is above him, his account by himself only. */
async function demandOver(ctx: Context, user: Subject, standing: Standing, body: Changes) {
  const field = (['username', 'password'] as const).find((each) => body[each] !== undefined);
  if (field !== undefined) {
    throw new GatewayError('FORBIDDEN', `Only ${user.name} changes this ${field}`, {
      details: [{ rule: 'an account is changed by its owner', field }],
    });
  }
  const [row] = await selectUser(ctx.db, ctx.caller.orgUuid, user.key);
  if (row && reaches(row.level, standing.held)) demand(standing, 'SuperAdmin');
}

async function describe(ctx: Context, user: Subject, description: string): Promise<void> {
  const { orgUuid, userUuid: by } = ctx.caller;
  const member = { orgUuid, accountUuid: user.key, description, by, now: ctx.now() };
  await ctx.db.batch([
    updateMembership(ctx.db, member),
    auditStatement(ctx, {
      action: 'user.update',
      resource: `user:${user.key}`,
      details: { fields: ['description'] },
    }),
  ]);
}

async function changeAccount(ctx: Context, user: Subject, body: Changes): Promise<void> {
  const password = await newPassword(ctx, user, body);
  const changes = { username: body.username, password };
  const now = ctx.now();
  const renamed = {
    action: 'user.update',
    resource: `user:${user.key}`,
    details: { fields: ['username'] },
  };
  const account = { uuid: user.key, username: user.name, passwordHash: password?.hash ?? '' };
  const [made] = await ctx.db
    .batch([
      updateAccount(ctx.db, user.key, changes, now),
      ...(body.username === undefined ? [] : [auditStatement(ctx, renamed)]),
      ...(password ? [endResetsAfterChange(ctx.db, user.key, now)] : []),
      ...(password ? [auditPasswordStatement(ctx, account, 'user.update')] : []),
    ])
    .finally(forgetAll); // An account bears on all its organizations.
  if (made.length > 0) return;
  if (body.username === undefined) {
    throw new GatewayError('EDIT_CONFLICT', 'The password was changed meanwhile');
  }
  throw new GatewayError('ACCOUNT_EXISTS', `User ${body.username} already exists`);
}

async function newPassword(
  ctx: Context,
  user: Subject,
  { password, current_password: current }: Changes,
): Promise<AccountChanges['password']> {
  if (password === undefined || current === undefined) return undefined;
  const [account] = await selectAccount(ctx.db, user.key);
  await countForAddress(ctx);
  await countForAccount(ctx, account?.usernameKey ?? user.key);
  const matches = await isPassword(ctx, current, account?.passwordHash);
  if (!matches || !account?.passwordHash) {
    throw new GatewayError('INVALID_CREDENTIALS', 'Invalid credentials');
  }
  return { old: account.passwordHash, hash: await hashPassword(ctx, password) };
}

function keptElsewhere(): GatewayError {
  return new GatewayError('FORBIDDEN', 'Your identity provider keeps your record', {
    details: [{ rule: 'an account is changed by its owner, and an external user has none' }],
  });
}
