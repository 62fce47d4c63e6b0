/** One side of a tunnel: takes messages apart, keeps the calls in flight, and holds the other side to the rules. */
import type { Budget } from './budget.ts';
import { Call, type CallListener } from './call.ts';
import { decode, type Frame, type RequestHead, TunnelFault } from './frame.ts';
import { Outbox, TUNNEL_WINDOW_BYTES, type Wire } from './outbox.ts';

/** Bytes of a request's body that are sent before its relay says anything. */
export const REQUEST_CREDIT_BYTES = 64 * 1024;
/** Calls in flight in one tunnel; more are refused. Spec silent. */
export const CALLS_MAX = 1_000;
/** Bytes of bodies after whose arrival the other side is told. */
const TOLD_BYTES = TUNNEL_WINDOW_BYTES / 4;

/** What a message held: frames, bytes of bodies that calls took, and other bytes. */
export interface Message {
  readonly frames: number;
  readonly taken: number;
  readonly other: number;
}

/** What both sides of a tunnel have in common. */
abstract class TunnelEnd {
  protected readonly outbox: Outbox;
  protected readonly calls = new Map<number, Call>();
  /** The largest number of a call so far. */
  protected last = 0;
  readonly #wire: Wire;
  /** Bytes of bodies that the other side was not told have arrived. */
  #untold = 0;
  /** Bytes of bodies in the message at hand that calls took. */
  #taken = 0;
  #isClosed = false;

  constructor(wire: Wire) {
    this.#wire = wire;
    this.outbox = new Outbox(wire);
  }

  /** Calls in flight. */
  get size(): number {
    return this.calls.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Takes a message; answers what it held. One that breaks the rules closes the tunnel, with the reason. */
  receive(message: Uint8Array): Message {
    this.#taken = 0;
    let frames = 0;
    if (this.#isClosed) return { frames, taken: 0, other: message.byteLength };
    try {
      for (const frame of decode(message)) {
        frames += 1;
        this.#take(frame);
      }
    } catch (thrown) {
      if (!(thrown instanceof TunnelFault)) throw thrown;
      this.#wire.close(thrown.message);
      this.closed();
    }
    return { frames, taken: this.#taken, other: message.byteLength - this.#taken };
  }

  /** The connection is gone: so are the calls in flight. */
  closed(): void {
    this.#isClosed = true;
    this.forget();
  }

  /** Ends all calls; their numbers begin again. */
  protected forget(): void {
    const unsent = (call: Call) => this.outbox.holdsOpen(call.id);
    const ended = [...this.calls.values()].map((call) => [call, unsent(call)] as const);
    for (const [call, isUnsent] of ended) call.lose(isUnsent ? 'refused' : 'lost');
    this.calls.clear();
    this.outbox.clear();
    this.last = 0;
    this.#untold = 0;
  }

  /** Frames about the tunnel, and calls that begin. @throws TunnelFault for those that this side never gets */
  protected abstract takeOwn(frame: Frame): void;
  /** Whether frames about calls are of this time. @throws TunnelFault when there can be none */
  protected abstract isCurrent(): boolean;

  #take(frame: Frame): void {
    switch (frame.type) {
      case 'ping':
      case 'pong':
      case 'start':
      case 'open':
      case 'goaway':
        this.takeOwn(frame);
        return;
      default:
        if (this.isCurrent()) this.#takeOfCall(frame);
    }
  }

  #takeOfCall(frame: Extract<Frame, { type: 'head' | 'data' | 'end' | 'reset' | 'window' }>): void {
    if (frame.type === 'data') this.#tell(frame.bytes.byteLength);
    if (frame.type === 'window' && frame.call === 0) {
      if (this.outbox.arrived(frame.credit)) return;
      throw new TunnelFault('More bytes are said to have arrived than were sent');
    }
    const call = this.calls.get(frame.call);
    if (call === undefined) this.#passOver(frame);
    else if (frame.type === 'head') call.takeHead(frame.head);
    else if (frame.type === 'data') this.#takeData(call, frame.bytes);
    else if (frame.type === 'end') call.takeEnd();
    else if (frame.type === 'reset') call.takeReset(frame.code);
    else call.takeWindow(frame.credit);
  }

  #takeData(call: Call, bytes: Uint8Array): void {
    call.takeData(bytes);
    this.#taken += bytes.byteLength;
  }

  /**
   * Of a call that is over, what may have been on its way when it ended: credit, and that it is over.
   * Its head and body cannot: each side waits for the other's last word.
   */
  #passOver({ type, call }: { readonly type: Frame['type']; readonly call: number }): void {
    if (call > this.last) throw new TunnelFault(`Call ${call} was never begun`);
    if (type === 'window' || type === 'reset') return;
    throw new TunnelFault(`A frame of type ${type} is for call ${call}, which has ended`);
  }

  #tell(bytes: number): void {
    this.#untold += bytes;
    if (this.#untold < TOLD_BYTES) return;
    this.outbox.put({ type: 'window', call: 0, credit: this.#untold });
    this.#untold = 0;
  }
}

/** The gateway's side: it begins calls. */
export class CallingEnd extends TunnelEnd {
  readonly #budget: Budget;
  readonly #goneAway: () => void;
  readonly #pings = new Map<number, () => void>();
  #pinged = 0;
  #epoch: number;
  #state: 'idle' | 'starting' | 'started' = 'idle';

  /**
   * @param budget of all tunnels that share one memory
   * @param epoch a number that no earlier side of the same connection had
   * @param goneAway told when the relay takes no more calls
   */
  constructor(wire: Wire, budget: Budget, epoch: number, goneAway: () => void) {
    super(wire);
    this.#budget = budget;
    this.#epoch = epoch;
    this.#goneAway = goneAway;
  }

  /**
   * Begins a call.
   * @param listener told the outcome
   * @throws TunnelFault when the head is too large
   */
  call(head: RequestHead, listener: CallListener): Call {
    if (this.#state === 'idle') {
      this.#state = 'starting';
      this.outbox.put({ type: 'start', epoch: this.#epoch });
    }
    const id = this.last + 1;
    const window = this.#budget.take();
    try {
      this.outbox.put({ type: 'open', call: id, credit: window, head });
    } catch (thrown) {
      this.#budget.giveBack(window);
      throw thrown;
    }
    this.last = id;
    const call = new Call({
      id,
      outbox: this.outbox,
      sendCredit: REQUEST_CREDIT_BYTES,
      window,
      begins: 'head',
      over: () => this.calls.delete(id) && this.#budget.giveBack(window),
    });
    this.calls.set(id, call);
    call.tell(listener);
    return call;
  }

  /** Settles when the relay answers. */
  ping(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pinged += 1;
    this.#pings.set(this.#pinged, resolve);
    this.outbox.put({ type: 'ping', nonce: this.#pinged });
    return promise;
  }

  /** A relay asks by the WebSocket's own pings: answers here would pile up for one that does not read. */
  protected takeOwn(frame: Frame): void {
    if (frame.type === 'goaway') this.#goneAway();
    else if (frame.type === 'ping') throw new TunnelFault('A relay sends no pings');
    else if (frame.type === 'pong') this.#answered(frame.nonce);
    else if (frame.type !== 'start') throw new TunnelFault('A relay begins no calls');
    else if (frame.epoch === this.#epoch && this.#state === 'starting') this.#state = 'started';
  }

  #answered(nonce: number): void {
    this.#pings.get(nonce)?.();
    this.#pings.delete(nonce);
  }

  /** What the relay sent before it heard of this side is about calls that this side does not know. */
  protected isCurrent(): boolean {
    return this.#state === 'started';
  }
}

/** Answers a call. */
export type Serve = (call: Call, head: RequestHead) => CallListener;

/** The relay's side: it answers calls. */
export class ServingEnd extends TunnelEnd {
  readonly #budget: Budget;
  readonly #serve: Serve;
  #isStarted = false;
  #isLeaving = false;

  /** @param budget of all tunnels that share one memory */
  constructor(wire: Wire, budget: Budget, serve: Serve) {
    super(wire);
    this.#budget = budget;
    this.#serve = serve;
  }

  /** Takes no more calls; those in flight go on. */
  leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.outbox.put({ type: 'goaway' });
  }

  protected takeOwn(frame: Frame): void {
    if (frame.type === 'start') {
      this.forget();
      this.#isStarted = true;
      this.outbox.put(frame);
      if (this.#isLeaving) this.outbox.put({ type: 'goaway' });
    } else if (frame.type === 'ping') this.outbox.put({ type: 'pong', nonce: frame.nonce });
    else if (frame.type === 'open' && this.isCurrent()) this.#open(frame);
    else if (frame.type === 'pong') return;
    else throw new TunnelFault('A gateway does not say that it goes away');
  }

  protected isCurrent(): boolean {
    if (!this.#isStarted) throw new TunnelFault('A frame about a call came before the start');
    return true;
  }

  #open({ call: id, credit, head }: Extract<Frame, { type: 'open' }>): void {
    if (id <= this.last) throw new TunnelFault(`Call ${id} was begun before`);
    this.last = id;
    let grown = 0;
    const call = new Call({
      id,
      outbox: this.outbox,
      sendCredit: credit,
      window: REQUEST_CREDIT_BYTES,
      begins: 'body',
      grow: () => {
        grown = this.#budget.take();
        return grown;
      },
      over: () => this.calls.delete(id) && this.#budget.giveBack(grown),
    });
    const isRefused = this.#isLeaving || this.size >= CALLS_MAX;
    this.calls.set(id, call);
    if (isRefused) call.reset('refused');
    else call.tell(this.#serve(call, head));
  }
}
