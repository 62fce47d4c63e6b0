/** How slices write audit entries: in the same batch as the change, or after the reply. */
import type { Caller, Context, PublicContext } from '../context.ts';
import { auditLimits } from '../limits/quotas/audit.ts';
import type { AuditDetails, AuditOutcome, NewEntry } from './entry.ts';
import { noteChange, noteEntry } from './journal.ts';
import { selectOrganizationsOfAccount } from './store.ts';
import {
  AFTER_CHANGE,
  hasPassword,
  insertEntriesOfAccount,
  insertEntryAfterChange,
} from './write/store.ts';

/** A change by the caller. */
interface AuditedChange {
  /** As worker/audit/action.ts names what the route does. */
  readonly action: string;
  /** For example `endpoint:<uuid>`. */
  readonly resource: string;
  readonly details?: AuditDetails;
}

/**
 * The entry of a change, to be put into the same batch **right after the statement that decides
 * whether anything changed**: it is written exactly if that statement changed a row. A SELECT in
 * between does no harm. Statements after it that ask `changes() > 0` themselves go on asking the
 * same question, since its own row then counts.
 */
export function auditStatement(ctx: Context, change: AuditedChange) {
  noteChange(ctx, ctx.caller.orgUuid);
  return insertEntryAfterChange(ctx.db, entryOf(ctx, actorOf(ctx.caller), change, 'success'));
}

/** The actor of a call without a token. */
export interface Actor {
  readonly orgUuid: string;
  readonly username: string;
  /** The account's UUID, where there is an account; of a key its own. */
  readonly uuid?: string | undefined;
}

/** As `auditStatement`, for a request without a token. */
export function auditStatementBy(ctx: PublicContext, actor: Actor, change: AuditedChange) {
  noteChange(ctx, actor.orgUuid);
  return insertEntryAfterChange(ctx.db, entryOf(ctx, actor, change, 'success'));
}

/**
 * As `auditStatement`, for a change of the caller's account that all organizations see which it is
 * a member of: one entry in each that has room, which the caller's own has.
 */
export function auditAccountStatements(ctx: Context, change: AuditedChange) {
  const { caller, db } = ctx;
  ctx.afterReply(noteOrganizationsOf(ctx, caller.userUuid));
  const entry = entryOf(ctx, actorOf(caller), change, 'success');
  const limits = auditLimits(ctx.settings);
  const where = { accountUuid: caller.userUuid, condition: AFTER_CHANGE, limits };
  return insertEntriesOfAccount(db, where, entry);
}

/** An account whose password is changed, and what is stored of the new one. */
interface PasswordChange {
  readonly uuid: string;
  readonly username: string;
  readonly passwordHash: string;
}

/**
 * The entries of a change of a password, one in each organization that the account is a member
 * of and that has room, to be put anywhere after the change in its batch: they are written exactly if the account
 * has this hash then, and its salt makes it a hash of this change alone.
 */
export function auditPasswordStatements(
  ctx: PublicContext,
  { passwordHash, ...account }: PasswordChange,
  action: string,
) {
  ctx.afterReply(noteOrganizationsOf(ctx, account.uuid));
  const change = { action, resource: `user:${account.uuid}` };
  const entry = entryOf(ctx, { ...account, orgUuid: '' }, change, 'success');
  const condition = hasPassword(account.uuid, passwordHash);
  const where = { accountUuid: account.uuid, condition, limits: auditLimits(ctx.settings) };
  return insertEntriesOfAccount(ctx.db, where, entry);
}

/**
 * An entry that no change goes with: it is written after the reply, at most once a second, and
 * where the audit is full only counted.
 * Repeats of one that did not succeed, by the same from the same address, are counted instead of
 * written again; nothing that a client sends makes two of what succeeded one.
 */
export function recordAfterReply(
  ctx: PublicContext,
  actor: Actor,
  happened: AuditedChange & { readonly outcome: AuditOutcome },
): void {
  noteEntry(ctx, entryOf(ctx, actor, happened, happened.outcome));
}

/** The actor that a token names. */
export function actorOf({ orgUuid, userId: username, userUuid, external, key }: Caller): Actor {
  return { orgUuid, username, ...(external ? {} : { uuid: key?.uuid ?? userUuid }) };
}

function entryOf(
  ctx: PublicContext,
  { orgUuid, username, uuid }: Actor,
  { action, resource, details }: AuditedChange,
  outcome: AuditOutcome,
): NewEntry {
  return {
    orgUuid,
    time: ctx.now(),
    actor: username,
    action,
    resource,
    outcome,
    address: ctx.address,
    requestId: ctx.requestId,
    details: { ...(uuid === undefined ? {} : { actor_uuid: uuid }), ...details },
    repeats: 1,
  };
}

async function noteOrganizationsOf(ctx: PublicContext, accountUuid: string): Promise<void> {
  for (const { orgUuid } of await selectOrganizationsOfAccount(ctx.db, accountUuid)) {
    noteChange(ctx, orgUuid);
  }
}
