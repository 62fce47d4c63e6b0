/** Reads of the gateway's own records: one after another, by turns between organizations. docs/heavy-work.md. */
import { refuseGone, tooManyRead } from '../../proto/work/refusal.ts';
import { Turns } from '../../proto/work/turns.ts';
import { type Owner, ownerOf } from './heavy-work.ts';
import { isAlone } from './neighbours.ts';
import { threadTime } from './thread-time.ts';

/** Milliseconds from one read to the next where another organization calls. */
const READ_EVERY_MS = 7;
/** Reads of one organization, or from one address, that may wait. Spec silent. */
const WAITING_MAX = 256;
/** Milliseconds that a refusal takes, so that it is not asked for without end. */
const REFUSED_AFTER_MS = 200;

/** Of an isolate, as its thread is. */
const turns = new Turns(threadTime, { before: untilReadIsDue });
const reads = { lastAt: Number.NEGATIVE_INFINITY };

/** Between two reads calls of others pass. */
async function untilReadIsDue(owner: string, begins: (at: number) => void): Promise<void> {
  const now = threadTime.now();
  const at = isAlone(owner) ? now : Math.max(now, reads.lastAt + READ_EVERY_MS);
  reads.lastAt = at;
  begins(at);
  if (at > now) await threadTime.wait(at - now);
}

/**
 * Answers a read of the gateway's own records, by turns between organizations: many
 * that come together would hold up everybody's calls.
 * @param waitingMax that may wait before it is refused; 256 by default
 * @throws GatewayError SERVICE_UNAVAILABLE, after a while, when so many of the organization wait, or the client has gone
 */
export async function inTurn<Result>(
  of: Owner,
  read: () => Promise<Result>,
  waitingMax = WAITING_MAX,
): Promise<Result> {
  const owner = ownerOf(of);
  if (turns.waitingOf(owner) >= waitingMax) {
    await threadTime.wait(REFUSED_AFTER_MS);
    throw tooManyRead(waitingMax);
  }
  return turns.inTurn(owner, () => {
    refuseGone(of.signal);
    return read();
  });
}
