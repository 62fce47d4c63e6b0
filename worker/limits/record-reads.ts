/** Reads of the gateway's own records: one after another, by turns between organizations. docs/heavy-work.md. */
import { refuseGone, tooManyRead } from '../../proto/work/refusal.ts';
import { Turns } from '../../proto/work/turns.ts';
import { type Owner, ownerOf } from './heavy-work.ts';
import { isAlone } from './neighbours.ts';
import { threadTime } from './thread-time.ts';

/** Milliseconds from the beginning of one read to that of the next where another organization calls: the least and the most. */
const [READ_EVERY_MS, READ_EVERY_MAX_MS] = [7, 14];
/** The next begins this many times as long after one as that one took: the database may be on the same thread. */
const READ_SHARE = 2.5;
/** Reads of one organization, or from one address, that may wait. Spec silent. */
const WAITING_MAX = 256;
/** Milliseconds that a refusal takes, so that it is not asked for without end. */
const REFUSED_AFTER_MS = 200;

/** Of an isolate, as its thread is. */
const turns = new Turns(threadTime, { before: untilReadIsDue });
const reads = { nextAt: Number.NEGATIVE_INFINITY };

/** Between two reads calls of others pass; one that ends meanwhile may ask for more time. */
async function untilReadIsDue(owner: string, begins: (at: number) => void): Promise<void> {
  while (!isAlone(owner) && threadTime.now() < reads.nextAt) {
    begins(reads.nextAt);
    await threadTime.wait(reads.nextAt - threadTime.now());
  }
  const now = threadTime.now();
  begins(now);
  reads.nextAt = now + READ_EVERY_MS;
}

/** Reads, and lets the next begin the later the longer this one took. */
async function paced<Result>(read: () => Promise<Result>): Promise<Result> {
  const began = threadTime.now();
  try {
    return await read();
  } finally {
    const rest = Math.min((threadTime.now() - began) * READ_SHARE, READ_EVERY_MAX_MS);
    reads.nextAt = Math.max(reads.nextAt, began + rest);
  }
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
    return paced(read);
  });
}
