/** Reads the shares of transactions over many databases that calls carry. */
import { kindSpec } from '../kinds/index.ts';
import { unreadableAs } from '../kinds/pointed.ts';
import type { Call } from '../proto/driver.ts';
import { badRequest, type ErrorDetails, GatewayError } from '../proto/errors.ts';
import type { Share as ShareMessage } from '../proto/gen/relay/v1/relay_pb.ts';
import { isJsonObject, type Json } from '../proto/json.ts';
import { parseOrdered, parseOrderedInPieces } from '../proto/parse-ordered.ts';
import type { Share, ShareOperation } from '../proto/prepares.ts';
import { parseAsWritten, readAsWrittenInPieces } from '../proto/written-json.ts';
import { callOf, ownerOf } from './backend-call.ts';
import type { Subject } from './calls.ts';
import { type Asking, inTurn } from './heavy-work.ts';
import { parseOperations, parseOperationsInPieces } from './requests.ts';
import type { CallTarget } from './target.ts';

const NONE = new Uint8Array();
const decoder = new TextDecoder();

/** A share's part of a message. */
type ShareParts = Pick<
  ShareMessage,
  'operations' | 'places' | 'reads' | 'earlier' | 'recoverable'
> &
  Partial<Pick<ShareMessage, 'resultMaxBytes' | 'numbersAsStrings' | 'canonical'>>;

const NO_SHARE: ShareParts = {
  operations: NONE,
  places: [],
  reads: [],
  earlier: NONE,
  recoverable: false,
};

/** A share as it came, and the call to run it with. */
export interface Opened {
  readonly target: CallTarget;
  readonly share: Share;
  readonly call: Call;
  readonly started: number;
}

/** Reads a share's message. @throws GatewayError BAD_REQUEST, NOT_SUPPORTED, naming an operation by its place */
export async function open(
  target: CallTarget,
  message: ShareParts | undefined,
  signal: AbortSignal,
  subject: Subject,
): Promise<Opened> {
  const given = message ?? NO_SHARE;
  const call = { ...callOf(given, target, signal, given.operations, subject), letGo: undefined };
  const share = await shareOf({ owner: ownerOf(target), signal, subject }, target, given);
  subject.askedAt = performance.now();
  return { target, share, call, started: subject.askedAt };
}

async function shareOf(asking: Asking, target: CallTarget, message: ShareParts): Promise<Share> {
  const { places, reads, recoverable } = message;
  const requests = await requestsOf(asking, target, message);
  if (places.length > 0 && places.length !== requests.length) {
    throw badRequest('share.places', 'are not as many as operations');
  }
  const isRead = new Set(target.mode === 'read' ? placesOf(requests, places) : reads);
  const operations = requests.map((request, index): ShareOperation => {
    const place = places[index] ?? index;
    return { place, mode: isRead.has(place) ? 'read' : 'write', request };
  });
  const earlier = await earlierOf(asking, target, message.earlier);
  return { operations, earlier: (place) => earlier[place], recoverable };
}

async function requestsOf(
  asking: Asking,
  target: CallTarget,
  { operations: bytes, places }: ShareParts,
) {
  if (bytes.length === 0) return [];
  try {
    return await inTurn(asking, bytes, {
      whole: () => parseOperations(target, bytes),
      inPieces: () => parseOperationsInPieces(target, bytes),
    });
  } catch (cause) {
    throw placed(cause, places);
  }
}

function placesOf(requests: readonly unknown[], places: readonly number[]): readonly number[] {
  return places.length > 0 ? places : requests.map((_, index) => index);
}

/** Results by place, read as those of this kind are. */
async function earlierOf(
  asking: Asking,
  target: CallTarget,
  bytes: Uint8Array,
): Promise<{ readonly [place: string]: Json }> {
  if (bytes.length === 0) return {};
  const keepsText = kindSpec(target.kind).keepsText === true;
  const text = decoder.decode(bytes);
  const reading = {
    whole: () => (keepsText ? parseOrdered(text) : parseAsWritten(text)),
    inPieces: () => (keepsText ? parseOrderedInPieces(text) : readAsWrittenInPieces(text)),
  };
  const value = await referredTo(() => inTurn(asking, bytes, reading));
  if (!isJsonObject(value)) throw badRequest('share.earlier', 'must be an object');
  return value;
}

/** @throws GatewayError BAD_REQUEST where it is a result that cannot be read */
async function referredTo(read: () => Json | Promise<Json>): Promise<Json> {
  try {
    return await read();
  } catch (thrown) {
    const problem = unreadableAs(thrown);
    throw problem === undefined ? thrown : badRequest('$result', problem, `A reference ${problem}`);
  }
}

/** Names the operation by its place in the whole transaction. */
function placed(cause: unknown, places: readonly number[]): unknown {
  if (!(cause instanceof GatewayError)) return cause;
  const details = cause.details.map((detail): ErrorDetails => {
    if (!('operation' in detail) || typeof detail.operation !== 'number') return detail;
    return { ...detail, operation: places[detail.operation] ?? detail.operation };
  });
  return new GatewayError(cause.code, cause.message, { cause, details });
}
