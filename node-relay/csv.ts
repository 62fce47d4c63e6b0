/** Writes rows as CSV while they arrive. RFC 4180; keys and nested values as contract §6 writes them. */
import type { Call } from '../proto/driver.ts';
import type { Pieces } from '../proto/work/pieces.ts';
import { Records } from './csv-records.ts';
import { inTurnOf } from './drivers/long-rows.ts';

const NEWLINE = 0x0a;
/** What a cell is quoted for. RFC 4180 §2. */
const QUOTED = /[",\r\n]/;
/** Bytes of rows that are written at once, as most pieces are: of longer ones so many between two pauses. */
const AT_ONCE_BYTES = 64 * 1024;
const LONG_BYTES = 2 * AT_ONCE_BYTES;
/** Bytes of a long piece that are written before a reader gets them. */
const TURN_BYTES = 1024 * 1024;

/**
 * CSV of lines of rows: the first gives the columns, each other is a row as a list. Lines may be cut anywhere: a long one is written in
 * pieces, in the call's turns. The line of names comes with the first row, or at the end of rows that there are none of: what fails
 * before has sent nothing, and can still be told.
 * NULL is an empty cell and the empty text `""`, as PostgreSQL writes them; a list or object is its JSON.
 */
export async function* csvOf(
  pieces: AsyncIterable<Uint8Array>,
  call: Pick<Call, 'inTurn' | 'signal'>,
): AsyncGenerator<Uint8Array> {
  const csv = new Csv();
  for await (const piece of pieces) {
    if (piece.length <= LONG_BYTES) yield Buffer.concat(csv.take(piece));
    else {
      for (let from = 0; from < piece.length; from += TURN_BYTES) {
        yield* await inTurnOf(call, csv.inPieces(piece.subarray(from, from + TURN_BYTES)));
      }
    }
  }
  yield Buffer.concat(csv.header());
}

/** The line of columns, then records. */
class Csv {
  readonly #records = new Records();
  /** What has come of the columns' line; undefined behind it. */
  #head: Buffer[] | undefined = [];
  /** The line of names, until it is written. */
  #header: Buffer[] = [];

  take(piece: Uint8Array): Buffer[] {
    if (this.#head === undefined) return this.#rows(piece);
    const end = piece.indexOf(NEWLINE) + 1;
    this.#head.push(Buffer.from(end > 0 ? piece.subarray(0, end) : piece));
    if (end === 0) return [];
    this.#header = [Buffer.from(headerOf(Buffer.concat(this.#head).toString()))];
    this.#head = undefined;
    return this.#rows(piece.subarray(end));
  }

  /** The line of names where no row has brought it yet. */
  header(): Buffer[] {
    const header = this.#header;
    this.#header = [];
    return header;
  }

  #rows(piece: Uint8Array): Buffer[] {
    if (piece.length === 0) return [];
    return [...this.header(), ...this.#records.take(piece)];
  }

  *inPieces(piece: Uint8Array): Pieces<readonly Buffer[]> {
    const written: Buffer[] = [];
    for (let from = 0; from < piece.length; from += AT_ONCE_BYTES) {
      for (const each of this.take(piece.subarray(from, from + AT_ONCE_BYTES))) written.push(each);
      yield;
    }
    return written;
  }
}

function headerOf(line: string): string {
  const { columns } = JSON.parse(line) as { columns: { name: string }[] }; // As columnsLine wrote it.
  return `${columns.map(({ name }) => cellOf(name)).join(',')}\r\n`;
}

function cellOf(text: string): string {
  if (text !== '' && !QUOTED.test(text)) return text;
  return `"${text.replaceAll('"', '""')}"`;
}
