/** Reads replies in JSONCompactEachRowWithNamesAndTypes as they arrive: names, types, then a line per row. */
import { isUtf8 } from 'node:buffer';
import { ServerFault } from './errors.ts';
import { type Column, type RowOptions, type RowWriter, rowWriter } from './rows.ts';

const NEWLINE = 10;

/** Gives the JSON text of rows, one byte a character, to `onRow`. */
export class ReplyReader {
  columns: readonly Column[] = [];
  rowCount = 0;
  readonly #options: RowOptions;
  readonly #onRow: (row: string) => void;
  #rest: Buffer[] = [];
  #names: readonly string[] | undefined;
  #write: RowWriter | undefined;

  constructor(options: RowOptions, onRow: (row: string) => void) {
    this.#options = options;
    this.#onRow = onRow;
  }

  /** @throws ServerFault for an error that came among the rows */
  read(chunk: Buffer): void {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      this.#rest.push(chunk);
      return;
    }
    const whole = chunk.subarray(0, end);
    this.#lines(this.#rest.length === 0 ? whole : Buffer.concat([...this.#rest, whole]));
    this.#rest = end < chunk.length ? [chunk.subarray(end)] : [];
  }

  /** @throws ServerFault when the reply ended in the middle of a row, or before its columns */
  end(): void {
    const rest = Buffer.concat(this.#rest).toString();
    if (rest.trim() !== '' || (this.#names !== undefined && !this.#write)) {
      throw ServerFault.inBody(rest);
    }
  }

  #lines(bytes: Buffer): void {
    const text = bytes.toString('latin1');
    const cursor = { text, at: 0, utf8: isUtf8(bytes) };
    while (cursor.at < text.length) {
      if (text.charCodeAt(cursor.at) !== 91) this.#unlikeRow(bytes, cursor);
      else if (this.#write) {
        this.rowCount += 1;
        this.#onRow(this.#write(cursor));
        if (text.charCodeAt(cursor.at) !== NEWLINE) {
          throw ServerFault.inBody(bytes.subarray(cursor.at).toString());
        }
        cursor.at += 1;
      } else this.#header(bytes, cursor);
    }
  }

  /** Every row begins with a bracket, so nothing in one can look like this. */
  #unlikeRow(bytes: Buffer, cursor: { at: number }): void {
    const rest = bytes.subarray(cursor.at).toString();
    if (rest.trim() !== '') throw ServerFault.inBody(rest);
    cursor.at = bytes.length;
  }

  #header(bytes: Buffer, cursor: { at: number }): void {
    const end = bytes.indexOf(NEWLINE, cursor.at);
    const texts: unknown = JSON.parse(bytes.subarray(cursor.at, end).toString());
    cursor.at = end + 1;
    const names = Array.isArray(texts) ? texts.map(String) : [];
    if (this.#names === undefined) {
      this.#names = names;
      return;
    }
    this.columns = this.#names.map((name, at) => ({ name, type: names[at] ?? 'Unknown' }));
    this.#write = rowWriter(this.columns, this.#options);
  }
}
