/** Waits for what a server answers to TLS: on a socket that it is given, MongoDB's driver does not, and takes all the time there is. */
import type { Socket } from 'node:net';
import { MongoNetworkError } from 'mongodb';
import type { ConnectOptions } from 'mongodb/lib/cmap/connect.js';
import { HANDSHAKE_MS, TlsUnanswered } from '../tls-socket.ts';

/** Work on a connection that has to be answered in time where it is inside TLS. @throws MongoNetworkError */
export async function answered<Value>(
  { tls, connectTimeoutMS }: ConnectOptions,
  socket: Socket,
  work: () => Promise<Value>,
): Promise<Value> {
  if (!tls) return work();
  let isUnanswered = false;
  const end = (): void => {
    isUnanswered = socket.bytesRead === 0;
    if (isUnanswered) socket.destroy();
  };
  // Ahead of the driver's own time.
  const timer = setTimeout(end, Math.min(HANDSHAKE_MS, (connectTimeoutMS || Infinity) * 0.9));
  try {
    return await work();
  } catch (thrown) {
    if (!isUnanswered) throw thrown;
    const cause = new TlsUnanswered();
    throw new MongoNetworkError(cause.message, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** When TLS is set up on a socket. @throws MongoNetworkError */
export async function securedBy(tls: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const failed = (cause: Error) => reject(new MongoNetworkError(cause.message, { cause }));
  const cutOff = () => failed(new Error('TLS was cut off'));
  tls.once('secureConnect', resolve).once('error', failed).once('close', cutOff);
  try {
    await promise;
  } finally {
    tls.off('error', failed).off('close', cutOff);
  }
}
