/**
 * Reading of large requests, which holds the loop that serves every organization of this process:
 * by turns between them, as in the worker. docs/heavy-work.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Line } from '../proto/work/line.ts';
import { undivided } from '../proto/work/pieces.ts';

/** Requests up to so many bytes are read at once and count for nothing. */
const LIGHT_BYTES = 16 * 1024;
/** Characters of a statement that PostgreSQL's parser, the slowest of all, reads in a millisecond. */
const STATEMENT_OF_A_MS = 1_500;

const line = new Line({ now: () => performance.now(), wait: (ms) => sleep(ms) });

/**
 * What `read` makes of a request: of a large one when it is the owner's turn. Its statements, which
 * the driver reads next, are paid for now.
 * @param owner whose request it is: who asks for much waits for themselves
 * @throws GatewayError SERVICE_UNAVAILABLE when the owner has 8 that wait, and what `read` throws
 */
export function inTurn<Read>(
  owner: string,
  bytes: Uint8Array,
  read: () => Read,
): Read | Promise<Read> {
  return bytes.byteLength <= LIGHT_BYTES ? read() : readLarge(owner, read);
}

async function readLarge<Read>(owner: string, read: () => Read): Promise<Read> {
  const request = await line.work(owner, undivided(read), { isLarge: true });
  const length = statementLength(request);
  if (length > LIGHT_BYTES) line.note(owner, length / STATEMENT_OF_A_MS);
  return request;
}

/** Characters of the statement of a request, or of those of several. */
function statementLength(request: unknown): number {
  if (Array.isArray(request)) {
    return request.reduce((sum: number, each) => sum + statementLength(each), 0);
  }
  if (typeof request !== 'object' || request === null || !('query' in request)) return 0;
  return typeof request.query === 'string' ? request.query.length : 0;
}
