/** Changes a user: the caller's own account, or what the organization says about another user. Contract §3. */
import { GatewayError } from '../../proto/errors.ts';
import { demand, type Rights } from '../access/access.ts';
import { authorOf } from '../access/api-keys/identity.ts';
import { forgetAll } from '../access/policy.ts';
import {
  auditAccountStatements,
  auditPasswordStatements,
  auditStatement,
} from '../audit/record.ts';
import { hashPassword, isPassword } from '../auth/passwords.ts';
import { endResetsAfterChange, selectAccount } from '../auth/store.ts';
import { countForAccount, countForAddress } from '../auth/throttle.ts';
import type { Context } from '../context.ts';
import { raiseRulesWith } from '../grants/changes/store.ts';
import type { Subject } from '../grants/subjects.ts';
import { reaches } from '../levels.ts';
import { Tagged } from '../outcome.ts';
import { hold, type IfMatch } from '../revision.ts';
import { visible } from '../shapes/visible.ts';
import {
  type AccountChanges,
  isHeldMember,
  isRevision,
  noteChange,
  tagOf,
  updateAccount,
  updateMembership,
} from './changes/store.ts';
import type { Changes } from './schema.ts';
import { selectUser, type UserRow } from './store.ts';

type Condition = ReturnType<typeof isRevision>;

/** What is to change, and the caller's rights. */
interface UserUpdate extends Rights {
  readonly body: Changes;
  readonly ifMatch: IfMatch | undefined;
}

/** A change that its author may make, of the user as read. */
interface AllowedUpdate {
  readonly row: UserRow;
  readonly body: Changes;
  readonly password: AccountChanges['password'];
  readonly ifMatch: IfMatch | undefined;
}

/**
 * Callers change their own username, password and description; of others the description. All of it is stored,
 * or nothing.
 * @throws GatewayError USER_NOT_FOUND, FORBIDDEN, INVALID_CREDENTIALS, RATE_LIMITED,
 * SERVICE_UNAVAILABLE, PRECONDITION_FAILED, ACCOUNT_EXISTS, EDIT_CONFLICT
 */
export async function updateUser(
  ctx: Context,
  user: Subject,
  { body, ifMatch, ...rights }: UserUpdate,
): Promise<Tagged> {
  const isSelf = user.key === ctx.caller.userUuid;
  if (ctx.caller.external && isSelf) throw keptElsewhere();
  const [row] = await selectUser(ctx.db, ctx.caller.orgUuid, user.key);
  if (!row) throw userNotFound();
  if (!isSelf) demandOver(row, rights, body);
  const password = await newPassword(ctx, user, body);
  hold(tagOf(row), ifMatch);
  const tag = await store(ctx, { row, body, password, ifMatch });
  const updatedFields = (['username', 'password', 'description'] as const).filter(
    (field) => body[field] !== undefined,
  );
  const userId = body.username ?? user.name;
  const logIn = password !== undefined || renames(row, body) ? ': log in again' : '';
  return new Tagged(tag, { message: `User ${userId} changed${logIn}`, userId, updatedFields });
}

/** Whether the user is to have another name; one of other letters may be another's address, too. */
function renames(row: UserRow, { username }: Changes): boolean {
  return username !== undefined && username !== row.username;
}

/** A user's description is changed by a higher level, the account only by the user. */
function demandOver({ username, level }: UserRow, rights: Rights, body: Changes): void {
  const field = (['username', 'password'] as const).find((each) => body[each] !== undefined);
  if (field !== undefined) {
    throw new GatewayError('FORBIDDEN', `Only ${visible(username)} changes this ${field}`, {
      details: [{ rule: 'an account is changed by its owner', field }],
    });
  }
  // The caller is at least Admin.
  rights.demands.push(demand(rights, reaches(level, 'Admin') ? 'SuperAdmin' : 'Admin'));
}

/** Answers the new tag; what others change meanwhile makes it one that is not in force. */
async function store(ctx: Context, change: AllowedUpdate): Promise<string> {
  const { row, body } = change;
  const changesAccount = body.username !== undefined || body.password !== undefined;
  const describes = body.description !== undefined;
  if (changesAccount) await storeAccount(ctx, change);
  else if (describes) await storeDescription(ctx, change);
  return tagOf({
    ...row,
    accountRevision: row.accountRevision + (changesAccount ? 1 : 0),
    membershipRevision: row.membershipRevision + (describes ? 1 : 0),
  });
}

async function storeDescription(ctx: Context, change: AllowedUpdate): Promise<void> {
  const { row, ifMatch } = change;
  const own = { orgUuid: ctx.caller.orgUuid, accountUuid: row.uuid };
  const [update, entry] = described(ctx, change, isHeldMember(ctx.db, own, ifMatch));
  const [made] = await ctx.db.batch([update, entry]);
  if (made.length === 0) await refuse(ctx, change);
}

async function storeAccount(ctx: Context, change: AllowedUpdate): Promise<void> {
  const { db, caller } = ctx;
  const { row, body, password, ifMatch } = change;
  const now = ctx.now();
  const isRenamed = renames(row, body);
  const revision = row.accountRevision;
  const changes = { username: body.username, renames: isRenamed, password, revision };
  const own = { orgUuid: caller.orgUuid, accountUuid: row.uuid };
  const isChanged = isRevision(row.uuid, revision + 1);
  const account = { ...row, passwordHash: password?.hash ?? '' };
  const [made] = await db
    .batch([
      updateAccount(db, row.uuid, changes, {
        now,
        condition: isHeldMember(db, own, ifMatch),
      }),
      ...(body.username === undefined ? [] : auditRename(ctx)),
      ...(isRenamed || password ? [endResetsAfterChange(db, row.uuid, now)] : []),
      ...(body.username === undefined ? [] : [raiseRulesWith(db, row.uuid, isChanged)]),
      ...(password ? auditPasswordStatements(ctx, account, 'user.update') : []),
      ...(body.description === undefined
        ? [noteChange(db, { ...own, by: authorOf(caller), now }, isChanged)]
        : described(ctx, change, isChanged)),
    ])
    .finally(forgetAll); // An account bears on all its organizations.
  if (made.length === 0) await refuse(ctx, change);
}

/** An account is renamed by its owner alone. */
function auditRename(ctx: Context) {
  return auditAccountStatements(ctx, {
    action: 'user.update',
    resource: `user:${ctx.caller.userUuid}`,
    details: { fields: ['username'] },
  });
}

/** The statements that store a description, if `condition` holds. */
function described(ctx: Context, { row, body }: AllowedUpdate, condition: Condition | undefined) {
  const { orgUuid } = ctx.caller;
  const by = authorOf(ctx.caller);
  const description = body.description ?? '';
  const member = { orgUuid, accountUuid: row.uuid, description, by, now: ctx.now() };
  const entry = auditStatement(ctx, {
    action: 'user.update',
    resource: `user:${row.uuid}`,
    details: { fields: ['description'] },
  });
  return [updateMembership(ctx.db, member, condition), entry] as const;
}

/** Others were faster: says at what. */
async function refuse(ctx: Context, { row, body, ifMatch }: AllowedUpdate): Promise<never> {
  const [now] = await selectUser(ctx.db, ctx.caller.orgUuid, row.uuid);
  if (!now) throw userNotFound();
  hold(tagOf(now), ifMatch);
  if (body.username !== undefined && now.accountRevision === row.accountRevision) {
    throw new GatewayError('ACCOUNT_EXISTS', `User ${body.username} already exists`);
  }
  throw new GatewayError('EDIT_CONFLICT', 'The account was changed meanwhile');
}

function userNotFound(): GatewayError {
  return new GatewayError('USER_NOT_FOUND', 'User not found in organization');
}

async function newPassword(
  ctx: Context,
  user: Subject,
  { password, current_password: current }: Changes,
): Promise<AccountChanges['password']> {
  if (password === undefined || current === undefined) return undefined;
  const [account] = await selectAccount(ctx.db, user.key);
  const key = account?.usernameKey ?? user.key;
  const counted = async () => countForAccount(ctx, await countForAddress(ctx), key);
  const matches = await isPassword(ctx, await counted(), current, account?.passwordHash);
  if (!matches || !account?.passwordHash) {
    throw new GatewayError('INVALID_CREDENTIALS', 'Invalid credentials');
  }
  // Counted only now: a wrong guess costs one check.
  return { old: account.passwordHash, hash: await hashPassword(ctx, await counted(), password) };
}

function keptElsewhere(): GatewayError {
  return new GatewayError('FORBIDDEN', 'Your identity provider keeps your record', {
    details: [{ rule: 'an account is changed by its owner, and an external user has none' }],
  });
}
