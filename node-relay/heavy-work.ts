/**
 * Reading of large requests, which holds the loop that serves every organization of this process:
 * by turns between them, as in the worker. docs/heavy-work.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Line } from '../proto/work/line.ts';
import { undivided } from '../proto/work/pieces.ts';
import { statementMs } from '../proto/work/statement.ts';

/** Requests up to so many bytes are read at once and count for nothing. */
const LIGHT_BYTES = 16 * 1024;

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
  const ms = statementMs(request);
  if (ms > 0) line.note(owner, ms);
  return request;
}
