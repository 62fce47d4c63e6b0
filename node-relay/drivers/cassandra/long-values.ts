/** Writes long values as JSON text in pieces, with the values in them: what composites.ts writes at once of short ones. */
import type { LongText } from '../../../proto/long-text.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import type { LongEncoder } from '../long-bytes.ts';
import { ReplyFault } from './bytes.ts';
import {
  Cells,
  countIn,
  encoderOf,
  isName,
  LENGTH_BYTES,
  nameText,
  vectorPart,
} from './composites.ts';
import { type CqlType, fixedLength } from './marshal.ts';
import { type Encoder, longScalarEncoder, type RowRoom } from './values.ts';

/** What writes values of a type that may be long or short. Both throw ReplyFault, and GatewayError RESULT_TOO_LARGE. */
interface AnyEncoder {
  readonly encode: Encoder;
  readonly encodeLong: LongEncoder;
}

/**
 * Writes the next value of several, and what is before it. Answers whether it is time for a pause, or what
 * is to be gone through of a long value: no generator is made for each of many short ones.
 */
function begin(
  cells: Cells,
  before: string,
  of: AnyEncoder,
  out: LongText,
): boolean | Pieces<void> {
  if (cells.nextLength <= out.perPiece) return out.add(before + cells.next(of.encode));
  out.add(before);
  return of.encodeLong(cells.take(), out);
}

/** The same in a row, gone through. @throws as a `LongEncoder` */
export function* writeNext(
  cells: Cells,
  before: string,
  of: AnyEncoder,
  out: LongText,
): Pieces<void> {
  const rest = begin(cells, before, of, out);
  if (rest === true) yield;
  else if (rest) yield* rest;
}

/** What writes values of a type, also long ones. */
export function anyEncoderOf(type: CqlType, numbersAsStrings: boolean, room: RowRoom): AnyEncoder {
  const encode = encoderOf(type, numbersAsStrings, room);
  const of = (inner: CqlType) => anyEncoderOf(inner, numbersAsStrings, room);
  return { encode, encodeLong: longEncoderOf(type, encode, of, room) };
}

function longEncoderOf(
  type: CqlType,
  encode: Encoder,
  of: (inner: CqlType) => AnyEncoder,
  room: RowRoom,
): LongEncoder {
  switch (type.kind) {
    case 'simple':
      return longScalarEncoder(type.name, room) ?? undivided(encode);
    case 'list':
    case 'set':
      return longCollection(of(type.of), room);
    case 'map':
      return isName(type.key)
        ? longNamedMap(of(type.key), of(type.value), room)
        : longPairedMap(of(type.key), of(type.value), room);
    case 'tuple':
      return longMembers(
        type.of.map((each) => ['', of(each)]),
        '[]',
        room,
      );
    case 'udt':
      return longMembers(
        type.fields.map((field) => [`${JSON.stringify(field.name)}:`, of(field.type)]),
        '{}',
        room,
      );
    case 'vector':
      return longVector(of(type.of), type.size, fixedLength(type.of));
  }
}

/** Of numbers, and of what is never long. */
function undivided(encode: Encoder): LongEncoder {
  return function* (bytes, out) {
    out.add(encode(bytes));
    yield;
  };
}

function longCollection(element: AnyEncoder, room: RowRoom): LongEncoder {
  return function* (bytes, out) {
    const cells = new Cells(bytes, room, LENGTH_BYTES);
    let before = '[';
    for (let left = countIn(bytes, 1); left > 0; left -= 1) {
      const rest = begin(cells, before, element, out);
      if (rest === true) yield;
      else if (rest) yield* rest;
      before = ',';
    }
    cells.end();
    out.add(before === '[' ? '[]' : ']');
  };
}

function longNamedMap(key: AnyEncoder, value: AnyEncoder, room: RowRoom): LongEncoder {
  return function* (bytes, out) {
    const cells = new Cells(bytes, room, LENGTH_BYTES);
    let before = '{';
    for (let left = countIn(bytes, 2); left > 0; left -= 1) {
      const rest = begin(cells, `${before}${nameText(cells.next(key.encode))}:`, value, out);
      if (rest === true) yield;
      else if (rest) yield* rest;
      before = ',';
    }
    cells.end();
    out.add(before === '{' ? '{}' : '}');
  };
}

function longPairedMap(key: AnyEncoder, value: AnyEncoder, room: RowRoom): LongEncoder {
  return function* (bytes, out) {
    const cells = new Cells(bytes, room, LENGTH_BYTES);
    let before = '[[';
    for (let left = countIn(bytes, 2); left > 0; left -= 1) {
      yield* writeNext(cells, before, key, out);
      yield* writeNext(cells, ',', value, out);
      before = '],[';
    }
    cells.end();
    out.add(before === '[[' ? '[]' : ']]');
  };
}

/** Of a tuple or a user-defined type. */
function longMembers(
  members: readonly (readonly [name: string, of: AnyEncoder])[],
  [open, close]: string,
  room: RowRoom,
): LongEncoder {
  const names = members.reduce((length, [name]) => length + name.length, 0);
  return function* (bytes, out) {
    room.take(names);
    const cells = new Cells(bytes, room);
    out.add(open ?? '');
    for (const [at, [name, of]] of members.entries()) {
      const before = at === 0 ? name : `,${name}`;
      if (cells.ended) out.add(before + cells.missing());
      else yield* writeNext(cells, before, of, out);
    }
    cells.end();
    out.add(close ?? '');
  };
}

function longVector(of: AnyEncoder, size: number, fixed: number | undefined): LongEncoder {
  return function* (bytes, out) {
    let at = 0;
    for (let done = 0; done < size; done += 1) {
      const part = vectorPart(bytes, at, fixed);
      at = part.end;
      const value = bytes.subarray(part.start, part.end);
      const before = done === 0 ? '[' : ',';
      if (value.length > out.perPiece) {
        out.add(before);
        yield* of.encodeLong(value, out);
      } else if (out.add(before + of.encode(value))) yield;
    }
    if (at !== bytes.length) throw new ReplyFault('A vector is longer than its size');
    out.add(']');
  };
}
