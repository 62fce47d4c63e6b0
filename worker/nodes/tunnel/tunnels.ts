/** The tunnels of one node, as its object holds them: which sockets are there, and which of them takes a call. */
import { Budget } from '../../../proto/tunnel/budget.ts';
import { CALLS_MAX, CallingEnd } from '../../../proto/tunnel/end.ts';
import { broken } from '../../drivers/tunnel-reply.ts';
import { exchange } from './exchange.ts';
import { frameAllowance } from './frame-allowance.ts';
import { heldReplies } from './held-replies.ts';

/** Sockets of a node at a time; a relay keeps two, and may dial again before the loss of one is known. Spec silent. */
const SOCKETS_MAX = 4;
/** Bytes of replies that nobody has read yet, before each gets the least; held-replies.ts bounds all nodes together. Spec silent. */
const BUDGET_BYTES = 24 * 1024 * 1024;
/** How often sockets with calls in flight are looked at, in milliseconds. */
const LOOK_MS = 500;
/** One that is silent for so many milliseconds is asked whether it is there. */
const SILENT_MS = 1_000;
/** And given up so many milliseconds later: within 3 s of the first call that it did not answer. Spec: nodes.md §3 */
const UNANSWERED_MS = 1_500;
/** Codes of our own for closing: frames that break the rules, no answer, another process is the node. */
const BROKEN_RULES = 4400;
const UNANSWERED = 4408;
const SUPERSEDED = 4409;
/** The gateway restarts. Source: IANA's registry of close codes */
const RESTARTING = 1012;
/** Bytes of a reason. RFC 6455 §5.5 */
const REASON_MAX_BYTES = 123;

/** What a socket says about itself when the object was away. */
interface Attachment {
  /** The process that holds the other end. */
  readonly instance: string;
  /** It takes no more calls. */
  readonly isLeaving: boolean;
}

/** A socket, and the tunnel in it. */
interface Held {
  readonly socket: WebSocket;
  readonly end: CallingEnd;
  readonly instance: string;
  isLeaving: boolean;
  heardAt: number;
  pingedAt: number | undefined;
}

/** What tunnels need of their object. */
interface NodeTunnelsOptions {
  readonly state: DurableObjectState;
  /** Whose node it is. */
  readonly organization: string;
  /** Told when there is a first tunnel, and when there is none any more; also of one that was lost while the object was away. */
  changed(isOpen: boolean): void;
}

/** The tunnels of a node. */
export class NodeTunnels {
  readonly organization: string;
  readonly #state: DurableObjectState;
  readonly #changed: (isOpen: boolean) => void;
  readonly #budget = new Budget(BUDGET_BYTES);
  readonly #held = new Map<WebSocket, Held>();
  /** As it was told last. */
  #isOpen: boolean | undefined;
  #turn = 0;
  /** What other objects found to do here, where the sockets are. */
  #left: (() => void)[] = [];
  #isStopping = false;
  #watching: ReturnType<typeof setInterval> | undefined;

  /** Takes up the sockets that were there before the object was away. */
  constructor({ state, organization, changed }: NodeTunnelsOptions) {
    this.organization = organization;
    this.#state = state;
    this.#changed = changed;
    for (const socket of state.getWebSockets()) this.#hold(socket);
    if (this.#held.size > 0) this.#isOpen = true;
  }

  /** Opens a tunnel to a process of the node. */
  accept(instance: string): Response {
    if (this.#isStopping) return new Response(null, { status: 503 });
    if (frameAllowance.isClosed(this.organization, Date.now())) {
      return new Response(null, { status: 429 });
    }
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.acceptWebSocket(server);
    server.serializeAttachment({ instance, isLeaving: false } satisfies Attachment);
    const [oldest] = this.#held.values();
    if (oldest !== undefined && this.#held.size >= SOCKETS_MAX) {
      this.#drop(oldest, UNANSWERED, 'The node has newer tunnels');
    }
    this.#hold(server);
    this.#tell();
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Passes a request on to the relay, by the tunnel that has the fewest calls. */
  async fetch(request: Request): Promise<Response> {
    const held = this.#choose();
    if (held === undefined) return broken('refused');
    this.#watch();
    const { organization } = this;
    frameAllowance.asked(organization, Date.now());
    const later = (work: () => void): void => void this.#left.push(work);
    return exchange(request, held.end, { organization, replies: heldReplies, later });
  }

  /**
   * A message came. What still comes of a tunnel that was dropped is counted alone; answers whether
   * that is too much: nothing but the end of the object ends a connection whose relay does not.
   */
  received(socket: WebSocket, message: string | ArrayBuffer): boolean {
    const held = this.#held.get(socket);
    const now = Date.now();
    if (held !== undefined) {
      held.heardAt = now;
      held.pingedAt = undefined;
    }
    const isText = typeof message === 'string';
    const seen = isText ? undefined : held?.end.receive(new Uint8Array(message));
    const other = isText ? message.length : message.byteLength;
    const isAllowed = frameAllowance.take(
      this.organization,
      seen ?? { frames: 0, taken: 0, other },
      now,
    );
    if (held !== undefined && isText) this.#drop(held, BROKEN_RULES, 'A message is text');
    else if (held !== undefined && !isAllowed) {
      this.#drop(held, BROKEN_RULES, 'More frames came than calls ask for');
    }
    this.#doLeft();
    return held === undefined && !isAllowed;
  }

  #doLeft(): void {
    for (const work of this.#left.splice(0)) work();
  }

  /** The socket is closed. */
  closed(socket: WebSocket): void {
    const held = this.#held.get(socket);
    this.#held.delete(socket);
    held?.end.closed();
    this.#tell();
  }

  /** Ends all tunnels to other processes of the node; without an instance, to all. */
  endBut(instance?: string): void {
    for (const held of [...this.#held.values()]) {
      if (held.instance === instance) continue;
      this.#drop(held, SUPERSEDED, 'This process is no longer the node');
    }
  }

  /** Takes no more tunnels, and ends each as soon as it has no calls. */
  stop(): void {
    this.#isStopping = true;
    for (const held of [...this.#held.values()]) this.#endIdle(held);
    if (this.#held.size > 0) this.#watch();
  }

  /** Whether it takes no more tunnels, and the relays have closed all. */
  get isStopped(): boolean {
    return (
      this.#isStopping &&
      this.#state.getWebSockets().every(({ readyState }) => readyState === WebSocket.CLOSED)
    );
  }

  #endIdle(held: Held): void {
    if (held.end.size === 0) this.#drop(held, RESTARTING, 'The gateway stops');
  }

  #tell(): void {
    const isOpen = this.#held.size > 0;
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    this.#changed(isOpen);
  }

  #hold(socket: WebSocket): Held {
    const held: Held = {
      ...attachmentOf(socket),
      socket,
      end: new CallingEnd(
        {
          send: (message) => send(socket, message),
          close: (reason) => this.#drop(held, BROKEN_RULES, reason),
          soon: (work) => queueMicrotask(work),
        },
        this.#budget,
        crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
        () => leave(held),
      ),
      heardAt: Date.now(),
      pingedAt: undefined,
    };
    this.#held.set(socket, held);
    return held;
  }

  /** The one with the fewest calls; of several, one after the other. */
  #choose(): Held | undefined {
    const able = [...this.#held.values()].filter(
      ({ isLeaving, end }) => !isLeaving && end.size < CALLS_MAX,
    );
    this.#turn += 1;
    const fewest = Math.min(...able.map(({ end }) => end.size));
    const free = able.filter(({ end }) => end.size === fewest);
    return free[this.#turn % free.length];
  }

  #drop(held: Held, code: number, reason: string): void {
    try {
      held.socket.close(code, reason.slice(0, REASON_MAX_BYTES));
    } catch {
      // It is closed already.
    }
    this.closed(held.socket);
  }

  /** Looks at the tunnels while there are calls in them. */
  #watch(): void {
    if (this.#watching !== undefined) return;
    const watching = setInterval(() => {
      this.#doLeft();
      if (this.#isStopping) for (const held of [...this.#held.values()]) this.#endIdle(held);
      const busy = [...this.#held.values()].filter(({ end }) => end.size > 0);
      for (const held of busy) this.#look(held, Date.now());
      if (busy.length > 0) return;
      clearInterval(watching);
      this.#watching = undefined;
    }, LOOK_MS);
    this.#watching = watching;
  }

  #look(held: Held, now: number): void {
    if (held.pingedAt === undefined) {
      if (now - held.heardAt < SILENT_MS) return;
      held.pingedAt = now;
      void held.end.ping();
    } else if (now - held.pingedAt >= UNANSWERED_MS) {
      this.#drop(held, UNANSWERED, 'No answer');
    }
  }
}

/** As `accept` wrote it. */
function attachmentOf(socket: WebSocket): Attachment {
  return socket.deserializeAttachment() as Attachment;
}

function leave(held: Held): void {
  held.isLeaving = true;
  const { instance, isLeaving, socket } = held;
  socket.serializeAttachment({ instance, isLeaving } satisfies Attachment);
}

/** One that is closed is told of by itself. */
function send(socket: WebSocket, message: Uint8Array): void {
  try {
    socket.send(message);
  } catch {
    // Its calls end when the runtime says that it is closed.
  }
}
