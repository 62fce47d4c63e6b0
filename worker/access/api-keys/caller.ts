/** The caller of an API key, and whether the key is taken now, which each call asks of what is remembered. Spec: keys-and-doors.md §1. */

import { GatewayError } from '../../../proto/errors.ts';
import { matches, networksOf, parseAddress } from '../../../proto/networks.ts';
import type { Caller, PublicContext } from '../../context.ts';
import { textDigest } from '../../secrets/digest.ts';
import { tokenInvalid, tokenRevoked } from '../tokens.ts';
import { isWhole } from './form.ts';
import { type KeyLimits, keyName, keySubject } from './identity.ts';
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
  const digest = await textDigest(token);
  const [row] = await selectKeyOfDigest(db, digest);
  if (!row) {
    if (isLimited) noteUnknown(address, open.now());
    throw tokenRevoked();
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

/** What a policy needs of a key's rows. */
export interface KeyStanding extends KeyLimits {
  /** Unix epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
  /** When the text that was sent ends, after a rotation. */
  readonly endsAt: number | null;
  readonly addresses: readonly string[] | null;
}

/** What `local` stands for: a gateway bound to loopback has no other callers. */
const LOCAL = ['127.0.0.1', '::1'];

/**
 * Refuses a key that is not taken from this address at this time.
 * @param now Unix epoch milliseconds
 * @throws GatewayError TOKEN_EXPIRED, TOKEN_REVOKED
 */
export function demandTaken(standing: KeyStanding, address: string, now: number): void {
  const { expiresAt, endsAt, addresses } = standing;
  if (endsAt !== null && endsAt <= now) throw tokenRevoked();
  if (expiresAt !== null && expiresAt <= now) {
    throw new GatewayError('TOKEN_EXPIRED', 'Token has expired');
  }
  if (addresses !== null && !liesIn(addresses, address)) throw tokenRevoked();
}

/** Whether an address as calls have it lies in one of the networks. What is no address lies nowhere. */
function liesIn(cidrs: readonly string[], address: string): boolean {
  const networks = networksOf(cidrs);
  return (address === 'local' ? LOCAL : [address]).some((each) => {
    const parsed = parseAddress(each);
    return parsed !== undefined && matches(networks, parsed);
  });
}
