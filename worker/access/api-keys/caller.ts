/** The caller of an API key. Spec: keys-and-doors.md §1. */
import type { Caller, PublicContext } from '../../context.ts';
import { tokenInvalid } from '../tokens.ts';
import { digestOf, isWhole } from './form.ts';
import { keyName, keySubject } from './identity.ts';
import { type KeyStanding, keyRefused } from './standing.ts';
import { selectKeyOfDigest } from './store.ts';
import { demandFewUnknown, noteUnknown } from './unknown.ts';

/** Callers whose key has another name or another end by now. */
const outdated = new WeakSet<Caller>();

/** Whether `compareKey` has found that a caller is to be read again. */
export function isOutdated(caller: Caller): boolean {
  return outdated.has(caller);
}

/**
 * Compares a remembered caller with what a policy has read of the key: so that no trip is made for names alone.
 * @param name as people name the key now
 */
export function compareKey(caller: Caller, name: string, standing: KeyStanding): void {
  if (caller.userId !== name || caller.expiresAt !== endOf(standing)) outdated.add(caller);
}

/** Unix epoch milliseconds. */
function endOf({ expiresAt, endsAt }: Pick<KeyStanding, 'expiresAt' | 'endsAt'>): number {
  return Math.min(expiresAt ?? Number.MAX_SAFE_INTEGER, endsAt ?? Number.MAX_SAFE_INTEGER);
}

/**
 * Whose key it is. That does not change as long as there is the key, except for names and its end, which `compareKey` follows; whether it is
 * taken now is `policyOf`'s question.
 * @throws GatewayError TOKEN_INVALID, TOKEN_REVOKED, RATE_LIMITED for an address that shows many unknown ones
 */
export async function keyCaller(open: PublicContext, token: string): Promise<Caller> {
  const { db, address, settings } = open;
  if (!isWhole(token)) throw tokenInvalid();
  const isLimited = settings.RATE_LIMITS !== 'off';
  if (isLimited) demandFewUnknown(address, open.now());
  const digest = await digestOf(token);
  const [row] = await selectKeyOfDigest(db, digest);
  if (!row) {
    if (isLimited) noteUnknown(address, open.now());
    throw keyRefused();
  }
  const { uuid, name, ownerUuid, owner, orgUuid, orgId, createdAt } = row;
  return {
    userUuid: keySubject(uuid),
    userId: keyName(name, owner ?? undefined),
    orgUuid,
    orgId,
    issuedAt: createdAt,
    loginAt: createdAt,
    expiresAt: endOf(row),
    key: { uuid, digest, ...(ownerUuid === '' ? {} : { owner: ownerUuid }) },
  };
}
