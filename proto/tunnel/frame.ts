/**
 * Frames of a tunnel: HTTP requests and their replies, many at a time, over one WebSocket between a
 * gateway and a relay that listens nowhere. A message of the WebSocket holds one or more frames; a
 * frame is a byte for its type, three for the length of what follows the head, six for the call, all
 * big-endian, and then what its type says.
 */

/** Subprotocol of the WebSocket; another version of the frames has another name. */
export const TUNNEL_PROTOCOL = 'causeway-tunnel.v1';

/** Most bytes of a message. */
export const MESSAGE_MAX_BYTES = 128 * 1024;
/** Most bytes of one frame with a part of a body: after it, other calls have their turn. */
export const DATA_MAX_BYTES = 32 * 1024;
/** Most bytes of the head of a request or a reply. */
export const HEAD_MAX_BYTES = 64 * 1024;
/** Largest number of a call: six bytes. At 10,000 calls a second it lasts for 800 years. */
export const CALL_MAX = 2 ** 48 - 1;
/** Bytes of a frame before what its type says. */
export const FRAME_HEAD_BYTES = 10;

/** Names in lower case. */
type HeaderRecord = Readonly<Record<string, string>>;

/** What a call asks for, without its body. */
export interface RequestHead {
  readonly method: string;
  /** Begins with `/`. */
  readonly path: string;
  readonly headers: HeaderRecord;
}

/** What a call is answered with, without its body. */
export interface ReplyHead {
  readonly status: number;
  readonly headers: HeaderRecord;
}

/**
 * Why one side ends a call before its end: its caller has left; it was not begun, and may be sent
 * elsewhere; its reply cannot be completed.
 */
export const RESET_CODES = ['cancelled', 'refused', 'failed'] as const;
export type ResetCode = (typeof RESET_CODES)[number];

/** One frame. */
export type Frame =
  /** From the gateway: the numbers of calls begin again, and what there was before is over. The relay answers it in kind. */
  | { readonly type: 'start'; readonly epoch: number }
  /** From the gateway: a call begins; so many bytes of its reply's body may be sent. */
  | {
      readonly type: 'open';
      readonly call: number;
      readonly credit: number;
      readonly head: RequestHead;
    }
  /** From the relay: the reply's head. */
  | { readonly type: 'head'; readonly call: number; readonly head: ReplyHead }
  /** A part of a body. */
  | { readonly type: 'data'; readonly call: number; readonly bytes: Uint8Array }
  /** The body has ended. */
  | { readonly type: 'end'; readonly call: number }
  /** The call is over. It is answered in kind by a side that has not ended its own body. */
  | { readonly type: 'reset'; readonly call: number; readonly code: ResetCode }
  /** So many more bytes may be sent: of the call's body, or of all together for call 0. */
  | { readonly type: 'window'; readonly call: number; readonly credit: number }
  /** From the gateway: whether the relay is there. */
  | { readonly type: 'ping'; readonly nonce: number }
  /** From the relay: it is. */
  | { readonly type: 'pong'; readonly nonce: number }
  /** From the relay: it takes no more calls, and finishes those it has. */
  | { readonly type: 'goaway' };

/** What the other side sent is not what the frames' rules allow: the tunnel cannot go on. */
export class TunnelFault extends Error {
  override readonly name = 'TunnelFault';
}

/** By their byte, from 1. */
const TYPES = [
  'start',
  'open',
  'head',
  'data',
  'end',
  'reset',
  'window',
  'ping',
  'pong',
  'goaway',
] as const satisfies Frame['type'][];
/** Bytes of a credit or a code. */
const NUMBER_BYTES = 4;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const NOTHING = new Uint8Array();

/** A frame that is ready to be written into a message. */
export interface Prepared {
  readonly type: Frame['type'];
  /** Of frames that are about no call, the number that they carry. */
  readonly call: number;
  /** Or a code. */
  readonly credit: number | undefined;
  readonly bytes: Uint8Array;
}

/** Frames as one message. @throws TunnelFault when a head is too large to be sent */
export function encode(frames: readonly Frame[]): Uint8Array {
  return assemble(frames.map(prepare));
}

/** Prepared frames as one message. */
export function assemble(frames: readonly Prepared[]): Uint8Array {
  const message = new Uint8Array(frames.reduce((sum, each) => sum + sizeOf(each), 0));
  const view = new DataView(message.buffer);
  let at = 0;
  for (const { type, call, credit, bytes } of frames) {
    const length = bytes.byteLength + (credit === undefined ? 0 : NUMBER_BYTES);
    view.setUint32(at, (TYPES.indexOf(type) + 1) * 2 ** 24 + length);
    view.setUint16(at + 4, Math.floor(call / 2 ** 32));
    view.setUint32(at + 6, call % 2 ** 32);
    at += FRAME_HEAD_BYTES;
    if (credit !== undefined) {
      view.setUint32(at, credit);
      at += NUMBER_BYTES;
    }
    message.set(bytes, at);
    at += bytes.byteLength;
  }
  return message;
}

/** Bytes of a frame in a message. */
export function sizeOf({ credit, bytes }: Prepared): number {
  return FRAME_HEAD_BYTES + (credit === undefined ? 0 : NUMBER_BYTES) + bytes.byteLength;
}

/** Readies a frame. @throws TunnelFault when a head is too large to be sent */
export function prepare(frame: Frame): Prepared {
  const bare = { type: frame.type, credit: undefined, bytes: NOTHING };
  switch (frame.type) {
    case 'start':
      return { ...bare, call: frame.epoch };
    case 'ping':
    case 'pong':
      return { ...bare, call: frame.nonce };
    case 'goaway':
      return { ...bare, call: 0 };
    case 'open':
      return { ...bare, call: frame.call, credit: frame.credit, bytes: headBytes(frame.head) };
    case 'head':
      return { ...bare, call: frame.call, bytes: headBytes(frame.head) };
    case 'data':
      return { ...bare, call: frame.call, bytes: frame.bytes };
    case 'end':
      return { ...bare, call: frame.call };
    case 'reset':
      return { ...bare, call: frame.call, credit: RESET_CODES.indexOf(frame.code) };
    case 'window':
      return { ...bare, call: frame.call, credit: frame.credit };
  }
}

/** JSON: its reader and writer are the runtime's own, and heads are small. */
function headBytes(head: RequestHead | ReplyHead): Uint8Array {
  const bytes = encoder.encode(JSON.stringify(head));
  if (bytes.byteLength > HEAD_MAX_BYTES) {
    throw new TunnelFault(`A head has ${bytes.byteLength} bytes, more than ${HEAD_MAX_BYTES}`);
  }
  return bytes;
}

/**
 * The frames of a message. Bodies are views of it, not copies.
 * @throws TunnelFault saying what about it is no frame
 */
export function decode(message: Uint8Array): Frame[] {
  const { byteLength } = message;
  if (byteLength > MESSAGE_MAX_BYTES) {
    throw new TunnelFault(`A message has ${byteLength} bytes, more than ${MESSAGE_MAX_BYTES}`);
  }
  if (byteLength === 0) throw new TunnelFault('A message has no frame');
  const view = new DataView(message.buffer, message.byteOffset, byteLength);
  const frames: Frame[] = [];
  for (let at = 0; at < byteLength; ) {
    if (byteLength - at < FRAME_HEAD_BYTES) throw new TunnelFault('A frame is cut off');
    const first = view.getUint32(at);
    const length = first % 2 ** 24;
    const call = view.getUint16(at + 4) * 2 ** 32 + view.getUint32(at + 6);
    const start = at + FRAME_HEAD_BYTES;
    at = start + length;
    if (at > byteLength) throw new TunnelFault('A frame is cut off');
    frames.push(frameOf(Math.floor(first / 2 ** 24), call, message.subarray(start, at)));
  }
  return frames;
}

function frameOf(byte: number, call: number, payload: Uint8Array): Frame {
  const type = TYPES[byte - 1];
  switch (type) {
    case 'start':
      demand(payload.byteLength === 0, type);
      return { type, epoch: call };
    case 'ping':
    case 'pong':
      demand(payload.byteLength === 0, type);
      return { type, nonce: call };
    case 'goaway':
      demand(payload.byteLength === 0 && call === 0, type);
      return { type };
    case 'window':
      demand(payload.byteLength === NUMBER_BYTES, type);
      return { type, call, credit: numberIn(payload) };
    case undefined:
      throw new TunnelFault(`${byte} is no type of frame`);
    default:
      return frameOfCall(type, call, payload);
  }
}

function frameOfCall(
  type: 'open' | 'head' | 'data' | 'end' | 'reset',
  call: number,
  payload: Uint8Array,
): Frame {
  demand(call > 0, type);
  switch (type) {
    case 'open':
      demand(payload.byteLength > NUMBER_BYTES, type);
      return { type, call, credit: numberIn(payload), head: requestHeadIn(payload) };
    case 'head':
      return { type, call, head: replyHeadIn(payload) };
    case 'data':
      demand(payload.byteLength > 0 && payload.byteLength <= DATA_MAX_BYTES, type);
      return { type, call, bytes: payload };
    case 'end':
      demand(payload.byteLength === 0, type);
      return { type, call };
    case 'reset': {
      const code = RESET_CODES[payload.byteLength === NUMBER_BYTES ? numberIn(payload) : -1];
      if (code === undefined) throw malformed(type);
      return { type, call, code };
    }
  }
}

function demand(holds: boolean, type: Frame['type']): void {
  if (!holds) throw malformed(type);
}

function malformed(type: Frame['type']): TunnelFault {
  return new TunnelFault(`A frame of type ${type} is malformed`);
}

function numberIn(payload: Uint8Array): number {
  return new DataView(payload.buffer, payload.byteOffset, NUMBER_BYTES).getUint32(0);
}

function requestHeadIn(payload: Uint8Array): RequestHead {
  const head = jsonIn(payload.subarray(NUMBER_BYTES), 'open');
  const { method, path, headers } = head;
  if (typeof method !== 'string' || typeof path !== 'string' || !isHeaderRecord(headers)) {
    throw malformed('open');
  }
  return { method, path, headers };
}

function replyHeadIn(payload: Uint8Array): ReplyHead {
  const { status, headers } = jsonIn(payload, 'head');
  const isStatus = typeof status === 'number' && Number.isInteger(status);
  // Others have no body, or are no statuses at all.
  if (!isStatus || status < 200 || status > 599 || !isHeaderRecord(headers)) {
    throw malformed('head');
  }
  return { status, headers };
}

function jsonIn(bytes: Uint8Array, type: 'open' | 'head'): { readonly [member: string]: unknown } {
  if (bytes.byteLength > HEAD_MAX_BYTES) throw malformed(type);
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    throw malformed(type);
  }
  if (typeof value !== 'object' || value === null) throw malformed(type);
  return { ...value };
}

function isHeaderRecord(value: unknown): value is HeaderRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((each) => typeof each === 'string');
}
