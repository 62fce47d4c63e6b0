/** A front before a server of a test's own. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Front, startFront } from '../front.ts';
import { freePort } from '../ports.ts';

/** Answers what the front passes on. */
export type Handler = (incoming: IncomingMessage, reply: ServerResponse) => void;

const stops: (() => unknown)[] = [];

/** Ends what was started. */
export async function stopFronts(): Promise<void> {
  for (const stop of stops.splice(0).toReversed()) await stop();
}

/** A front before a server that answers by `handler`. */
export async function front(handler: Handler, trustedProxy?: string) {
  const upstream = createServer(handler).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  stops.push(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  const address = upstream.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const port = await freePort('127.0.0.1');
  const started: Front = await startFront({
    host: '127.0.0.1',
    port,
    upstreamPort: address.port,
    trustedProxy,
    secret: 'secret',
  });
  stops.push(started.stop);
  return { port, upstream, started };
}
