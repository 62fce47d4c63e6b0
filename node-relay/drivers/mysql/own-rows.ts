/** Rows of the driver's own questions, as texts; NULL is an empty one. */
import type { Column } from '../../../kinds/mysql/dialect/types.ts';
import { Unreadable } from '../loss.ts';
import type { Sink } from './exchange.ts';
import type { Packet } from './packets.ts';

/** Most bytes that the rows of one query of our own may hold, and bytes counted for each row. Spec silent. */
const MAX_BYTES = 32 * 1024 * 1024;
const ROW_BYTES = 64;

/** All rows of one question. */
export class OwnRows implements Sink {
  readonly rows: string[][] = [];
  readonly #read: (reader: Packet, columns: number) => string[];
  #columns = 0;
  #bytes = 0;

  /** @param form the form in which the server sends them; in text no value may be NULL */
  constructor(form: 'text' | 'binary') {
    this.#read = form === 'text' ? textRow : binaryRow;
  }

  columns(found: readonly Column[]): void {
    this.#columns = found.length;
  }

  /** @throws Unreadable where they are too many */
  row(reader: Packet): void {
    this.#bytes += reader.left + ROW_BYTES;
    if (this.#bytes > MAX_BYTES) throw new Unreadable('an answer without an end');
    this.rows.push(this.#read(reader, this.#columns));
  }
}

function textRow(reader: Packet, columns: number): string[] {
  const texts = Array.from({ length: columns }, () => reader.lengthText());
  reader.done();
  return texts;
}

/** Of columns that are all texts. */
function binaryRow(reader: Packet, columns: number): string[] {
  // Behind the marker stand the bits of NULLs.
  const nulls = reader.over(1 + ((columns + 9) >> 3)) + 1;
  const texts = Array.from({ length: columns }, (_, index) => {
    const bit = index + 2;
    const isNull = ((reader.buffer[nulls + (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
    return isNull ? '' : reader.lengthText();
  });
  reader.done();
  return texts;
}
