/** What a caller is told whose key stands for an earlier call. Contract: "Retries by the client". */
import { GatewayError } from '../../proto/errors.ts';
import type { Demand } from '../access/demand.ts';
import type { Outcome } from '../outcome.ts';
import { unseal, unsealBytes } from '../secrets/seal.ts';
import { opened } from './kept.ts';
import type { KeyLocation, OrganizationKeyLocation } from './location.ts';
import type { Fact, KeyState } from './object.ts';

/**
 * Refuses a call whose key stands for another body.
 * @throws GatewayError IDEMPOTENCY_KEY_REUSED
 */
export async function demandBody(
  { sealing }: OrganizationKeyLocation,
  sealed: string,
  digest: string,
): Promise<void> {
  if ((await unseal(sealing, sealed)) === digest) return;
  throw new GatewayError(
    'IDEMPOTENCY_KEY_REUSED',
    'Idempotency-Key: was sent before with another body, take a new one',
  );
}

/**
 * The outcome of the earlier call, if it is there to be told again, and to this caller.
 * @param demandAgain refuses a caller who no longer has what the call demanded
 * @throws GatewayError IDEMPOTENCY_KEY_RUNNING, REPLY_NOT_KEPT, OUTCOME_UNKNOWN, and what `demandAgain` does
 */
export async function tell(
  { sealing }: KeyLocation,
  standing: Exclude<KeyState, { state: 'begun' }>,
  demandAgain: (demands: readonly Demand[]) => Promise<void>,
): Promise<Outcome> {
  switch (standing.state) {
    case 'answered': {
      const kept = opened(await unsealBytes(sealing, new Uint8Array(standing.reply)));
      if ('status' in kept) throw new GatewayError('REPLY_NOT_KEPT', tooOld(kept.status));
      await demandAgain(kept.demands);
      return kept;
    }
    case 'not kept':
      await demandAgain(standing.fact.demands ?? standing.fact.asked ?? []);
      throw new GatewayError('REPLY_NOT_KEPT', notKept(standing.fact));
    case 'lost':
      throw new GatewayError(
        'OUTCOME_UNKNOWN',
        'The call with this Idempotency-Key was lost while it ran and may have taken effect: look, and take a new key to repeat it',
      );
    case 'running':
      throw new GatewayError(
        'IDEMPOTENCY_KEY_RUNNING',
        'The call with this Idempotency-Key still runs: ask again later',
        { retryAfter: patience(standing) },
      );
  }
}

/** Seconds until it is worth asking again: as many as the call has taken, and no more than it can still take. */
export function patience({
  ageMs,
  leftMs,
}: {
  readonly ageMs: number;
  readonly leftMs: number;
}): number {
  return Math.max(1, Math.ceil(Math.min(ageMs, leftMs) / 1000));
}

const BECAUSE: Readonly<Record<Fact['because'], string>> = {
  size: 'its reply is larger than 1 MiB',
  secret: 'its reply held a secret',
  stream: 'its reply was a stream',
  storage: 'there was no storage left for its reply',
};

function notKept({ status, because }: Fact): string {
  return `The call with this Idempotency-Key was answered with ${status}, and ${BECAUSE[because]}: it is not kept`;
}

function tooOld(status: number): string {
  return `The call with this Idempotency-Key was answered with ${status} before the gateway was updated: its reply is not told again`;
}
