/** Makes users members: existing accounts, and new ones. Spec: "IAM users". Contract §3. */
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { demand, type Rights } from '../access/access.ts';
import { authorOf } from '../access/api-keys/identity.ts';
import { auditStatement } from '../audit/record.ts';
import { hashPassword, isPassword } from '../auth/passwords.ts';
import { sendOwnLink } from '../auth/reset.ts';
import { newResetToken } from '../auth/reset-token.ts';
import { selectAccount } from '../auth/store.ts';
import { countForAccount, countForAddress } from '../auth/throttle.ts';
import { usernameKey } from '../auth/username.ts';
import type { Context } from '../context.ts';
import type { AccountRow } from '../db/schema.ts';
import { raiseRules } from '../grants/changes/store.ts';
import { selectMembers } from '../grants/store.ts';
import { type Level, reaches } from '../levels.ts';
import { demandStorage } from '../limits/quotas/demand.ts';
import type { Association, NewUser } from './schema.ts';
import {
  insertAccount,
  insertLevelAfterChange,
  insertMembership,
  insertResetOf,
  type NewMember,
} from './store.ts';

/**
 * Makes an existing account a member, with a level.
 * @throws GatewayError USER_NOT_FOUND, FORBIDDEN, MEMBERSHIP_EXISTS, ACCOUNT_UNVERIFIED, QUOTA_EXCEEDED
 */
export async function associate(
  ctx: Context,
  rights: Rights,
  [level, user]: Association,
): Promise<Json> {
  const [account] = await selectAccount(ctx.db, user);
  if (!account) throw new GatewayError('USER_NOT_FOUND', 'User not found in organization');
  demandFor(rights, level);
  await refuseMember(ctx, account);
  refuseUnverified(ctx, account);
  await demandStorage(ctx, 0);
  return join(ctx, account, level, '');
}

/**
 * Makes a member of an account that is made for it, or of one whose password is given. Without a
 * password a reset is started for the new account.
 * @throws GatewayError FORBIDDEN, ACCOUNT_EXISTS, MEMBERSHIP_EXISTS, ACCOUNT_UNVERIFIED, RATE_LIMITED,
 * SERVICE_UNAVAILABLE, QUOTA_EXCEEDED
 */
export async function createUser(ctx: Context, rights: Rights, body: NewUser): Promise<Json> {
  demandFor(rights, body.access_level ?? 'None');
  await demandStorage(ctx, body.description.length);
  const [account] = await selectAccount(ctx.db, body.username);
  if (!account) return createAccount(ctx, body);
  await refuseMember(ctx, account);
  await checkOwner(ctx, account, body.password);
  refuseUnverified(ctx, account);
  return join(ctx, account, body.access_level, body.description);
}

/** Admin and SuperAdmin are given by a SuperAdmin only. */
function demandFor(rights: Rights, level: Level): void {
  rights.demands.push(demand(rights, reaches(level, 'Admin') ? 'SuperAdmin' : 'Admin'));
}

async function refuseMember(ctx: Context, account: AccountRow): Promise<void> {
  const members = await selectMembers(ctx.db, ctx.caller.orgUuid, [account.uuid]);
  if (members.length > 0) throw memberAlready(account.username);
}

/** The first to name an account may not be its owner. */
function refuseUnverified({ settings, caller }: Context, account: AccountRow): void {
  const { REQUIRE_VERIFIED_ACCOUNTS: required, MAIL_URL } = settings;
  const isRequired = required === 'true' || (required === 'auto' && MAIL_URL !== undefined);
  const isOurs = account.createdByOrg === caller.orgUuid;
  if (!isRequired || isOurs || account.verifiedAt !== null) return;
  throw new GatewayError(
    'ACCOUNT_UNVERIFIED',
    `User ${account.username} must complete a password reset first`,
  );
}

/** Naming an account does not give access to it. */
async function checkOwner(ctx: Context, account: AccountRow, password: string | undefined) {
  if (password !== undefined) {
    const check = await countForAccount(ctx, await countForAddress(ctx), account.usernameKey);
    if (await isPassword(ctx, check, password, account.passwordHash)) return;
  }
  throw accountExists(account.username);
}

async function createAccount(ctx: Context, body: NewUser): Promise<Json> {
  const { db, caller } = ctx;
  const { username, password, description, access_level: level } = body;
  const passwordHash = password === undefined ? null : await hashNew(ctx, username, password);
  const account = { uuid: crypto.randomUUID(), username, passwordHash };
  const { token, ...reset } = await newResetToken(ctx.now());
  const member = memberOf(ctx, account.uuid, description);
  const [made] = await db.batch([
    insertAccount(db, caller.orgUuid, account, ctx.now()),
    ...joining(ctx, member, level),
    ...(passwordHash === null ? [insertResetOf(db, account.uuid, reset)] : []),
  ]);
  if (made.length === 0) throw accountExists(username);
  if (passwordHash !== null) return added(username, level, 'was created');
  const link = sendOwnLink(ctx, username, token) ?? 'a link to set a password is on its way';
  return added(username, level, `was created; ${link}`);
}

async function hashNew(ctx: Context, username: string, password: string): Promise<string> {
  const check = await countForAccount(ctx, await countForAddress(ctx), usernameKey(username));
  return hashPassword(ctx, check, password);
}

async function join(
  ctx: Context,
  { uuid, username }: AccountRow,
  level: Level | undefined,
  description: string,
): Promise<Json> {
  const [first, ...rest] = joining(ctx, memberOf(ctx, uuid, description), level);
  const [made] = await ctx.db.batch([first, ...rest]);
  if (made.length === 0) throw memberAlready(username);
  return added(username, level, 'was added');
}

function memberOf(ctx: Context, accountUuid: string, description: string): NewMember {
  const { orgUuid } = ctx.caller;
  const by = authorOf(ctx.caller);
  return { orgUuid, accountUuid, description, by, now: ctx.now() };
}

/** Membership, audit entry and level: the first decides. */
function joining(ctx: Context, member: NewMember, level: Level | undefined) {
  const entry = auditStatement(ctx, {
    action: 'user.create',
    resource: `user:${member.accountUuid}`,
    details: { subject: member.accountUuid, level: level ?? 'None' },
  });
  const rule =
    level === undefined
      ? []
      : [insertLevelAfterChange(ctx.db, member, level), raiseRules(ctx.db, member.orgUuid)];
  return [insertMembership(ctx.db, member), entry, ...rule] as const;
}

function added(userId: string, level: Level = 'None', what: string): Json {
  return { message: `User ${userId} ${what}`, userId, accessLevel: level };
}

function memberAlready(username: string): GatewayError {
  return new GatewayError('MEMBERSHIP_EXISTS', `User ${username} is a member already`);
}

function accountExists(username: string): GatewayError {
  return new GatewayError(
    'ACCOUNT_EXISTS',
    `User ${username} already exists: name it with the password it has, or as [level, user]`,
  );
}
