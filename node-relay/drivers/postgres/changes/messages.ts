/** Reads what the output plugin pgoutput sends. Source: PostgreSQL manual, "Logical Replication Message Formats", version 1. */
import type { FieldValue } from '../../../../kinds/postgres/dialect/encode.ts';
import type { Field } from '../../../../kinds/postgres/dialect/rows.ts';
import { Unreadable } from '../../loss.ts';
import type { Lsn } from './position.ts';

/** A value that did not change and that the server does not send: it lies apart from its row. */
export const UNCHANGED = Symbol('unchanged');
/** Values of one row in the order of its columns. */
export type Tuple = readonly (FieldValue | typeof UNCHANGED)[];

/** A table as the changes that follow have it. */
export interface Relation {
  readonly id: number;
  readonly namespace: string;
  readonly name: string;
  /** `d`: the primary key, `i`: an index, `f`: the whole row, `n`: nothing. */
  readonly identity: string;
  readonly columns: readonly (Field & { readonly isKey: boolean })[];
}

/** A row that changed. */
export interface RowChange {
  readonly is: 'insert' | 'update' | 'delete';
  readonly relation: number;
  /** `key` has values of the key's columns alone. */
  readonly old?: { readonly has: 'key' | 'row'; readonly values: Tuple };
  readonly values?: Tuple;
}

/** One message; those that tell nothing about rows or transactions are `other`. */
export type Message =
  | { readonly is: 'begin'; readonly commit: Lsn; readonly time: bigint }
  | { readonly is: 'commit'; readonly end: Lsn }
  | { readonly is: 'relation'; readonly relation: Relation }
  | RowChange
  | { readonly is: 'other' };

const CHANGES: { readonly [letter: string]: RowChange['is'] } = {
  I: 'insert',
  U: 'update',
  D: 'delete',
};

/** Reads one message. @throws Unreadable */
export function readPluginMessage(body: Buffer): Message {
  const reader = new MessageReader(body);
  const letter = reader.letter();
  switch (letter) {
    case 'B':
      return { is: 'begin', commit: reader.int64(), time: reader.int64() };
    case 'C': {
      reader.skip(1 + 8); // Flags, and where the commit begins.
      return { is: 'commit', end: reader.int64() };
    }
    case 'R':
      return { is: 'relation', relation: relation(reader) };
    case 'I':
    case 'U':
    case 'D':
      return rowChange(CHANGES[letter] ?? 'insert', reader);
    default:
      return { is: 'other' };
  }
}

/** The table of a change whose beginning alone is there; undefined for what is no change. */
export function relationOfBeginning(body: Buffer): number | undefined {
  const isChange = body.length >= 5 && CHANGES[String.fromCharCode(body[0] ?? 0)] !== undefined;
  return isChange ? body.readUInt32BE(1) : undefined;
}

function relation(reader: MessageReader): Relation {
  const id = reader.uint32();
  // The server leaves the name of its own schema out.
  const namespace = reader.text() || 'pg_catalog';
  const name = reader.text();
  const identity = reader.letter();
  const columns = Array.from({ length: reader.int16() }, () => {
    const isKey = (reader.byte() & 1) === 1;
    const column = { isKey, name: reader.text(), dataTypeID: reader.uint32() };
    reader.skip(4);
    return column;
  });
  return { id, namespace, name, identity, columns };
}

function rowChange(is: RowChange['is'], reader: MessageReader): RowChange {
  const table = reader.uint32();
  let part = reader.letter();
  let old: RowChange['old'];
  if (part === 'K' || part === 'O') {
    old = { has: part === 'K' ? 'key' : 'row', values: tuple(reader) };
    if (is === 'delete') return { is, relation: table, old };
    part = reader.letter();
  }
  if (part !== 'N' || is === 'delete') throw new Unreadable('a change without its row');
  return { is, relation: table, ...(old && { old }), values: tuple(reader) };
}

function tuple(reader: MessageReader): Tuple {
  return Array.from({ length: reader.int16() }, () => {
    const kind = reader.letter();
    if (kind === 'n') return null;
    if (kind === 'u') return UNCHANGED;
    if (kind !== 't') throw new Unreadable('a value in a form that nobody asked for');
    return reader.utf8(reader.uint32());
  });
}

/** Walks one message within its own bytes. */
class MessageReader {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  skip(length: number): number {
    const from = this.#at;
    if (length > this.#body.length - from) throw new Unreadable('a message shorter than it says');
    this.#at = from + length;
    return from;
  }

  byte(): number {
    return this.#body.readUInt8(this.skip(1));
  }

  letter(): string {
    return String.fromCharCode(this.byte());
  }

  int16(): number {
    return this.#body.readUInt16BE(this.skip(2));
  }

  uint32(): number {
    return this.#body.readUInt32BE(this.skip(4));
  }

  int64(): bigint {
    return this.#body.readBigInt64BE(this.skip(8));
  }

  utf8(length: number): string {
    const from = this.skip(length);
    return this.#body.toString('utf8', from, this.#at);
  }

  /** Up to a zero. */
  text(): string {
    const end = this.#body.indexOf(0, this.#at);
    if (end === -1) throw new Unreadable('a text without an end');
    const text = this.#body.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }
}
