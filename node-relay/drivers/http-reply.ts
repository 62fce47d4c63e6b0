/** The reply to a request of Node's HTTP client, whatever else its server says. */
import type { ClientRequest, IncomingMessage } from 'node:http';

/** Replies that only announce another one. Spec silent. */
const ANNOUNCED_MAX = 20;

/**
 * The reply when its head has arrived, its body still to be read.
 * @throws Error when there is none: the connection was closed, or the server sends something else
 */
export function replyTo(sending: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let announced = 0;
  sending.once('response', (reply) => {
    // The reader of the body sees its failures.
    reply.on('error', () => {});
    resolve(reply);
  });
  sending.on('information', () => {
    announced += 1;
    if (announced > ANNOUNCED_MAX) sending.destroy(new Error('The server only announces replies'));
  });
  // No other protocol was asked for.
  sending.once('upgrade', (_reply, socket) => socket.destroy());
  sending.on('error', reject);
  sending.once('close', () => reject(new Error('The connection was closed')));
  return promise;
}
