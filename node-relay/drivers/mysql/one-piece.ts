/** Commands that are sent in one piece: a server that is sent several answers them in their order, and is woken once. */
import type { Wire } from './wire.ts';

/**
 * Sends commands of the driver's own.
 * @param send begins all of them
 * @throws what the first that fails ends in, once all are answered
 */
export async function together<Sent extends readonly Promise<unknown>[] | []>(
  { socket }: Wire,
  send: () => Sent,
) {
  const sent = corked(socket, send);
  await Promise.allSettled(sent);
  return Promise.all(sent);
}

/** As `together`, in one piece with all that is sent before the thread comes to rest. */
export function ahead(wire: Wire, send: () => Promise<unknown>[]): Promise<unknown> {
  wire.socket.cork();
  const answered = together(wire, send);
  process.nextTick(() => wire.socket.uncork());
  // Who waits for it hears of a failure; nobody else may.
  answered.catch(() => {});
  return answered;
}

/** Sends a statement, and what `sent` sends behind it; answers what the statement came to. */
export function followed<Value>(
  { socket }: Wire,
  send: () => Promise<Value>,
  sent: (() => void) | undefined,
): Promise<Value> {
  return corked(socket, () => {
    const outcome = send();
    sent?.();
    return outcome;
  });
}

/** What cannot be written throws at once: all that is sent later would wait for ever. */
function corked<Value>(socket: Wire['socket'], write: () => Value): Value {
  socket.cork();
  try {
    return write();
  } finally {
    socket.uncork();
  }
}
