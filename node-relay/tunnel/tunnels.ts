/** A node that opens no port: it dials its gateway, twice, and answers the calls that come through. Spec: nodes.md. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HEALTH_PATH } from '../../proto/node-health.ts';
import { Budget } from '../../proto/tunnel/budget.ts';
import type { Call, CallListener } from '../../proto/tunnel/call.ts';
import type { Serve } from '../../proto/tunnel/end.ts';
import type { Log } from '../log.ts';
import type { GatewayRefusal } from '../node/gateway-refusal.ts';
import type { HttpReply } from '../parts/refusal.ts';
import { type Credentials, dialGateway } from './dial.ts';
import { answerCall, forwardCall, refuseCall } from './forward.ts';
import { Tunnel } from './tunnel.ts';

/** Connections to the gateway: each survives the other. Spec silent. */
const TUNNELS = 2;
/** Bytes of requests' bodies that wait for their parts, of all tunnels together. Spec silent. */
const BUDGET_BYTES = 64 * 1024 * 1024;
/** How often a stop looks whether calls are still in flight, in milliseconds. */
const LOOK_MS = 20;
/** Milliseconds in which the last replies leave, on a machine that does other things too. */
const LAST_MS = 5_000;

/** What tunnels need of their relay. */
export interface TunnelsOptions {
  readonly log: Log;
  readonly credentials: Credentials;
  /** UUID of the node. */
  readonly node: string;
  /** Path of the socket of the part that takes a call; undefined while none can. */
  socketFor(path: string, headers: Readonly<Record<string, string>>): string | undefined;
  /** What the relay says of itself without a token. */
  health(): HttpReply;
  /** The gateway does not take this process for the node: another is. */
  refused(refusal: GatewayRefusal): void;
}

/** The tunnels of a node. */
export class Tunnels {
  readonly #tunnels: readonly Tunnel[];
  readonly #opened = Promise.withResolvers<void>();

  constructor(options: TunnelsOptions) {
    const { log, credentials, node, refused } = options;
    const budget = new Budget(BUDGET_BYTES);
    this.#tunnels = Array.from({ length: TUNNELS }, (_, index) => {
      return new Tunnel({
        number: index + 1,
        log,
        budget,
        serve: serveWith(options),
        dial: () => dialGateway(credentials, node),
        opened: () => this.#opened.resolve(),
        refused,
      });
    });
  }

  /** Dials, and keeps the connections; settles when one is open. */
  start(): Promise<void> {
    for (const tunnel of this.#tunnels) void tunnel.keep();
    return this.#opened.promise;
  }

  /** Takes no more calls; those in flight go on. */
  leave(): void {
    for (const tunnel of this.#tunnels) tunnel.leave();
  }

  /** Ends the connections, once the last replies have left. */
  async stop(): Promise<void> {
    const until = performance.now() + LAST_MS;
    const isBusy = () => this.#tunnels.some(({ size }) => size > 0);
    while (isBusy() && performance.now() < until) await sleep(LOOK_MS);
    for (const tunnel of this.#tunnels) tunnel.stop();
  }
}

/** Answers calls by the parts. Never throws: what a request cannot be made of fails its call alone. */
function serveWith({ socketFor, health }: Pick<TunnelsOptions, 'socketFor' | 'health'>): Serve {
  return (call, head) => {
    if (head.path === HEALTH_PATH) {
      answerCall(call, health());
      return unread(call);
    }
    const socket = socketFor(head.path, head.headers);
    if (socket === undefined) {
      void refuseCall(call, head);
      return unread(call);
    }
    try {
      return forwardCall(call, head, socket);
    } catch {
      call.reset('failed');
      return { data() {}, end() {}, broken() {} };
    }
  };
}

/** Of a call that is answered, whatever its caller still sends. */
function unread(call: Call): CallListener {
  return { data: ({ byteLength }) => call.consumed(byteLength), end() {}, broken() {} };
}
