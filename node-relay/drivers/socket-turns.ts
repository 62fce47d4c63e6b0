/**
 * Sockets that bring much bring it by turns: else all that has arrived on all of them is worked off
 * before other sockets are read. docs/heavy-work.md.
 */
import type { Socket } from 'node:net';

/** Bytes after which a socket waits for its next turn. */
const TURN_BYTES = 64 * 1024;
/** Smaller parts count for nothing, so that small replies pay a comparison. */
const COUNTED_BYTES = 4 * 1024;

/** What goes on with those that wait, in the order in which they came. */
const waiting: (() => void)[] = [];

/** The same socket, which brings so much in one turn of the loop; of those that have more, one goes on in each turn. */
export function byTurns<Given extends Socket>(socket: Given): Given {
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  let brought = 0;
  let waits = false;
  /** The size that was asked for meanwhile. */
  let asked: number | undefined;

  const goOn = (): void => {
    waits = false;
    brought = 0;
    const size = asked;
    asked = undefined;
    if (size !== undefined && !socket.destroyed) read(size);
  };

  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    const takesMore = push(chunk, encoding);
    if (!(chunk instanceof Uint8Array) || chunk.byteLength < COUNTED_BYTES) return takesMore;
    brought += chunk.byteLength;
    if (brought < TURN_BYTES) return takesMore;
    if (!waits) inTurn(goOn);
    waits = true;
    return false; // The socket's reader stops until it is asked again.
  };
  socket._read = (size: number): void => {
    if (waits) asked = size;
    else read(size);
  };
  return socket;
}

function inTurn(goOn: () => void): void {
  waiting.push(goOn);
  if (waiting.length === 1) setImmediate(next);
}

function next(): void {
  const goOn = waiting.shift();
  // In the turn after this one.
  if (waiting.length > 0) setImmediate(next);
  goOn?.();
}
