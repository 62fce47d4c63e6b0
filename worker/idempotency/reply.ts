/** A reply as it is kept: status, the headers that say what the body is, what the call asked of its caller's rights, and the body. */
import { joined } from '../../proto/gathered-bytes.ts';
import { type Asked, withoutRepeats } from '../access/asked.ts';
import type { Effects } from '../context.ts';
import { inLargeParts } from '../http/large-parts.ts';

/** Bytes of a body that is kept. Contract: "at most 1 MiB". */
const KEPT_MAX_BYTES = 1024 * 1024;
/** Those that are the reply's own; all others are made for each request anew. */
const KEPT_HEADERS = [
  'Content-Type',
  'Content-Language',
  'Content-Disposition',
  'ETag',
  'Last-Modified',
  'Location',
  'Preference-Applied',
];
/** Of replies that end when the client or the backend likes. */
const ENDLESS = /^(?:application\/x-ndjson|text\/event-stream)\b/i;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const LINE_END = 0x0a;

/** A response to answer with, and the bytes to keep of it, or why there are none. */
export interface TakenIn {
  readonly response: Response;
  readonly kept: Uint8Array | 'size' | 'stream';
}

/**
 * Reads a response until it is known whether it can be kept: to its end, or just beyond what is
 * kept, never more. It does not wait for the client to read.
 * @param effects of the call
 * @throws whatever the body's own stream ends with
 */
export async function takeIn(response: Response, effects: Effects): Promise<TakenIn> {
  if (response.body === null) {
    return { response, kept: written(response, new Uint8Array(), effects) };
  }
  if (ENDLESS.test(response.headers.get('Content-Type') ?? '')) return { response, kept: 'stream' };
  const reader: ReadableStreamDefaultReader<Uint8Array> = inLargeParts(response.body).getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    size += value.byteLength;
    if (size > KEPT_MAX_BYTES) {
      return { response: new Response(goOn(pieces, reader), response), kept: 'size' };
    }
  }
  const body = joined(pieces, size);
  return { response: new Response(body, response), kept: written(response, body, effects) };
}

/** A kept reply, opened. */
export interface Opened {
  readonly status: number;
  /** What it may be told for; `undefined` of one that was kept without it. */
  readonly asked: readonly Asked[] | undefined;
  /** The response, marked as a replay. */
  replay(): Response;
}

/** Reads what was kept. */
export function opened(kept: Uint8Array): Opened {
  const end = kept.indexOf(LINE_END);
  // Written by `written`, and sealed since.
  const { status, headers, asked } = JSON.parse(decoder.decode(kept.subarray(0, end))) as Head;
  const body = kept.subarray(end + 1);
  return {
    status,
    asked,
    replay: () =>
      new Response(body.byteLength === 0 ? null : body, {
        status,
        headers: { ...headers, 'Idempotent-Replayed': 'true' },
      }),
  };
}

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly asked?: readonly Asked[];
}

/** A line of JSON, then the body. */
function written({ status, headers }: Response, body: Uint8Array, effects: Effects): Uint8Array {
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const asked = withoutRepeats(effects.asked);
  const head: Head = { status, headers: Object.fromEntries(kept), asked };
  const line = encoder.encode(`${JSON.stringify(head)}\n`);
  return joined([line, body], line.byteLength + body.byteLength);
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
