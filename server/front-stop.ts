/** The end of a front: each request that was sent gets its reply. */
import type { Agent, Server } from 'node:http';
import { Server as Listener } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a stop is announced to replies. */
export interface Stopping {
  isHeard: boolean;
  /** They wait for it. */
  held: Promise<void> | undefined;
}

/** Milliseconds that replies wait at a stop: a client that gets one now would open its next connection just when none are taken. */
const HOLD_MS = 150;
/** Milliseconds after which a connection that waits for its next request is ended; else it ends with that request's reply. */
const LAST_REQUEST_MS = 250;
const LOOK_MS = 20;

/** A front that listens. */
interface RunningFront {
  readonly server: Server;
  readonly agent: Agent;
  readonly stopping: Stopping;
  /** Connections that are no longer the server's own. */
  readonly webSockets: ReadonlySet<Duplex>;
}

/** Takes no more connections, finishes the requests in flight, and after `drainMs` milliseconds cuts them. */
export async function stopServer(
  { server, agent, stopping, webSockets }: RunningFront,
  drainMs: number,
): Promise<void> {
  stopping.isHeard = true;
  const { promise, resolve: release } = Promise.withResolvers<void>();
  stopping.held = promise;
  if (drainMs > 0) await sleep(HOLD_MS);
  // An HTTP server's own close would end connections on which a request is on its way.
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    Listener.prototype.close.call(server, () => {
      isClosed = true;
      resolve();
    });
  });
  release();
  const started = performance.now();
  while (!isClosed && performance.now() - started < drainMs) {
    if (performance.now() - started > LAST_REQUEST_MS) server.closeIdleConnections();
    await Promise.race([closed, sleep(LOOK_MS)]);
  }
  server.closeAllConnections();
  for (const socket of webSockets) socket.destroy();
  await closed;
  agent.destroy();
}
