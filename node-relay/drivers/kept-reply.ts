/** Replies next to marks: sealed for the one write, and what a mark answers. Spec: transactions.md §7. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { GatewayError } from '../../proto/errors.ts';
import { ONCE_REPLY_MAX_BYTES, type OnceAnswer, type OnceMark } from '../../proto/once.ts';

/** AES-256-GCM (NIST SP 800-38D). */
const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** What a backend has under a mark's key. */
export interface KeptReply {
  readonly body: string;
  /** Null of a reply that was too large. */
  readonly reply: Uint8Array | null;
}

/** The reply as it is kept, sealed under the mark's secret; null where it is too large. */
export function keptReply(reply: Uint8Array, mark: OnceMark): Uint8Array | null {
  if (reply.byteLength > ONCE_REPLY_MAX_BYTES) return null;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(mark), iv, { authTagLength: TAG_BYTES });
  const sealed = [cipher.setAAD(boundTo(mark)).update(reply), cipher.final()];
  return Buffer.concat([Uint8Array.of(VERSION), iv, ...sealed, cipher.getAuthTag()]);
}

/** The answer of a write that was done before. @throws GatewayError IDEMPOTENCY_KEY_REUSED, REPLY_NOT_KEPT */
export function answerOfKept({ body, reply }: KeptReply, mark: OnceMark): OnceAnswer {
  checkBody(body, mark);
  if (reply === null) throw tooLargeToKeep();
  return { result: open(reply, mark), isReplay: true };
}

/** Compares what stands for the body with what a mark has. @throws GatewayError IDEMPOTENCY_KEY_REUSED */
export function checkBody(body: string, mark: OnceMark): void {
  if (body === mark.body) return;
  throw new GatewayError(
    'IDEMPOTENCY_KEY_REUSED',
    'Idempotency-Key: was sent before with another body, take a new one',
  );
}

/** Of a mark without a reply. */
export function tooLargeToKeep(): GatewayError {
  return notKept('its reply is larger than 64 KiB: it is not kept');
}

/** Of a reply that does not open. */
export function changedSince(cause?: unknown): GatewayError {
  return notKept('its reply was changed in the database since: it cannot be told', cause);
}

function open(kept: Uint8Array, mark: OnceMark): Uint8Array {
  const iv = kept.subarray(1, 1 + IV_BYTES);
  try {
    if (kept[0] !== VERSION) throw new Error('unknown version');
    const cipher = createDecipheriv(CIPHER, keyOf(mark), iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(boundTo(mark)).setAuthTag(kept.subarray(-TAG_BYTES));
    const clear = cipher.update(kept.subarray(1 + IV_BYTES, -TAG_BYTES));
    return Buffer.concat([clear, cipher.final()]);
  } catch (cause) {
    throw changedSince(cause);
  }
}

function keyOf({ secret }: OnceMark): Buffer {
  return Buffer.from(secret, 'hex');
}

function boundTo({ key, body }: OnceMark): Buffer {
  return Buffer.from(`${key}:${body}`);
}

function notKept(why: string, cause?: unknown): GatewayError {
  const message = `The request with this Idempotency-Key took effect, and ${why}`;
  return new GatewayError('REPLY_NOT_KEPT', message, { cause });
}
