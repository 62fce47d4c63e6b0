/** Founds an organization. Spec: "Organization", create input. Contract §3. */
import { badRequest, GatewayError } from '../../proto/errors.ts';
import { hashPassword, isPassword } from '../auth/passwords.ts';
import { sendOwnLink } from '../auth/reset.ts';
import { newResetToken } from '../auth/reset-token.ts';
import { selectAccounts } from '../auth/store.ts';
import { type CountedCheck, countAll } from '../auth/throttle.ts';
import { usernameKey } from '../auth/username.ts';
import type { PublicContext } from '../context.ts';
import type { AccountRow } from '../db/schema.ts';
import { newDataKey } from '../secrets/seal.ts';
import { ChosenId, idFromName } from '../shapes/ids.ts';
import { type FoundingPlan, foundOrganization } from './founding.ts';
import type { WithAdminEmail, WithSuperAdmins } from './schema.ts';
import { type NewAccount, selectOrganizationById } from './store.ts';

type SuperAdmin = WithSuperAdmins['super_admins'][number];

/**
 * Founds an organization whose SuperAdmins are named with their passwords.
 * @throws GatewayError ORGANIZATION_EXISTS, ACCOUNT_EXISTS, RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function createWithSuperAdmins(ctx: PublicContext, body: WithSuperAdmins) {
  const counted = await countAll(ctx, body.super_admins, keyOf);
  const known = await knownAccounts(ctx, body.id, body.super_admins.map(keyOf));
  const accounts = new Map(known.map((account) => [account.usernameKey, account]));
  for (const [user, check] of counted) {
    const account = accounts.get(keyOf(user));
    if (account) await checkOwner(ctx, check, user, account);
  }
  const newAccounts: NewAccount[] = [];
  const founders = [];
  for (const [user, check] of counted) {
    const account = accounts.get(keyOf(user)) ?? (await newAccount(ctx, check, user));
    if (!accounts.has(account.usernameKey)) newAccounts.push(account);
    founders.push({ uuid: account.uuid, description: user.description });
  }
  return foundOrganization(ctx, {
    ...(await fresh(ctx)),
    id: body.id,
    name: body.id,
    description: body.description,
    settings: {},
    newAccounts,
    founderName: body.super_admins[0]?.username ?? '',
    founders,
    resets: [],
  });
}

/**
 * Founds an organization for an address that has no account yet, and sends it a link to set a
 * password.
 * @throws GatewayError BAD_REQUEST when the name makes no id, ORGANIZATION_EXISTS, ACCOUNT_EXISTS
 */
export async function createWithAdminEmail(ctx: PublicContext, body: WithAdminEmail) {
  const id = idOf(body.name);
  const key = usernameKey(body.adminEmail);
  const known = await knownAccounts(ctx, id, [key]);
  if (known.length > 0) throw emailTaken(body.adminEmail);
  const account = {
    uuid: crypto.randomUUID(),
    username: body.adminEmail,
    usernameKey: key,
    passwordHash: null,
  };
  const { token, ...reset } = await newResetToken(ctx.now());
  const { name, description, settings } = body;
  const created = await foundOrganization(ctx, {
    ...(await fresh(ctx)),
    id,
    name,
    description,
    settings,
    newAccounts: [account],
    founderName: body.adminEmail,
    founders: [{ uuid: account.uuid, description: '' }],
    resets: [{ ...reset, accountUuid: account.uuid, username: account.username }],
  }).catch((thrown: unknown) => {
    const lost = thrown instanceof GatewayError && thrown.code === 'ACCOUNT_EXISTS';
    throw lost ? emailTaken(body.adminEmail) : thrown;
  });
  const unsent = sendOwnLink(ctx, body.adminEmail, token);
  return unsent === undefined ? created : { Ok: `${created.Ok}; ${unsent}` };
}

async function fresh(ctx: PublicContext): Promise<Pick<FoundingPlan, 'uuid' | 'sealedDataKey'>> {
  const uuid = crypto.randomUUID();
  return { uuid, sealedDataKey: await newDataKey(ctx.settings, uuid) };
}

/** Asked before anything is hashed; the batch that founds asks again. */
async function knownAccounts(
  ctx: PublicContext,
  id: string,
  keys: readonly string[],
): Promise<AccountRow[]> {
  const [taken, known] = await ctx.db.batch([
    selectOrganizationById(ctx.db, id),
    selectAccounts(ctx.db, keys),
  ]);
  if (taken.length > 0) {
    throw new GatewayError('ORGANIZATION_EXISTS', `Organization ${id} already exists`);
  }
  return known;
}

/** Naming an account does not give access to it. */
async function checkOwner(
  ctx: PublicContext,
  check: CountedCheck,
  user: SuperAdmin,
  account: AccountRow,
): Promise<void> {
  if (await isPassword(ctx, check, user.password, account.passwordHash)) return;
  throw new GatewayError(
    'ACCOUNT_EXISTS',
    `User ${user.username} already exists: name it with the password it has`,
  );
}

async function newAccount(
  ctx: PublicContext,
  check: CountedCheck,
  user: SuperAdmin,
): Promise<NewAccount> {
  return {
    uuid: crypto.randomUUID(),
    username: user.username,
    usernameKey: keyOf(user),
    passwordHash: await hashPassword(ctx, check, user.password),
  };
}

function keyOf({ username }: SuperAdmin): string {
  return usernameKey(username);
}

function emailTaken(email: string): GatewayError {
  return new GatewayError(
    'ACCOUNT_EXISTS',
    `User ${email} already exists: create the organization with id and super_admins, and that user's password`,
  );
}

function idOf(name: string): string {
  const parsed = ChosenId.safeParse(idFromName(name));
  if (parsed.success) return parsed.data;
  const message = 'makes no id: create the organization with id and super_admins';
  throw badRequest('name', message);
}
