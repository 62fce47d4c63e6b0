/**
 * Values of runs, sealed at rest: AES-256-GCM under a key of the object's own, which itself is sealed
 * under the organization's. Sealing takes no waiting, so that a transition is one transaction.
 */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { GatewayError } from '../../../proto/errors.ts';
import type { Ref } from '../engine/journal.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Bytes that are kept in one row of their own; larger ones lie in pieces. Spec: workflows.md §7. */
const ROW_MAX = 512 * 1024;
const PIECE = 1024 * 1024;
/** Bytes of a row beside its value, with its index: about. */
export const ROW_BYTES = 60;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The values of one object. */
export class Vault {
  readonly #sql: SqlStorage;
  readonly #key: Uint8Array;
  readonly #name: string;

  /** @param key 32 bytes @param name of the object: what it seals opens nowhere else */
  constructor(sql: SqlStorage, key: Uint8Array, name: string) {
    this.#sql = sql;
    this.#key = key;
    this.#name = name;
  }

  /** Seals bytes for a place. */
  seal(clear: Uint8Array, place: string): Uint8Array {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(this.#bound(place));
    const sealed = cipher.update(clear);
    const rest = cipher.final();
    return joined([iv, cipher.getAuthTag(), sealed, rest]);
  }

  /** Opens what `seal` made for the same place. @throws GatewayError INTERNAL */
  open(sealed: Uint8Array, place: string): Uint8Array {
    const tagEnd = IV_BYTES + TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, IV_BYTES))
      .setAAD(this.#bound(place))
      .setAuthTag(sealed.subarray(IV_BYTES, tagEnd));
    try {
      return joined([decipher.update(sealed.subarray(tagEnd)), decipher.final()]);
    } catch (cause) {
      throw new GatewayError('INTERNAL', 'A stored value cannot be opened', { cause });
    }
  }

  /** Keeps a text of a run. */
  keep(run: number, text: string): Ref {
    const sealed = this.seal(encoder.encode(text), `${run}`);
    const size = sealed.byteLength;
    const isSmall = size <= ROW_MAX;
    const { ref } = this.#sql
      .exec<{ ref: number }>(
        'INSERT INTO vals (run, size, bytes) VALUES (?, ?, ?) RETURNING ref',
        run,
        size,
        isSmall ? bufferOf(sealed) : null,
      )
      .one();
    for (let at = 0; !isSmall && at * PIECE < size; at += 1) {
      const piece = bufferOf(sealed.subarray(at * PIECE, (at + 1) * PIECE));
      this.#sql.exec('INSERT INTO pieces VALUES (?, ?, ?)', ref, at, piece);
    }
    return ref;
  }

  /** A text of a run. */
  text(run: number, ref: Ref): string {
    const sealed = this.#sealed(run, ref);
    return decoder.decode(this.open(sealed, `${run}`));
  }

  #sealed(run: number, ref: Ref): Uint8Array {
    const row = this.#sql
      .exec<{ bytes: ArrayBuffer | null }>(
        'SELECT bytes FROM vals WHERE run = ? AND ref = ?',
        run,
        ref,
      )
      .toArray()[0];
    if (row?.bytes) return new Uint8Array(row.bytes);
    const pieces = this.#sql
      .exec<{ bytes: ArrayBuffer }>('SELECT bytes FROM pieces WHERE ref = ? ORDER BY at', ref)
      .toArray();
    return joined(pieces.map(({ bytes }) => new Uint8Array(bytes)));
  }

  /** Bytes of a value as it is stored. */
  sizeOf(run: number, ref: Ref): number {
    const [row] = this.#sql
      .exec<{ size: number }>('SELECT size FROM vals WHERE run = ? AND ref = ?', run, ref)
      .toArray();
    return row?.size ?? 0;
  }

  /** Bytes derived from a text, which cannot be made without the object's key. */
  tagOf(text: string): Uint8Array {
    return createHmac('sha256', this.#key).update(`${this.#name}:${text}`).digest();
  }

  #bound(place: string): Uint8Array {
    return encoder.encode(`${this.#name}:${place}`);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
