/** Reads replies in JSONCompactEachRowWithNamesAndTypes as they arrive: names, types, then a line per row. */
import { isUtf8 } from 'node:buffer';
import { ServerFault } from './errors.ts';
import { type Column, type Cursor, type RowOptions, type RowWriter, rowWriter } from './rows.ts';

const NEWLINE = 10;
const [OPEN, CLOSE] = [0x5b, 0x5d];
/** Most of an error among the rows that is read, in bytes. */
const FAULT_MAX = 65_536;

/** Gives the JSON text of rows, one byte a character, to `onRow`. */
export class ReplyReader {
  columns: readonly Column[] = [];
  rowCount = 0;
  readonly #options: RowOptions;
  readonly #onRow: (row: string) => void;
  #rest: Buffer[] = [];
  /** Bytes of what is no row; it goes on to the end. */
  #fault = 0;
  #names: readonly string[] | undefined;
  #write: RowWriter | undefined;

  constructor(options: RowOptions, onRow: (row: string) => void) {
    this.#options = options;
    this.#onRow = onRow;
  }

  /**
   * Reads a whole reply, or up to where it breaks off.
   * @throws ServerFault for an error that came among the rows, the body's own failure
   */
  async *taken(body: AsyncIterable<Buffer>): AsyncGenerator<void> {
    try {
      for await (const chunk of body) {
        this.read(chunk);
        yield;
      }
    } catch (cause) {
      // A server breaks off after an error that it told.
      this.end();
      throw cause;
    }
    this.end();
  }

  /** @throws ServerFault for an error among the rows that does not end */
  read(chunk: Buffer): void {
    if (this.#fault > 0) {
      this.#fault += chunk.length;
      this.#rest.push(chunk);
      if (this.#fault > FAULT_MAX) this.end();
      return;
    }
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      this.#rest.push(chunk);
      return;
    }
    const whole = chunk.subarray(0, end);
    const lines = this.#rest.length === 0 ? whole : Buffer.concat([...this.#rest, whole]);
    this.#rest = [];
    this.#lines(lines);
    if (end < chunk.length) this.#rest.push(chunk.subarray(end));
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
      const { at } = cursor;
      if (text.charCodeAt(at) === OPEN && !this.#write) {
        this.#header(bytes, cursor);
        continue;
      }
      const row = text.charCodeAt(at) === OPEN ? this.#row(cursor) : undefined;
      if (row === undefined) {
        this.#unlikeRow(bytes.subarray(at));
        return;
      }
      this.rowCount += 1;
      this.#onRow(row);
    }
  }

  /** The row of a line; undefined where a row breaks off and something else goes on. */
  #row(cursor: Cursor): string | undefined {
    const end = cursor.text.indexOf('\n', cursor.at);
    try {
      const row = this.#write?.(cursor);
      const isWhole = cursor.at === end && cursor.text.charCodeAt(end - 1) === CLOSE;
      cursor.at = end + 1;
      return isWhole ? row : undefined;
    } catch {
      return undefined;
    }
  }

  /** Every row begins with a bracket, so nothing in one can look like this. */
  #unlikeRow(rest: Buffer): void {
    this.#fault = rest.length;
    this.#rest.push(rest);
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
