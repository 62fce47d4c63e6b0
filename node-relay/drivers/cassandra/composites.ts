/** Writes values inside values as JSON text: lists, maps, tuples, user-defined types, vectors. Source: CQL binary protocol v4, section 6. */
import { ReplyFault } from './bytes.ts';
import { type CqlType, fixedLength } from './marshal.ts';
import { readVint } from './numbers.ts';
import { type Encoder, type RowRoom, scalarEncoder, VALUE_UNIT } from './values.ts';

/** What writes values of a type. */
export function encoderOf(type: CqlType, numbersAsStrings: boolean, room: RowRoom): Encoder {
  const of = (inner: CqlType) => encoderOf(inner, numbersAsStrings, room);
  switch (type.kind) {
    case 'simple':
      return scalarEncoder(type.name, numbersAsStrings, room);
    case 'list':
    case 'set':
      return collection(of(type.of), room);
    case 'map':
      return isName(type.key)
        ? namedMap(of(type.key), of(type.value), room)
        : pairedMap(of(type.key), of(type.value), room);
    case 'tuple':
      return tuple(type.of.map(of), room);
    case 'vector':
      return vector(of(type.of), type.size, fixedLength(type.of));
    case 'udt':
      return members(
        type.fields.map((field) => [`${JSON.stringify(field.name)}:`, of(field.type)]),
        room,
      );
  }
}

/** Whether values of a type can be names of an object's members: those that have a text of their own. */
export function isName(type: CqlType): boolean {
  return type.kind === 'simple' && type.name !== 'duration';
}

/** The text of a member's name, by that of a value. */
export function nameText(text: string): string {
  return text.startsWith('"') ? text : `"${text}"`;
}

/** Bytes of a length that is written as a number. */
export const LENGTH_BYTES = 4;

/** Reads values after each other, each with its length before it. */
export class Cells {
  readonly #bytes: Buffer;
  readonly #room: RowRoom;
  #at: number;

  constructor(bytes: Buffer, room: RowRoom, at = 0) {
    this.#bytes = bytes;
    this.#room = room;
    this.#at = at;
  }

  /** Of a tuple written before it had more members, the last are not there. */
  get ended(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Bytes that the next value says it has; fewer than none where it is not there. */
  get nextLength(): number {
    return this.#at + LENGTH_BYTES > this.#bytes.length ? -1 : this.#bytes.readInt32BE(this.#at);
  }

  /** Bytes that the next values say they have, each as many times as its weight; one that is not there has none. */
  costOf(weights: readonly number[]): number {
    let at = this.#at;
    let cost = 0;
    for (const weight of weights) {
      if (at + LENGTH_BYTES > this.#bytes.length) break;
      const length = Math.max(0, this.#bytes.readInt32BE(at));
      cost += length * weight;
      at += LENGTH_BYTES + length;
    }
    return cost;
  }

  /** The bytes of the next value, which is there. @throws ReplyFault */
  take(): Buffer {
    const start = this.#at + LENGTH_BYTES;
    const end = start + this.nextLength;
    if (end > this.#bytes.length) throw new ReplyFault('A value is longer than what it is in');
    this.#at = end;
    return this.#bytes.subarray(start, end);
  }

  /** The text of the next value; null where there is none. @throws ReplyFault */
  next(encode: Encoder): string {
    const start = this.#at + LENGTH_BYTES;
    if (start > this.#bytes.length) throw new ReplyFault('A value is cut');
    const length = this.#bytes.readInt32BE(this.#at);
    if (length < 0) {
      if (length !== -1) throw new ReplyFault(`A value of ${length} bytes`);
      this.#at = start;
      return this.missing();
    }
    // As `take`, without to read the length again: results have many and short ones.
    const end = start + length;
    if (end > this.#bytes.length) throw new ReplyFault('A value is longer than what it is in');
    this.#at = end;
    return encode(this.#bytes.subarray(start, end));
  }

  /** The text of a value that is not there. */
  missing(): string {
    this.#room.take(VALUE_UNIT);
    return 'null';
  }

  /** @throws ReplyFault when there is more */
  end(): void {
    if (!this.ended) throw new ReplyFault('There is more than the values');
  }
}

/** How many values a collection says it has; each takes a length. */
export function countIn(bytes: Buffer, perEntry: number): number {
  const count = bytes.length < LENGTH_BYTES ? -1 : bytes.readInt32BE();
  if (count < 0 || count * perEntry * LENGTH_BYTES > bytes.length - LENGTH_BYTES) {
    throw new ReplyFault(`${count} values are not there`);
  }
  return count;
}

function collection(encode: Encoder, room: RowRoom): Encoder {
  return (bytes) => {
    if (bytes.length === 0) return 'null';
    const cells = new Cells(bytes, room, LENGTH_BYTES);
    const parts: string[] = [];
    for (let left = countIn(bytes, 1); left > 0; left -= 1) parts.push(cells.next(encode));
    cells.end();
    return `[${parts.join(',')}]`;
  };
}

function namedMap(key: Encoder, value: Encoder, room: RowRoom): Encoder {
  return (bytes) => {
    if (bytes.length === 0) return 'null';
    const cells = new Cells(bytes, room, LENGTH_BYTES);
    const parts: string[] = [];
    for (let left = countIn(bytes, 2); left > 0; left -= 1) {
      parts.push(`${nameText(cells.next(key))}:${cells.next(value)}`);
    }
    cells.end();
    return `{${parts.join(',')}}`;
  };
}

function pairedMap(key: Encoder, value: Encoder, room: RowRoom): Encoder {
  return (bytes) => {
    if (bytes.length === 0) return 'null';
    const cells = new Cells(bytes, room, LENGTH_BYTES);
    const parts: string[] = [];
    for (let left = countIn(bytes, 2); left > 0; left -= 1) {
      parts.push(`[${cells.next(key)},${cells.next(value)}]`);
    }
    cells.end();
    return `[${parts.join(',')}]`;
  };
}

function tuple(encoders: readonly Encoder[], room: RowRoom): Encoder {
  return (bytes) => {
    const cells = new Cells(bytes, room);
    const parts = encoders.map((encode) => (cells.ended ? cells.missing() : cells.next(encode)));
    cells.end();
    return `[${parts.join(',')}]`;
  };
}

function members(
  fields: readonly (readonly [name: string, encode: Encoder])[],
  room: RowRoom,
): Encoder {
  const names = fields.reduce((length, [name]) => length + name.length, 0);
  return (bytes) => {
    room.take(names);
    const cells = new Cells(bytes, room);
    const parts = fields.map(
      ([name, encode]) => name + (cells.ended ? cells.missing() : cells.next(encode)),
    );
    cells.end();
    return `{${parts.join(',')}}`;
  };
}

function vector(encode: Encoder, size: number, fixed: number | undefined): Encoder {
  if (!Number.isInteger(size) || size < 1) throw new ReplyFault('A vector has no such size');
  return (bytes) => {
    const parts: string[] = [];
    let at = 0;
    while (parts.length < size) {
      const { start, end } = vectorPart(bytes, at, fixed);
      at = end;
      parts.push(encode(bytes.subarray(start, end)));
    }
    if (at !== bytes.length) throw new ReplyFault('A vector is longer than its size');
    return `[${parts.join(',')}]`;
  };
}

/** Where a value of a vector is, which begins at `at` with its length, unless that is fixed. @throws ReplyFault */
export function vectorPart(bytes: Buffer, at: number, fixed: number | undefined) {
  const own = fixed === undefined ? readVint(bytes, at) : undefined;
  const start = at + (own?.length ?? 0);
  const end = start + (fixed ?? Number(own?.value));
  if (end > bytes.length) throw new ReplyFault('A vector is cut');
  return { start, end };
}
