/**
 * The order in which one side of a tunnel sends: what steers calls first, then parts of bodies, one
 * of each call in turn. So a large body never holds up a small call for longer than what is already
 * on its way, and that is bounded.
 */
import { assemble, DATA_MAX_BYTES, type Frame, type Prepared, prepare, sizeOf } from './frame.ts';

/** Bytes of bodies that are on their way at a time, and not yet heard of. Spec silent. */
export const TUNNEL_WINDOW_BYTES = 512 * 1024;
/** Bytes at which a message gets no further frame: no frame is larger than this. */
const MESSAGE_FILL_BYTES = 64 * 1024;
/** Bytes of a waiting body at which its call is asked to stop sending. */
const QUEUED_MAX_BYTES = 64 * 1024;

/** Where messages go. */
export interface Wire {
  /** Hands over one message; never throws. */
  send(message: Uint8Array): void;
  /** Ends the connection, and says why. */
  close(reason: string): void;
  /** Does work soon, after what else happens at the same moment: frames of one moment travel together. */
  soon(work: () => void): void;
}

/** What one call has to send. */
class Lane {
  readonly call: number;
  credit: number;
  readonly parts: Uint8Array[] = [];
  /** Bytes in `parts`. */
  queued = 0;
  /** Told when the end is sent; there is one once nothing more comes. */
  ended: (() => void) | undefined;
  isReady = false;
  /** Settles when there is room again. */
  room: PromiseWithResolvers<void> | undefined;

  constructor(call: number, credit: number) {
    this.call = call;
    this.credit = credit;
  }

  get canSend(): boolean {
    return this.queued === 0 ? this.ended !== undefined : this.credit > 0;
  }
}

/** Everything that one side has to send. */
export class Outbox {
  readonly #wire: Wire;
  readonly #lanes = new Map<number, Lane>();
  #control: Prepared[] = [];
  #ready: Lane[] = [];
  #window = TUNNEL_WINDOW_BYTES;
  #isDue = false;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Sends what is no part of a body, before any such. @throws TunnelFault when a head is too large */
  put(frame: Frame): void {
    this.#control.push(prepare(frame));
    this.#schedule();
  }

  /** Whether the call is still to be told to the other side. */
  holdsOpen(call: number): boolean {
    return this.#control.some((frame) => frame.type === 'open' && frame.call === call);
  }

  /** Takes a body from now on. @param credit bytes that the other side takes at once */
  begin(call: number, credit: number): void {
    this.#lanes.set(call, new Lane(call, credit));
  }

  /** Takes a part of a body; answers when more may come, undefined for at once. */
  write(call: number, bytes: Uint8Array): Promise<void> | undefined {
    const lane = this.#lanes.get(call);
    if (lane === undefined || lane.ended !== undefined || bytes.byteLength === 0) return undefined;
    lane.parts.push(bytes);
    lane.queued += bytes.byteLength;
    this.#makeReady(lane);
    if (lane.queued < QUEUED_MAX_BYTES) return undefined;
    lane.room ??= Promise.withResolvers();
    return lane.room.promise;
  }

  /** The body ends with what was written. @param ended told when that is sent */
  end(call: number, ended: () => void): void {
    const lane = this.#lanes.get(call);
    if (lane === undefined) return;
    lane.ended = ended;
    this.#makeReady(lane);
  }

  /** Drops what the call has not sent yet. @returns whether its end was among that */
  drop(call: number): boolean {
    const lane = this.#lanes.get(call);
    if (lane === undefined) return false;
    this.#lanes.delete(call);
    this.#ready = this.#ready.filter((each) => each !== lane);
    lane.room?.resolve();
    return true;
  }

  /** The other side takes so many more bytes of a body. */
  grant(call: number, credit: number): void {
    const lane = this.#lanes.get(call);
    if (lane === undefined) return;
    lane.credit += credit;
    this.#makeReady(lane);
  }

  /** The other side has so many more bytes of bodies. @returns whether so many were on their way */
  arrived(bytes: number): boolean {
    this.#window += bytes;
    this.#schedule();
    return this.#window <= TUNNEL_WINDOW_BYTES;
  }

  /** Forgets everything that is still to be sent. */
  clear(): void {
    for (const call of [...this.#lanes.keys()]) this.drop(call);
    this.#control = [];
    this.#window = TUNNEL_WINDOW_BYTES;
  }

  #makeReady(lane: Lane): void {
    if (lane.isReady || !lane.canSend) return;
    lane.isReady = true;
    this.#ready.push(lane);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#wire.soon(() => {
      this.#isDue = false;
      this.#flush();
    });
  }

  #flush(): void {
    for (;;) {
      const frames: Prepared[] = [];
      for (let bytes = 0; bytes < MESSAGE_FILL_BYTES; ) {
        const frame = this.#control.shift() ?? this.#nextPart();
        if (frame === undefined) break;
        frames.push(frame);
        bytes += sizeOf(frame);
      }
      if (frames.length === 0) return;
      this.#wire.send(assemble(frames));
    }
  }

  /** The next part of a body whose turn it is, or its end. */
  #nextPart(): Prepared | undefined {
    const at = this.#window > 0 ? 0 : this.#ready.findIndex(({ queued }) => queued === 0);
    const [lane] = at < 0 ? [] : this.#ready.splice(at, 1);
    if (lane === undefined) return undefined;
    lane.isReady = false;
    if (lane.queued === 0) {
      this.#lanes.delete(lane.call);
      lane.ended?.();
      return prepare({ type: 'end', call: lane.call });
    }
    const bytes = this.#take(lane);
    this.#makeReady(lane);
    return prepare({ type: 'data', call: lane.call, bytes });
  }

  #take(lane: Lane): Uint8Array {
    const [part = new Uint8Array()] = lane.parts;
    const length = Math.min(part.byteLength, DATA_MAX_BYTES, lane.credit, this.#window);
    if (length === part.byteLength) lane.parts.shift();
    else lane.parts[0] = part.subarray(length);
    lane.queued -= length;
    lane.credit -= length;
    this.#window -= length;
    if (lane.queued < QUEUED_MAX_BYTES) {
      lane.room?.resolve();
      lane.room = undefined;
    }
    return part.subarray(0, length);
  }
}
