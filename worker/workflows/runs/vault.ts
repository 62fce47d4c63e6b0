/**
 * Values of runs, sealed at rest: AES-256-GCM under a key of the object's own, which itself is sealed
 * under the organization's. Sealing takes no waiting, so that a transition is one transaction.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
} from 'node:crypto';
import { GatewayError } from '../../../proto/errors.ts';
import { joined } from '../../../proto/gathered-bytes.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import { type Pieces, whole as wholeOf } from '../../../proto/work/pieces.ts';
import type { Ref } from '../engine/journal.ts';
import { joinedText, type TextPart } from '../engine/text-parts.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** What sealing adds. */
export const SEALED_BYTES = IV_BYTES + TAG_BYTES;
/** Bytes that are kept in one row of their own; larger ones lie in pieces. Spec: workflows.md §7. */
const ROW_MAX = 512 * 1024;
const PIECE = 1024 * 1024;
/** Characters up to which a text shares a row with others. */
export const LARGE_FROM = 4 * 1024;
/** How many such a row has, and their characters, about. */
const SHARED = { texts: 100, characters: 32 * 1024 };
/** Texts of shared rows that were written or read last, in the clear, of one object. */
const RECENT = { most: 2_000, characters: 128 * 1024 };

/** A text that is made of others, with the bytes of the whole. */
export interface JoinedText {
  readonly parts: readonly TextPart[];
  readonly size: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface ValueRow extends Record<string, SqlStorageValue> {
  readonly ref: number;
  readonly size: number;
  readonly bytes: ArrayBuffer | null;
}

/** The values of one object. */
export class Vault {
  readonly #sql: SqlStorage;
  readonly #key: KeyObject;
  readonly #name: string;
  readonly #recent = new LruMap<string, string>(RECENT.most, {
    most: RECENT.characters,
    of: (text) => text.length,
  });

  /** @param key 32 bytes @param name of the object: what it seals opens nowhere else */
  constructor(sql: SqlStorage, key: Uint8Array, name: string) {
    this.#sql = sql;
    this.#key = createSecretKey(key);
    this.#name = name;
  }

  /** Seals bytes for a place. */
  seal(clear: Uint8Array, place: string): Uint8Array {
    return wholeOf(this.#sealInPieces([clear], place));
  }

  *#sealInPieces(clear: Iterable<Uint8Array>, place: string): Pieces<Uint8Array> {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(this.#bound(place));
    const sealed: Uint8Array[] = [];
    for (const part of clear) {
      sealed.push(cipher.update(part));
      yield;
    }
    const rest = cipher.final();
    return whole([iv, cipher.getAuthTag(), ...sealed, rest]);
  }

  /** Opens what `seal` made for the same place. @throws GatewayError INTERNAL */
  open(sealed: Uint8Array, place: string): Uint8Array {
    const tagEnd = IV_BYTES + TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, IV_BYTES))
      .setAAD(this.#bound(place))
      .setAuthTag(sealed.subarray(IV_BYTES, tagEnd));
    try {
      return whole([decipher.update(sealed.subarray(tagEnd)), decipher.final()]);
    } catch (cause) {
      throw new GatewayError('INTERNAL', 'A stored value cannot be opened', { cause });
    }
  }

  /** The last ref of a run's values that are written; 0 where there is none. */
  lastRef(run: number): Ref {
    const sql = 'SELECT max(ref) AS ref FROM texts WHERE run = ?';
    return this.#sql.exec<{ ref: number | null }>(sql, run).toArray()[0]?.ref ?? 0;
  }

  /** Keeps a text of a run, under the next ref. */
  keep(run: number, text: string): Ref {
    const ref = this.lastRef(run) + 1;
    this.writeAll(run, [[ref, text]]);
    return ref;
  }

  /** Writes texts of a run in the order of their refs: small ones that follow each other share a row. */
  writeAll(run: number, texts: Iterable<readonly [Ref, string | JoinedText]>): void {
    let some: (readonly [Ref, string])[] = [];
    let length = 0;
    const flush = () => {
      if (some.length > 0) this.#writeShared(run, some);
      some = [];
      length = 0;
    };
    for (const [ref, text] of texts) {
      if (typeof text !== 'string') {
        flush();
        this.#writeAlone(run, ref, JSON.stringify(text.parts), -text.size - SEALED_BYTES);
        continue;
      }
      if (text.length > LARGE_FROM) {
        flush();
        this.#writeAlone(run, ref, text);
        continue;
      }
      some.push([ref, text]);
      length += text.length;
      if (length > SHARED.characters || some.length === SHARED.texts) flush();
    }
    flush();
  }

  /** The row has the last of their refs, and the size 0. */
  #writeShared(run: number, texts: readonly (readonly [Ref, string])[]): void {
    const sealed = this.seal(encoder.encode(JSON.stringify(texts)), `${run}`);
    const [last] = texts.at(-1) ?? [0];
    this.#sql.exec('INSERT INTO texts VALUES (?, ?, 0, ?)', run, last, bufferOf(sealed));
    this.#remember(run, texts);
  }

  #remember(run: number, texts: readonly (readonly [Ref, string])[]): void {
    for (const [ref, text] of texts) this.#recent.set(`${run}:${ref}`, text);
  }

  /** @param joinedSize less than 0: the bytes that what is made of others would have as a row */
  #writeAlone(run: number, ref: Ref, text: string, joinedSize?: number): void {
    const sealed = this.seal(encoder.encode(text), `${run}`);
    const size = sealed.byteLength;
    const isSmall = size <= ROW_MAX;
    const row = isSmall ? bufferOf(sealed) : null;
    this.#sql.exec('INSERT INTO texts VALUES (?, ?, ?, ?)', run, ref, joinedSize ?? size, row);
    if (!isSmall) wholeOf(this.#writePieces(run, ref, sealed));
  }

  *#writePieces(run: number, ref: Ref, sealed: Uint8Array): Pieces<void> {
    for (let at = 0; at * PIECE < sealed.byteLength; at += 1) {
      const piece = bufferOf(sealed.subarray(at * PIECE, (at + 1) * PIECE));
      this.#sql.exec('INSERT INTO pieces VALUES (?, ?, ?, ?)', run, ref, at, piece);
      yield;
    }
  }

  /** Seals a text of a run, as `writeSealed` takes it. */
  sealText(run: number, text: string): Pieces<Uint8Array> {
    return this.#sealInPieces(encodedParts(text), `${run}`);
  }

  /** Writes a large text of a run in pieces, each a transaction of its own where others come between. */
  *writeSealed(run: number, ref: Ref, sealed: Uint8Array): Pieces<void> {
    const size = sealed.byteLength;
    this.#sql.exec('INSERT INTO texts VALUES (?, ?, ?, NULL)', run, ref, size);
    yield* this.#writePieces(run, ref, sealed);
  }

  /** Whether there is such a text. */
  has(run: number, ref: Ref): boolean {
    return this.#recent.get(`${run}:${ref}`) !== undefined || this.#row(run, ref) !== undefined;
  }

  /** A text of a run; undefined where there is none. */
  find(run: number, ref: Ref): string | undefined {
    const known = this.#recent.get(`${run}:${ref}`);
    if (known !== undefined) return known;
    const row = this.#row(run, ref);
    if (!row) return undefined;
    const opened = decoder.decode(this.open(this.#sealed(run, row), `${run}`));
    if (row.size > 0) return opened;
    if (row.size < 0) {
      // As it was written.
      return joinedText(JSON.parse(opened) as TextPart[], (part) => this.text(run, part));
    }
    const texts = JSON.parse(opened) as [Ref, string][]; // As it was written.
    this.#remember(run, texts);
    return texts.find(([each]) => each === ref)?.[1];
  }

  /** The bytes of a text, in pieces where it is large. @throws GatewayError INTERNAL where there is none */
  *bytesOf(run: number, ref: Ref): Generator<Uint8Array> {
    const row = this.#row(run, ref);
    if (!row || row.size === 0) {
      yield encoder.encode(this.text(run, ref));
      return;
    }
    const clear = this.open(this.#sealed(run, row), `${run}`);
    if (row.size > 0) {
      for (let at = 0; at < clear.byteLength; at += PIECE) yield clear.subarray(at, at + PIECE);
      return;
    }
    for (const part of JSON.parse(decoder.decode(clear)) as TextPart[]) {
      if (typeof part === 'string') yield encoder.encode(part);
      else yield* this.bytesOf(run, part);
    }
  }

  /** A text of a run. @throws GatewayError INTERNAL where there is none */
  text(run: number, ref: Ref): string {
    const found = this.find(run, ref);
    if (found === undefined) throw new GatewayError('INTERNAL', 'A stored value is missing');
    return found;
  }

  /** The row that a value lies in: its own, or one that it shares. */
  #row(run: number, ref: Ref): ValueRow | undefined {
    const [row] = this.#sql
      .exec<ValueRow>(
        'SELECT ref, size, bytes FROM texts WHERE run = ? AND ref >= ? ORDER BY ref LIMIT 1',
        run,
        ref,
      )
      .toArray();
    return row && (row.size === 0 || row.ref === ref) ? row : undefined;
  }

  #sealed(run: number, row: ValueRow): Uint8Array {
    if (row.bytes) return new Uint8Array(row.bytes);
    const pieces = this.#sql
      .exec<{ bytes: ArrayBuffer }>(
        'SELECT bytes FROM pieces WHERE run = ? AND ref = ? ORDER BY at',
        run,
        row.ref,
      )
      .toArray();
    return whole(pieces.map(({ bytes }) => new Uint8Array(bytes)));
  }

  /** Bytes of a value as it is stored; 0 of one that shares a row. */
  sizeOf(run: number, ref: Ref): number {
    if (this.#recent.get(`${run}:${ref}`) !== undefined) return 0;
    const sql =
      'SELECT abs(size) AS size FROM texts WHERE run = ? AND ref >= ? ORDER BY ref LIMIT 1';
    return this.#sql.exec<{ size: number }>(sql, run, ref).toArray()[0]?.size ?? 0;
  }

  /** Bytes derived from a text, which cannot be made without the object's key. */
  tagOf(text: string): Uint8Array {
    return createHmac('sha256', this.#key).update(`${this.#name}:${text}`).digest();
  }

  #bound(place: string): Uint8Array {
    return encoder.encode(`${this.#name}:${place}`);
  }
}

function whole(parts: readonly Uint8Array[]): Uint8Array {
  return joined(
    parts,
    parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
  );
}

/** The bytes of a text, some at a time; no character is cut in two. */
function* encodedParts(text: string): Generator<Uint8Array> {
  for (let at = 0; at < text.length; ) {
    const end = Math.min(at + PIECE, text.length);
    const isCut = end < text.length && isLead(text.charCodeAt(end - 1));
    yield encoder.encode(text.slice(at, isCut ? end - 1 : end));
    at = isCut ? end - 1 : end;
  }
}

/** Whether a code unit is the first of two that make one character. */
function isLead(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
