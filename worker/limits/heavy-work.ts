/**
 * Work that blocks the thread that serves all organizations: done by turns between organizations, in
 * pieces where it can be divided. Light requests never come here. docs/heavy-work.md.
 */

import { GatewayError } from '../../proto/errors.ts';
import { Arrivals } from '../../proto/work/arrivals.ts';
import { Flow } from '../../proto/work/flow.ts';
import { type Held, HeldBytes } from '../../proto/work/held-bytes.ts';
import { type Pieces, undivided, whole } from '../../proto/work/pieces.ts';
import { WorkQueue } from '../../proto/work/queue.ts';
import type { Announced, Ticket } from '../../proto/work/ticket.ts';
import type { Context, PublicContext } from '../context.ts';
import { threadTime } from './thread-time.ts';

/** Bodies up to so many bytes are read at once and count for nothing. */
const LIGHT_BYTES = 16 * 1024;
/** Bodies from so many bytes on have a place before they are read. */
const LARGE_BYTES = 128 * 1024;
/** Milliseconds up to which work that could not be foreseen counts for nothing; many that take a little more hold the thread together. */
const LIGHT_MS = 0.5;
/** Milliseconds up to which storing bytes counts for nothing. */
const LIGHT_STORING_MS = 2;

/** Bytes of large bodies and replies that pass, a millisecond: a fraction of what the thread could do. */
const BYTES_PER_MS = 100_000;

/** A smaller piece costs as much as one of so many bytes. */
const PIECE_BYTES = 2 * 1024;

/** Bytes that are sealed and stored in a millisecond of the thread, about, where what it takes counts as rest. */
const STORED_PER_MS = 27_000;

/** Seconds. */
const RETRY_AFTER_S = 1;

/** Milliseconds between two signs that a body is still at hand. */
const STAYS_MS = 100;

/** Of an isolate, as its thread is. */
const line = new WorkQueue(threadTime);
/** Of large replies that are taken in as a whole. */
const replies = new WorkQueue(threadTime);
const held = new HeldBytes();
const flow = new Flow(threadTime, BYTES_PER_MS);
const arrivals = new Arrivals();

/** Whose work it is: an organization's, or an address before the caller is known. */
export type Owner = Partial<Pick<PublicContext, 'address'>> &
  Partial<Pick<Context, 'signal' | 'place'>> & {
    readonly caller?: Pick<Context['caller'], 'orgUuid'>;
  };

/** Reports that a request has come: work on large bodies and replies of others then leaves it room. */
export function arrived({ signal }: Pick<PublicContext, 'signal'>): void {
  arrivals.note(signal, threadTime.now());
}

/** Whether a body of so many bytes has a place before it is read, and is read at the pace of all. */
export function isLarge(bytes: number): boolean {
  return bytes >= LARGE_BYTES;
}

/**
 * A place for such a body.
 * @throws GatewayError SERVICE_UNAVAILABLE when the organization has 8 already
 */
export function placeFor(of: Owner): Promise<Ticket> {
  return line.enter(ownerOf(of));
}

/** Gives a place back, once none of a large body is worked on any more. */
export function giveBack(place: Ticket | undefined): void {
  if (place) line.leave(place);
}

/**
 * Waits until the next bytes of a large body may be kept: two bodies of an organization come in at
 * once, or one of more than 2 MiB, and others while these wait for their senders.
 * @param bytes of the body, as far as they are known
 * @throws GatewayError SERVICE_UNAVAILABLE when the client has gone
 */
export function mayComeIn({ signal }: Owner, place: Ticket, bytes: number): Promise<void> {
  return line.comeIn(place, bytes, signal);
}

/**
 * Keeps the place of a body at hand while a process next to the gateway works on it: its bytes are
 * still here, so the owner's next one waits.
 */
export async function keepingPlace<Result>(
  place: Ticket | undefined,
  work: Promise<Result>,
): Promise<Result> {
  if (place === undefined) return work;
  const looks = setInterval(() => line.stay(place), STAYS_MS);
  return work.finally(() => clearInterval(looks));
}

/**
 * Reports bytes that came in, or go out as they are, and waits until it is their owner's turn for more: at
 * once while no other request comes.
 */
export function passed(of: Owner, bytes: number): Promise<void> {
  return flow.pass(ownerOf(of), bytes, isAlone(of));
}

function isAlone({ signal }: Owner): boolean {
  return signal !== undefined && arrivals.isAlone(signal, threadTime.now());
}

/**
 * The parts of a large reply that is kept in memory as a whole: as of large bodies, two of an organization come in at
 * once, or one of more than 2 MiB, and others wait unread.
 * @throws GatewayError SERVICE_UNAVAILABLE when the client has gone, or replies that come no further hold too much
 */
export async function* inTurnOf(
  of: Owner,
  reply: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const place = replies.seat(ownerOf(of), true);
  const own = held.begin(ownerOf(of));
  let size = 0;
  try {
    await replies.comeIn(place, size, of.signal);
    for await (const part of reply) {
      size += part.byteLength;
      demandRoom(own, size);
      yield part;
      await replies.comeIn(place, size, of.signal);
    }
  } finally {
    own.end();
    replies.leave(place);
  }
}

/**
 * The parts of a reply from a node that is an organization's own, and may answer with anything: as far as more than 128 KiB of
 * it are kept together they come in by turns as `inTurnOf` has them, and at the pace of all.
 * @param keptWith bytes that are kept together with a part, as far as they are known
 * @throws GatewayError SERVICE_UNAVAILABLE when the client has gone, or replies that come no further hold too much
 */
export async function* takenIn(
  of: Owner,
  reply: AsyncIterable<Uint8Array>,
  keptWith: (part: Uint8Array) => number,
): AsyncGenerator<Uint8Array> {
  let place: Ticket | undefined;
  const own = held.begin(ownerOf(of));
  try {
    for await (const part of reply) {
      const bytes = keptWith(part);
      demandRoom(own, bytes);
      if (isLarge(bytes)) {
        place ??= replies.seat(ownerOf(of), true);
        await replies.comeIn(place, bytes, of.signal);
        await passedOn(of, part.byteLength);
      } else if (place !== undefined) {
        replies.leave(place);
        place = undefined;
      }
      yield part;
    }
  } finally {
    own.end();
    if (place !== undefined) replies.leave(place);
  }
}

function demandRoom(own: Held, bytes: number): void {
  if (own.set(bytes)) return;
  const message =
    'Replies to this organization that have not come to their end are too large together';
  throw new GatewayError('SERVICE_UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S });
}

/** Whether a body of so many bytes, or none, is read at once and counts for nothing. */
export function isLight(bytes: Uint8Array | undefined): boolean {
  return bytes === undefined || bytes.byteLength <= LIGHT_BYTES;
}

/**
 * Does work in pieces.
 * @throws GatewayError SERVICE_UNAVAILABLE when it has to wait and the organization has too much that does, or the client has gone
 */
export function inPieces<Result>(
  of: Owner,
  pieces: Pieces<Result>,
  announced: Announced = {},
): Promise<Result> {
  return line.work(ownerOf(of), pieces, { ...givenOf(of), ...announced });
}

/** As `inPieces`, for a request that has taken effect in part: it waits, and is not refused. */
export function goingOn<Result>(of: Owner, pieces: Pieces<Result>): Promise<Result> {
  return line.work(ownerOf(of), pieces, { ...givenOf(of), isLarge: true, isBegun: true });
}

/** As `goingOn`, of work on so many bytes: on few of them at once. */
export function readInTurn<Result>(
  of: Owner,
  bytes: number,
  pieces: Pieces<Result>,
): Result | Promise<Result> {
  return bytes <= LIGHT_BYTES ? whole(pieces) : goingOn(of, pieces);
}

/**
 * Does work that cannot be divided, and may turn out to be long: then the next one waits.
 * @throws GatewayError SERVICE_UNAVAILABLE when it has to wait and the organization has too much that does
 */
export function costly<Result>(of: Owner, work: () => Result): Promise<Result> {
  return line.work(ownerOf(of), undivided(work), givenOf(of));
}

/**
 * Waits until the organization may go on with work that says afterwards what it cost.
 * @param begun whether a refusal would hide what was done already
 * @throws GatewayError SERVICE_UNAVAILABLE when the organization has 64 that wait
 */
export async function mayGoOn(of: Owner, begun: boolean): Promise<void> {
  const owner = ownerOf(of);
  if (line.owes(owner)) await line.goOn(owner, { ...givenOf(of), isBegun: begun });
}

/** Whether such work of the organization would wait now. */
export function mustWait(of: Owner): boolean {
  return line.owes(ownerOf(of));
}

/**
 * Reports what such work cost, in milliseconds: where no other request comes, it costs nobody anything.
 * @param passedMs by how much the clock has gone on meanwhile
 */
export function wentOn(of: Owner, ms: number, passedMs = 0): void {
  if (ms > LIGHT_MS && !isAlone(of)) line.note(ownerOf(of), ms, passedMs);
}

/**
 * Reports by how much longer such work held the thread than was told of it, once something was waited for: until then the clock
 * stands still, and steps are a guess, which a slow machine takes longer for.
 * @param from when it began
 */
export function tookMore(of: Owner, from: number, toldMs: number): void {
  if (toldMs > LIGHT_MS && !isAlone(of)) line.noteMore(ownerOf(of), from, toldMs);
}

/**
 * Does one part, which cannot be divided, of work on so many bytes: on many of them when it is the
 * organization's turn and no rest is due, on few at once.
 * @throws GatewayError SERVICE_UNAVAILABLE when it has to wait and the organization has too much that does
 */
export function inItsTurn<Result>(
  of: Owner,
  bytes: number,
  work: () => Result,
): Result | Promise<Result> {
  if (bytes <= LIGHT_BYTES) return work();
  return line.work(ownerOf(of), undivided(work), { ...givenOf(of), isLarge: true });
}

/** As `inItsTurn`, of work that can be divided. @throws GatewayError as `inItsTurn` does */
export function dividedInTurn<Result>(
  of: Owner,
  bytes: number,
  pieces: Pieces<Result>,
): Result | Promise<Result> {
  if (bytes <= LIGHT_BYTES) return whole(pieces);
  return line.work(ownerOf(of), pieces, { ...givenOf(of), isLarge: true });
}

/**
 * Waits until so many bytes may be stored, or sealed first, and pays for them: what that takes is
 * not this thread's to measure, and passes within the rest after it. Nothing is refused.
 */
export async function mayStore(of: Owner, bytes: number): Promise<void> {
  const ms = bytes / STORED_PER_MS;
  if (ms <= LIGHT_STORING_MS) return;
  const owner = ownerOf(of);
  const pay = () => line.note(owner, ms);
  await line.work(owner, undivided(pay), { ...givenOf(of), isLarge: true, isBegun: true });
}

/** As `passed`, of a piece that comes from a relay: each byte costs about as much as two that a client sends, and a piece as much as 2 KiB. */
export function passedOn(of: Owner, bytes: number): Promise<void> {
  return passed(of, 2 * Math.max(bytes, PIECE_BYTES));
}

/** An organization's UUID, or an address. */
export function ownerOf({ caller, address }: Owner): string {
  return caller?.orgUuid ?? address ?? '';
}

/** The place that its body has already, the signal of its client, and whether others come. */
function givenOf(of: Owner): Announced {
  const { place, signal } = of;
  return { place, signal, isAlone: () => isAlone(of) };
}
