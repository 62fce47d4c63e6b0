/** An outcome as it is kept: a line of JSON that says what it is, then the result's own JSON. */
import { GatewayError } from '../../proto/errors.ts';
import { joined } from '../../proto/gathered-bytes.ts';
import type { Json } from '../../proto/json.ts';
import { type Demand, withoutRepeats } from '../access/demand.ts';
import { inLargeParts } from '../drivers/large-parts.ts';
import { demandRead } from '../drivers/unread.ts';
import type { Owner } from '../limits/heavy-work.ts';
import { Accepted, type Bytes, Content, JsonBytes, Outcome, Tagged, Upgraded } from '../outcome.ts';

/** Bytes of a result that is kept. Contract: "at most 1 MiB". */
const KEPT_MAX_BYTES = 1024 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const LINE_END = 0x0a;

/** An outcome to answer with, and the bytes to keep of it, or why there are none. */
export interface TakenIn {
  readonly outcome: Outcome;
  readonly kept: Uint8Array | 'size' | 'stream';
}

/** What is before the result. */
interface Head {
  /** Of the request that ran. */
  readonly requestId: string;
  readonly demands: readonly Demand[];
  readonly failure?: Pick<GatewayError, 'code' | 'message' | 'details'>;
  readonly tag?: string;
  readonly accepted?: Pick<Accepted, 'location' | 'preferred'>;
}

/**
 * Reads an outcome until it is known whether it can be kept: to its end, or just beyond what is
 * kept, never more. It does not wait for the client to read.
 * @throws whatever the result's own stream ends with
 */
export async function takeIn(
  outcome: Outcome,
  of: Owner & { readonly requestId: string },
): Promise<TakenIn> {
  const { result } = outcome;
  const head = { requestId: of.requestId, demands: withoutRepeats(outcome.demands) };
  if (result instanceof GatewayError) {
    const { code, message, details } = result;
    const failure = { code, message, details };
    return { outcome, kept: written({ ...head, failure }, new Uint8Array()) };
  }
  // It ends when the client or the backend likes.
  if (result instanceof Content || result instanceof Upgraded) return { outcome, kept: 'stream' };
  const isPlain = !(result instanceof Tagged || result instanceof Accepted);
  const given = bytesOf(isPlain ? result : result.value);
  const bytes = await bounded(given);
  if (bytes instanceof Uint8Array) await demandRead(of, given, bytes);
  const value = new JsonBytes(bytes);
  const about =
    result instanceof Tagged
      ? { tag: result.tag }
      : result instanceof Accepted
        ? { accepted: { location: result.location, preferred: result.preferred } }
        : {};
  const taken = outcome.with(madeOf({ ...head, ...about }, value));
  if (!(bytes instanceof Uint8Array) || bytes.byteLength > KEPT_MAX_BYTES) {
    return { outcome: taken, kept: 'size' };
  }
  return { outcome: taken, kept: written({ ...head, ...about }, bytes) };
}

/** Reads what was kept; of what an earlier version kept, a reply as it was sent, only the status. */
export function opened(kept: Uint8Array): Outcome | { readonly status: number } {
  const end = kept.indexOf(LINE_END);
  // Written by `written`, and sealed since.
  const head = JSON.parse(decoder.decode(kept.subarray(0, end))) as Head | { status: number };
  if ('status' in head) return head;
  const result = madeOf(head, new JsonBytes(kept.subarray(end + 1)));
  return new Outcome(result, { demands: [...head.demands] }, head.requestId);
}

function madeOf({ failure, tag, accepted }: Head, value: JsonBytes) {
  if (failure) {
    const { code, message, details } = failure;
    return new GatewayError(code, message, { details });
  }
  if (tag !== undefined) return new Tagged(tag, value);
  return accepted ? new Accepted(value, accepted.location, accepted.preferred) : value;
}

function written(head: Head, body: Uint8Array): Uint8Array {
  const line = encoder.encode(`${JSON.stringify(head)}\n`);
  return joined([line, body], line.byteLength + body.byteLength);
}

function bytesOf(value: Json | JsonBytes): Bytes {
  return value instanceof JsonBytes ? value.bytes : encoder.encode(JSON.stringify(value));
}

/** All of it, or a stream of it where it is more than is kept. */
async function bounded(bytes: Bytes): Promise<Bytes> {
  if (bytes instanceof Uint8Array) return bytes;
  const reader: ReadableStreamDefaultReader<Uint8Array> = inLargeParts(bytes).getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joined(pieces, size);
    pieces.push(value);
    size += value.byteLength;
    if (size > KEPT_MAX_BYTES) return goOn(pieces, reader);
  }
}

/** What was read, then the rest as the client reads it. */
function goOn(
  pieces: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  const held = [...pieces];
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = held.shift() ?? (await reader.read()).value;
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
