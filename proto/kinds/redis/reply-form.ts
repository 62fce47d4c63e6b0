/** Writes replies as they came, for clients that decode them by themselves. Source: upstash.com/docs/redis/features/restapi. */
import type { ReplyForm } from '../../driver.ts';
import { withoutAddresses } from './replies/addresses.ts';
import { ReplyDouble, ReplyError, ReplyMap, ReplySet, type ReplyValue } from './reply-value.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
/** Arguments of one call of a function. */
const PIECE = 8192;

/**
 * One reply: `{"result": …}`, or `{"error": …}` of an error; RESP2 without either. What only RESP3
 * has is written as RESP2 has it: maps as lists, doubles as strings. Integers keep all digits.
 */
export function writeReply(reply: ReplyValue, form: ReplyForm): Uint8Array {
  return form === 'resp2' ? concat(resp2(reply)) : encoder.encode(envelope(reply, form));
}

/** Replies of many commands: an array of `{"result": …}` and `{"error": …}`; RESP2 one after another. */
export function writeReplies(replies: readonly ReplyValue[], form: ReplyForm): Uint8Array {
  if (form === 'resp2') return concat(replies.flatMap(resp2));
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
  if (typeof plain === 'string') {
    const written = form === 'base64' && plain !== 'OK' ? base64(encoder.encode(plain)) : plain;
    return JSON.stringify(written);
  }
  if (plain instanceof ReplyError) return json(withoutAddresses(plain.message), form);
  return `[${plain.map((each) => json(each, form)).join(',')}]`;
}

/** What RESP2 has. */
type Plain = null | number | bigint | string | Uint8Array | ReplyError | readonly ReplyValue[];

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

/** The reply's bytes, in pieces. */
function resp2(reply: ReplyValue): Uint8Array[] {
  const plain = plainOf(reply);
  if (plain === null) return [line('$-1')];
  if (plain instanceof Uint8Array) return [line(`$${plain.byteLength}`), plain, line('')];
  if (plain instanceof ReplyError) return [line(`-${withoutAddresses(plain.message)}`)];
  if (typeof plain === 'string') return [line(`+${plain}`)];
  if (typeof plain === 'object') return [line(`*${plain.length}`), ...plain.flatMap(resp2)];
  return [line(`:${plain}`)];
}

function line(text: string): Uint8Array {
  return encoder.encode(`${text}\r\n`);
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, { byteLength }) => size + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.byteLength; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return btoa(text);
}
