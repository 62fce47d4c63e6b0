/**
 * Reading of large requests, which holds the loop that serves every organization of this process:
 * by turns between them, as in the worker. docs/heavy-work.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pieces } from '../proto/work/pieces.ts';
import { WorkQueue } from '../proto/work/queue.ts';
import { statementMs } from '../proto/work/statement.ts';
import { type AtHand, Hands } from './at-hand.ts';

/** Bytes up to which a request is read at once and counts for nothing. */
const LIGHT_BYTES = 16 * 1024;

const time = { now: () => performance.now(), wait: (ms: number) => sleep(ms) };
const line = new WorkQueue(time);
const hands = new Hands(time);

/** Whose large request it is. */
export interface Asking {
  /** An owner of much work waits for its own. */
  readonly owner: string;
  /** Drops what waits for its turn. */
  readonly signal: AbortSignal;
  /** Where it is noted that the request is at hand, until the call ends. */
  readonly subject: { atHand?: AtHand | undefined };
}

/** How a request is read: at once, or in pieces where it is large. */
interface RequestReader<Read> {
  whole(): Read;
  inPieces(): Pieces<Read>;
}

/** Does what a large request asks for in pieces, by turns with what others ask for. */
type DoInPieces = <Result>(pieces: Pieces<Result>) => Promise<Result>;

/** Whether a request of that size is read at once and counts for nothing. */
export function isLight(bytes: Uint8Array): boolean {
  return bytes.byteLength <= LIGHT_BYTES;
}

/**
 * What is read of a request: of a large one piece by piece, when it is the owner's turn. Its
 * statements, which the driver reads next, are paid for now.
 * @throws GatewayError SERVICE_UNAVAILABLE when the owner has 8 that wait, why the signal aborts, and what `reading` throws
 */
export function inTurn<Read>(
  asking: Asking,
  bytes: Uint8Array,
  reading: RequestReader<Read>,
): Read | Promise<Read> {
  return isLight(bytes) ? reading.whole() : readLarge(asking, bytes, reading);
}

/** For what a driver does with a large request: work that has begun is no longer refused. */
export function piecesOf({ owner, subject }: Omit<Asking, 'signal'>): DoInPieces {
  return (pieces) => {
    const work = () => line.work(owner, pieces, { isLarge: true, isBegun: true });
    return subject.atHand ? subject.atHand.during(work) : work();
  };
}

async function readLarge<Read>(
  { owner, signal, subject }: Asking,
  { byteLength }: Uint8Array,
  reading: RequestReader<Read>,
): Promise<Read> {
  subject.atHand ??= await hands.take(owner, byteLength, signal);
  const request = await subject.atHand.during(() => {
    const pieces = reading.inPieces();
    return line.work(owner, pieces, { isLarge: true, signal }).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw cause;
    });
  });
  const ms = statementMs(request);
  if (ms > 0) line.note(owner, ms);
  return request;
}
