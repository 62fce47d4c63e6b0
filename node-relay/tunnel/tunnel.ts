/** One connection of a node to its gateway: dialled, watched, and dialled again whenever it is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { Budget } from '../../proto/tunnel/budget.ts';
import { type Serve, ServingEnd } from '../../proto/tunnel/end.ts';
import type { Wire } from '../../proto/tunnel/outbox.ts';
import { describeFault, type Log } from '../log.ts';
import { GatewayRefusal } from '../node/gateway-refusal.ts';

/** The longest pause before it is dialled again, in milliseconds. Spec silent. */
const PAUSE_MAX_MS = 1_800;
/** And of the first try after it was lost. */
const PAUSE_MIN_MS = 250;
/** How often the gateway is asked whether it is there, in milliseconds; a proxy keeps open what is used. Spec silent. */
const BEAT_MS = 5_000;
/** Codes of WebSockets: going away, and a code of our own for frames that break the rules. RFC 6455 §7.4 */
const GOING_AWAY = 1001;
const BROKEN_RULES = 4400;
/** Bytes of a reason. RFC 6455 §5.5 */
const REASON_MAX_BYTES = 123;

/** What the gateway says to a process that is not the node, or no longer. */
const RUNNING = 'NODE_RUNNING';

/** What one connection needs of its relay. */
interface TunnelOptions {
  /** Its number, for logs. */
  readonly number: number;
  readonly log: Log;
  readonly budget: Budget;
  readonly serve: Serve;
  /** @throws Refused, or what the network throws */
  dial(): Promise<WebSocket>;
  /** Told when it opens. */
  opened(): void;
  /** Told when the gateway refuses the node's process. */
  refused(refusal: GatewayRefusal): void;
}

/** A connection that is kept. */
export class Tunnel {
  readonly #options: TunnelOptions;
  readonly #stopping = new AbortController();
  #socket: WebSocket | undefined;
  #end: ServingEnd | undefined;
  /** Tries since it was open last. */
  #tries = 0;

  constructor(options: TunnelOptions) {
    this.#options = options;
  }

  /** Calls in flight. */
  get size(): number {
    return this.#end?.size ?? 0;
  }

  /** Keeps it until `stop`. Never rejects. */
  async keep(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#once();
      this.#tries += 1;
      await sleep(this.#pauseMs(), undefined, { signal }).catch(() => {});
    }
  }

  /** Takes no more calls, and finishes those in flight. */
  leave(): void {
    this.#stopping.abort();
    this.#end?.leave();
  }

  /** Ends it, with the calls that are still in flight. */
  stop(): void {
    this.#stopping.abort();
    this.#socket?.close(GOING_AWAY);
  }

  async #once(): Promise<void> {
    const { number, log, dial, opened, refused } = this.#options;
    const { signal } = this.#stopping;
    try {
      const socket = await dial();
      if (signal.aborted) return socket.close(GOING_AWAY);
      this.#tries = 0;
      log.info({ tunnel: number }, 'tunnel open');
      log.flush();
      const closed = this.#serve(socket);
      opened();
      const how = await closed;
      if (!signal.aborted) log.warn({ tunnel: number, ...how }, 'tunnel lost; dialling again');
    } catch (cause) {
      if (signal.aborted) return;
      if (cause instanceof GatewayRefusal && cause.code === RUNNING) refused(cause);
      // One line for a gateway that is away, however long it is.
      const why = cause instanceof GatewayRefusal ? cause.message : describeFault(cause);
      if (this.#tries === 0)
        log.warn({ tunnel: number, why }, 'the gateway cannot be reached; dialling again');
    } finally {
      log.flush();
    }
  }

  /** Serves calls until the connection is closed; answers how it was. */
  #serve(socket: WebSocket): Promise<{ readonly code: number; readonly reason: string }> {
    const { promise, resolve } = Promise.withResolvers<{ code: number; reason: string }>();
    const { budget, serve } = this.#options;
    const end = new ServingEnd(wireOf(socket), budget, serve);
    this.#socket = socket;
    this.#end = end;
    const stopWatching = watch(socket);
    socket.on('message', (message, isBinary) => {
      if (isBinary)
        end.receive(message as Buffer); // As its `binaryType` says.
      else socket.close(BROKEN_RULES, 'A message is text');
    });
    // What it fails with, it is closed for.
    socket.on('error', () => {});
    socket.once('close', (code, reason) => {
      stopWatching();
      end.closed();
      this.#end = undefined;
      resolve({ code, reason: reason.toString() });
    });
    return promise;
  }

  #pauseMs(): number {
    const most = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** this.#tries);
    return most * (0.2 + 0.8 * Math.random());
  }
}

function wireOf(socket: WebSocket): Wire {
  return {
    send: (message) => socket.readyState === socket.OPEN && socket.send(message),
    close: (reason) => socket.close(BROKEN_RULES, reason.slice(0, REASON_MAX_BYTES)),
    // After all that has arrived in this turn of the loop: replies of several parts travel together.
    soon: (work) => void setImmediate(work),
  };
}

/** Ends a connection on which nothing is heard any more. */
function watch(socket: WebSocket): () => void {
  let isHeard = true;
  const heard = (): void => {
    isHeard = true;
  };
  socket.on('message', heard);
  socket.on('pong', heard);
  const timer = setInterval(() => {
    if (!isHeard) return socket.terminate();
    isHeard = false;
    socket.ping();
  }, BEAT_MS);
  return () => clearInterval(timer);
}
