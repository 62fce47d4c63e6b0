/**
 * Takes in the bytes of a request's body: a small one at once, a large one at the pace that all
 * large ones share. docs/heavy-work.md.
 */
import { GatewayError } from '../../proto/errors.ts';
import type { Ticket } from '../../proto/work/ticket.ts';
import {
  giveBack,
  isLarge,
  mayComeIn,
  type Owner,
  passed,
  placeFor,
} from '../limits/heavy-work.ts';
import { type BodyLimits, hasBody, tooLarge } from './body.ts';
import { BodyClock } from './body-clock.ts';

/** Bytes that are asked for at once: few calls for much, and little work for each. */
const PART_BYTES = 64 * 1024;
/** Milliseconds that a body which was refused unread may still take: its client has waited for the reply. */
const REFUSED_MAX_MS = 10_000;
/** How much larger the buffer is made that has become too small. */
const GROWTH = 4;

/** A body as it arrived. */
interface Arrived {
  readonly bytes: Uint8Array | undefined;
  /** Of a large body; its receiver gives it back. */
  readonly place?: Ticket;
}

/**
 * The body's bytes; `undefined` when there is none. Of a body without a length no more is kept
 * than `maxBytes`.
 * @throws GatewayError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, SERVICE_UNAVAILABLE, BAD_REQUEST when it breaks off
 */
export async function readBody(of: Owner, request: Request, limits: BodyLimits): Promise<Arrived> {
  const length = request.headers.get('Content-Length');
  if (!hasBody(request, length)) return { bytes: undefined };
  try {
    return await collect(of, readerOf(request), limits, Number(length ?? 0));
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    throw new GatewayError('BAD_REQUEST', 'The body broke off before its end', { cause });
  }
}

/** @param length as it was announced, else 0: then the body has a place once it turns out to be large */
async function collect(
  of: Owner,
  reader: ReadableStreamBYOBReader,
  limits: BodyLimits,
  length: number,
): Promise<Arrived> {
  const { maxBytes, takenInBytes } = limits;
  const [turns, clock] = [new Turns(of), new BodyClock(limits)];
  try {
    await turns.next(length, 0);
    // One byte more shows that it is too large.
    const kept = new Kept(length > 0 ? length : maxBytes + 1);
    const take = () => kept.take(reader, clock);
    for (let part = await take(); part > 0; part = await take()) {
      if (kept.size > maxBytes) {
        await dropInTime(of, reader, takenInBytes - kept.size, limits);
        throw tooLarge(maxBytes);
      }
      await turns.next(kept.size, part);
      if (kept.size === length) break;
    }
    const { place } = turns;
    return { bytes: kept.whole(), ...(place ? { place } : {}) };
  } catch (thrown) {
    giveBack(turns.place);
    // The rest is dropped; the client may have gone.
    reader.cancel().catch(() => {});
    throw thrown;
  }
}

/** When the next part of a body is read. */
class Turns {
  place: Ticket | undefined;
  readonly #of: Owner;

  constructor(of: Owner) {
    this.#of = of;
  }

  /** @param size known of the body @param part what has arrived of it since the last turn */
  async next(size: number, part: number): Promise<void> {
    if (isLarge(size)) this.place ??= await placeFor(this.#of);
    if (this.place === undefined) return;
    if (part > 0) await passed(this.#of, part);
    await mayComeIn(this.#of, this.place, size);
  }
}

/** What has arrived of a body, in a buffer that grows with it: a length that is only announced costs nothing. */
class Kept {
  size = 0;
  readonly #maxBytes: number;
  #buffer: ArrayBuffer;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#buffer = new ArrayBuffer(Math.min(PART_BYTES, maxBytes));
  }

  /** Reads the next part; answers how many bytes it has, 0 at the end. */
  async take(reader: ReadableStreamBYOBReader, clock: BodyClock): Promise<number> {
    if (this.size === this.#buffer.byteLength) this.#grow();
    const room = Math.min(PART_BYTES, this.#buffer.byteLength - this.size);
    const view = new Uint8Array(this.#buffer, this.size, room);
    // Not as much as there is room for: each byte shows that the client is still at it.
    const { value } = await clock.next(reader.read(view));
    if (value === undefined) return 0;
    // The reader took the buffer, and gives it back as another.
    this.#buffer = value.buffer as ArrayBuffer;
    this.size += value.byteLength;
    return value.byteLength;
  }

  whole(): Uint8Array {
    return new Uint8Array(this.#buffer, 0, this.size);
  }

  #grow(): void {
    const grown = new Uint8Array(Math.min(GROWTH * this.size, this.#maxBytes));
    grown.set(new Uint8Array(this.#buffer));
    this.#buffer = grown.buffer;
  }
}

/**
 * Takes in a body that was refused unread, unless it is more than `takenInBytes`: a client that
 * is still writing it when the connection closes never reads why. One that waits to be asked for
 * it (`Expect: 100-continue`) is not asked.
 */
export async function discardBody(of: Owner, request: Request, limits: BodyLimits): Promise<void> {
  const length = Number(request.headers.get('Content-Length'));
  if (length > limits.takenInBytes || request.bodyUsed || request.headers.has('Expect')) return;
  if (request.body === null) return;
  await dropInTime(of, readerOf(request), limits.takenInBytes, limits);
}

/** As `drop`, for a while only. */
async function dropInTime(
  of: Owner,
  reader: ReadableStreamBYOBReader,
  bytes: number,
  { totalMs }: Pick<BodyLimits, 'totalMs'>,
): Promise<void> {
  // The client may have gone meanwhile.
  const dropped = drop(of, reader, bytes).catch(() => {});
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.min(totalMs, REFUSED_MAX_MS));
  await Promise.race([dropped, late]).finally(() => clearTimeout(timer));
}

/** Reads to the end, or so many bytes, at the pace of all. */
async function drop(of: Owner, reader: ReadableStreamBYOBReader, bytes: number): Promise<void> {
  let [buffer, left] = [new ArrayBuffer(PART_BYTES), bytes];
  while (left >= 0) {
    const most = Math.min(PART_BYTES, left + 1);
    const { value } = await reader.readAtLeast(most, new Uint8Array(buffer, 0, most));
    if (value === undefined || value.byteLength === 0) return;
    buffer = value.buffer as ArrayBuffer;
    left -= value.byteLength;
    await passed(of, value.byteLength);
  }
  await reader.cancel();
}

function readerOf({ body }: Request): ReadableStreamBYOBReader {
  // Asked for only where there is a body; what a socket brings is a stream of bytes.
  return (body as ReadableStream).getReader({ mode: 'byob' });
}
