/** Replies next to marks in Redis: its script seals them, as its server makes them. Spec: transactions.md §7. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { OnceMark } from '../../../proto/once.ts';
import { changedSince } from '../kept-reply.ts';

/** Bytes that a block of the stream has. Source: SHA-1, FIPS 180-4. */
const BLOCK = 20;
const NONCE_BYTES = 16;

/** What seals one reply and no other: the server sees it while the script runs, and keeps the nonce alone. */
interface ReplyKeys {
  readonly nonce: string;
  readonly encrypts: string;
  readonly authenticates: string;
}

/** A reply as a mark has it. */
interface SealedReply {
  readonly nonce: string;
  readonly reply: Uint8Array;
  readonly seal: string;
}

/** Keys of a reply, made of the mark's secret, and bound to what the mark stands for. @param nonce of the kept reply; a new one when left out */
export function replyKeys(
  mark: OnceMark,
  nonce = randomBytes(NONCE_BYTES).toString('hex'),
): ReplyKeys {
  const key = (purpose: string) =>
    createHmac('sha256', Buffer.from(mark.secret, 'hex'))
      .update(`${purpose}:${nonce}:${mark.key}:${mark.body}`)
      .digest('hex');
  return { nonce, encrypts: key('encrypt'), authenticates: key('authenticate') };
}

/** The reply in RESP2. @throws GatewayError REPLY_NOT_KEPT where somebody has changed it */
export function openReply({ nonce, reply, seal }: SealedReply, mark: OnceMark): Buffer {
  const { encrypts, authenticates } = replyKeys(mark, nonce);
  const expected = sha1Of(authenticates, sha1Of(authenticates, reply));
  const given = Buffer.from(seal);
  const isOwn = given.length === expected.length && timingSafeEqual(given, Buffer.from(expected));
  if (!isOwn) throw changedSince();
  const clear = Buffer.from(reply);
  for (let at = 0; at < clear.length; at += BLOCK) {
    const stream = createHash('sha1')
      .update(`${encrypts}:${at / BLOCK}`)
      .digest();
    const end = Math.min(at + BLOCK, clear.length);
    for (let each = at; each < end; each += 1) {
      clear[each] = (clear[each] ?? 0) ^ (stream[each - at] ?? 0);
    }
  }
  return clear;
}

function sha1Of(key: string, text: string | Uint8Array): string {
  return createHash('sha1').update(key).update(text).digest('hex');
}
