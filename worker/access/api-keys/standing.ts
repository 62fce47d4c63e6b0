/** Whether a key is taken now: asked for each call of what is remembered of the key. Spec: keys-and-doors.md §1. */
import { GatewayError } from '../../../proto/errors.ts';
import { matches, networksOf, parseAddress } from '../../../proto/networks.ts';
import type { KeyLimits } from './identity.ts';

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

/** A key that is revoked, unknown, or used from elsewhere. */
export function keyRefused(): GatewayError {
  return new GatewayError('TOKEN_REVOKED', 'Token is no longer valid');
}

/**
 * Refuses a key that is not taken from this address at this time.
 * @param now Unix epoch milliseconds
 * @throws GatewayError TOKEN_EXPIRED, TOKEN_REVOKED
 */
export function demandTaken(standing: KeyStanding, address: string, now: number): void {
  const { expiresAt, endsAt, addresses } = standing;
  if (endsAt !== null && endsAt <= now) throw keyRefused();
  if (expiresAt !== null && expiresAt <= now) {
    throw new GatewayError('TOKEN_EXPIRED', 'Token has expired');
  }
  if (addresses !== null && !liesIn(addresses, address)) throw keyRefused();
}

/** Whether an address as calls have it lies in one of the networks. What is no address lies nowhere. */
function liesIn(cidrs: readonly string[], address: string): boolean {
  const networks = networksOf(cidrs);
  return (address === 'local' ? LOCAL : [address]).some((each) => {
    const parsed = parseAddress(each);
    return parsed !== undefined && matches(networks, parsed);
  });
}
