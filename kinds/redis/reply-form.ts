/** Writes replies as they came, for clients that decode them by themselves. Source: upstash.com/docs/redis/features/restapi. */
import type { ReplyForm } from '../../proto/driver.ts';
import { withoutAddresses } from './replies/addresses.ts';
import {
  ReplyDouble,
  ReplyError,
  ReplyMap,
  ReplySet,
  ReplyStatus,
  type ReplyValue,
} from './reply-value.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
/** Arguments of one call of a function. */
const PIECE = 8192;

/**
 * One reply: `{"result": …}`, or `{"error": …}` of an error; RESP2 without either. What only RESP3
 * has is written as RESP2 has it: maps as lists, doubles as strings. Integers keep all digits.
 */
export function writeReply(reply: ReplyValue, form: ReplyForm): Uint8Array {
  if (form !== 'resp2') return encoder.encode(envelope(reply, form));
  return inResp2([reply]);
}

/** Replies of many commands: an array of `{"result": …}` and `{"error": …}`; RESP2 one after another. */
export function writeReplies(replies: readonly ReplyValue[], form: ReplyForm): Uint8Array {
  if (form === 'resp2') return inResp2(replies);
  return encoder.encode(`[${replies.map((each) => envelope(each, form)).join(',')}]`);
}

type JsonForm = Exclude<ReplyForm, 'resp2'>;

function envelope(reply: ReplyValue, form: JsonForm): string {
  return reply instanceof ReplyError
    ? JSON.stringify({ error: withoutAddresses(reply.message) })
    : `{"result":${json(reply, form)}}`;
}

function json(reply: ReplyValue, form: JsonForm): string {
  const plain = plainOf(reply);
  if (plain === null) return 'null';
  if (typeof plain === 'number' || typeof plain === 'bigint') return String(plain);
  if (plain instanceof Uint8Array) {
    return form === 'base64' ? `"${base64(plain)}"` : JSON.stringify(decoder.decode(plain));
  }
  if (typeof plain === 'string')
    return form === 'base64' ? `"${textIn64(plain)}"` : JSON.stringify(plain);
  if (plain instanceof ReplyStatus) {
    const isAsItIs = form === 'json' || plain.text === 'OK';
    return JSON.stringify(isAsItIs ? plain.text : textIn64(plain.text));
  }
  if (plain instanceof ReplyError) return json(withoutAddresses(plain.message), form);
  return `[${plain.map((each) => json(each, form)).join(',')}]`;
}

/** What RESP2 has. */
type Plain =
  | null
  | number
  | bigint
  | string
  | Uint8Array
  | ReplyStatus
  | ReplyError
  | readonly ReplyValue[];

function plainOf(reply: ReplyValue): Plain {
  if (typeof reply === 'boolean') return Number(reply);
  if (reply instanceof ReplyMap || reply instanceof ReplySet) return reply.items;
  if (reply instanceof ReplyDouble) return encoder.encode(doubleText(reply.value));
  // A double that was not told from an integer; RESP2's integers have no fraction.
  if (typeof reply === 'number' && !Number.isInteger(reply))
    return encoder.encode(doubleText(reply));
  return reply;
}

function doubleText(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}

/** Replies after another. */
function inResp2(replies: readonly ReplyValue[]): Uint8Array {
  const sink = new Sink();
  for (const each of replies) resp2(each, sink);
  return sink.whole();
}

function resp2(reply: ReplyValue, sink: Sink): void {
  const plain = plainOf(reply);
  if (plain === null) sink.line('$-1');
  else if (typeof plain === 'string') bulkText(plain, sink);
  else if (plain instanceof Uint8Array) bulk(plain, sink);
  else if (plain instanceof ReplyError) sink.line(`-${withoutAddresses(plain.message)}`);
  else if (plain instanceof ReplyStatus) sink.line(`+${plain.text}`);
  else if (typeof plain === 'object') {
    sink.line(`*${plain.length}`);
    for (const each of plain) resp2(each, sink);
  } else sink.line(`:${plain}`);
}

function bulkText(text: string, sink: Sink): void {
  if (ASCII.test(text)) sink.line(`$${text.length}\r\n${text}`);
  else bulk(encoder.encode(text), sink);
}

function bulk(bytes: Uint8Array, sink: Sink): void {
  sink.line(`$${bytes.byteLength}`);
  sink.bytes(bytes);
  sink.line('');
}

/** Characters that wait to be made bytes, together. */
const WAITING_MAX = 65_536;

/** Bytes in the order in which they are written. */
class Sink {
  readonly #pieces: Uint8Array[] = [];
  #waiting = '';

  line(text: string): void {
    this.#waiting += `${text}\r\n`;
    if (this.#waiting.length > WAITING_MAX) this.#take();
  }

  bytes(bytes: Uint8Array): void {
    this.#take();
    this.#pieces.push(bytes);
  }

  whole(): Uint8Array {
    this.#take();
    const whole = new Uint8Array(
      this.#pieces.reduce((size, { byteLength }) => size + byteLength, 0),
    );
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.byteLength;
    }
    return whole;
  }

  #take(): void {
    this.#pieces.push(encoder.encode(this.#waiting));
    this.#waiting = '';
  }
}

const ASCII = /^[\0-\x7f]*$/;

function textIn64(text: string): string {
  return ASCII.test(text) ? btoa(text) : base64(encoder.encode(text));
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.byteLength; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return btoa(text);
}
