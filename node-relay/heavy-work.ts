/**
 * Reading of large requests, which holds the loop that serves every organization of this process:
 * by turns between them, as in the worker. docs/heavy-work.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pieces } from '../proto/work/pieces.ts';
import { WorkQueue } from '../proto/work/queue.ts';
import { statementMs } from '../proto/work/statement.ts';

/** Bytes up to which a request is read at once and counts for nothing. */
const LIGHT_BYTES = 16 * 1024;

const line = new WorkQueue({ now: () => performance.now(), wait: (ms) => sleep(ms) });

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
 * @param owner whose request it is: an owner of much work waits for its own
 * @throws GatewayError SERVICE_UNAVAILABLE when the owner has 8 that wait, and what `reading` throws
 */
export function inTurn<Read>(
  owner: string,
  bytes: Uint8Array,
  reading: RequestReader<Read>,
): Read | Promise<Read> {
  return isLight(bytes) ? reading.whole() : readLarge(owner, reading.inPieces());
}

/** For what a driver does with a large request: work that has begun is no longer refused. */
export function piecesOf(owner: string): DoInPieces {
  return (pieces) => line.work(owner, pieces, { isLarge: true, isBegun: true });
}

async function readLarge<Read>(owner: string, pieces: Pieces<Read>): Promise<Read> {
  const request = await line.work(owner, pieces, { isLarge: true });
  const ms = statementMs(request);
  if (ms > 0) line.note(owner, ms);
  return request;
}
