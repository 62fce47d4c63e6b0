/**
 * Turns of those who read and copy what an organization has stored, such as the values of runs: one of an
 * organization at a time, and what it took is paid for as all heavy work is. docs/heavy-work.md.
 */
import { WorkQueue } from '../../proto/work/queue.ts';
import { mayGoOn, type Owner, ownerOf, wentOn } from './heavy-work.ts';
import { threadTime } from './thread-time.ts';

/** Bytes that are opened, copied and written as JSON in a millisecond of the thread, about. */
const BYTES_PER_MS = 40_000;
/** As of a very large work, no other of its owner is at hand beside it. */
const ALONE_BYTES = Number.MAX_SAFE_INTEGER;
/** Those of one organization that may wait. Spec silent. */
const WAITING_MAX = 64;
/** Of an isolate, as its thread is. */
const line = new WorkQueue(threadTime, WAITING_MAX);

/** What is done in its turn. */
interface InTurn<Result> {
  work(): Result | Promise<Result>;
  /** Bytes that the result has, or that were worked on. */
  bytesOf(result: Result): number;
  /** It goes on with something that a refusal would lose. */
  readonly isBegun?: boolean;
}

/**
 * Does it when none other of the organization does, and what the organization did before is paid for.
 * @throws GatewayError SERVICE_UNAVAILABLE when 64 of the organization wait, or the client has gone
 */
export async function inRecordTurn<Result>(
  of: Owner,
  { work, bytesOf, isBegun = false }: InTurn<Result>,
): Promise<Result> {
  const owner = ownerOf(of);
  const place = isBegun ? line.seat(owner, true) : await line.enter(owner);
  try {
    await line.comeIn(place, ALONE_BYTES, of.signal);
    await mayGoOn(of, true);
    line.stay(place);
    const result = await work();
    const tookMs = bytesOf(result) / BYTES_PER_MS;
    wentOn(of, tookMs, tookMs);
    return result;
  } finally {
    line.leave(place);
  }
}
