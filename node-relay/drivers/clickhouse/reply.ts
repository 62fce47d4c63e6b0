/** Reads replies in JSONCompactEachRowWithNamesAndTypes as they arrive: names, types, then a line per row. */

import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import type { Call } from '../../../proto/driver.ts';
import type { GatewayError } from '../../../proto/errors.ts';
import { GatheredBytes } from '../../../proto/gathered-bytes.ts';
import { asBuffer } from '../byte-text.ts';
import { inTurnOf } from '../long-rows.ts';
import type { Cursor } from './cursor.ts';
import { ServerFault } from './errors.ts';
import { longStringsIn } from './long-strings.ts';
import { openField } from './open-field.ts';
import { type Column, type RowOptions, type RowWriter, rowWriter } from './rows.ts';

const NEWLINE = 10;
const OPEN = 0x5b;
/** Most of an error among the rows that is read, in bytes. */
const FAULT_MAX = 65_536;
/** Bytes of the lines that name columns and types: names are in each row of a result. Spec silent. */
const HEADER_MAX = 1_048_576;
/** Characters of rows after which the reader has a turn. */
const TURN_LENGTH = 262_144;
/** Bytes of lines that are read without a look ahead. */
const AT_ONCE_BYTES = 1_048_576;
/** The server writes them as escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them.
const CONTROLS = /[\0-\x09\x0b-\x1f]/;
const Texts = z.array(z.string());

/** What a reply may be. */
interface ReplyBounds {
  /** Bytes of one row. */
  readonly rowMax: number;
  /** What is thrown of a longer one, whose beginning ends in that column. */
  tooLong(column: string | undefined): GatewayError;
  /** In whose turn long lines are looked through. */
  readonly call: Pick<Call, 'inTurn' | 'signal'>;
}

/** Gives the JSON text of rows, one byte a character, to `onRow`. */
export class ReplyReader {
  columns: readonly Column[] = [];
  rowCount = 0;
  readonly #options: RowOptions;
  readonly #bounds: ReplyBounds;
  readonly #onRow: (row: string) => void;
  readonly #rest = new GatheredBytes();
  /** What is no row goes on to the end. */
  #isFault = false;
  #names: readonly string[] | undefined;
  #write: RowWriter | undefined;
  /** Characters of rows since the last turn. */
  #given = 0;

  constructor(options: RowOptions, bounds: ReplyBounds, onRow: (row: string) => void) {
    this.#options = options;
    this.#bounds = bounds;
    this.#onRow = onRow;
  }

  /**
   * Reads a whole reply, or up to where it breaks off.
   * @throws ServerFault for an error that came among the rows, what `tooLong` gives, the body's own failure
   */
  async *taken(body: AsyncIterable<Buffer>): AsyncGenerator<void> {
    const chunks = body[Symbol.asyncIterator]();
    try {
      for (let next = await this.#next(chunks); !next.done; next = await this.#next(chunks)) {
        yield* this.read(next.value);
        yield;
      }
      this.end();
    } finally {
      await chunks.return?.();
    }
  }

  async #next(chunks: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    try {
      return await chunks.next();
    } catch (cause) {
      // A server breaks off after an error that it told.
      this.end();
      throw cause;
    }
  }

  /** @throws ServerFault for an error among the rows that does not end, what `tooLong` gives */
  async *read(chunk: Buffer): AsyncGenerator<void> {
    if (this.#isFault) {
      this.#rest.add(chunk);
      if (this.#rest.length > FAULT_MAX) this.end();
      return;
    }
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      this.#checkRoom(chunk.indexOf(NEWLINE));
      const whole = chunk.subarray(0, end);
      yield* this.#lines(this.#rest.length === 0 ? whole : this.#takenWith(whole));
    }
    if (end < chunk.length) {
      this.#rest.add(chunk.subarray(end));
      this.#checkRoom(0);
    }
  }

  /** @throws ServerFault when the reply ended in the middle of a row, or before its columns */
  end(): void {
    const whole = asBuffer(this.#rest.take());
    // What is told is at the end of what was begun.
    const rest = whole.subarray(this.#isFault ? 0 : -FAULT_MAX).toString();
    if (rest.trim() !== '' || (this.#names !== undefined && !this.#write)) {
      throw ServerFault.inBody(rest);
    }
  }

  /** Checks that the line being read stays within the bound for one line when these bytes are added. */
  #checkRoom(more: number): void {
    if (this.#isFault) return;
    const length = this.#rest.length + more;
    if (!this.#write) {
      if (length > HEADER_MAX) throw this.#bounds.tooLong(undefined);
    } else if (length > this.#bounds.rowMax) {
      const at = openField(asBuffer(this.#rest.take()).toString('latin1'));
      throw this.#bounds.tooLong(at === undefined ? undefined : this.columns[at]?.name);
    }
  }

  #takenWith(more: Buffer): Buffer {
    this.#rest.add(more);
    return asBuffer(this.#rest.take());
  }

  async *#lines(bytes: Buffer): AsyncGenerator<void> {
    const text = bytes.toString('latin1');
    const isLong = bytes.length > AT_ONCE_BYTES;
    const ends = isLong ? await inTurnOf(this.#bounds.call, longStringsIn(text)) : undefined;
    const isClean = !CONTROLS.test(text);
    const cursor = { text, at: 0, utf8: isUtf8(bytes), depth: 0, ends };
    while (cursor.at < text.length) {
      const { at } = cursor;
      if (text.charCodeAt(at) === OPEN && !this.#write) {
        this.#header(bytes, cursor);
        continue;
      }
      const row = text.charCodeAt(at) === OPEN ? this.#row(cursor, isClean) : undefined;
      if (row === undefined) {
        // Every row begins with a bracket, so nothing in one can look like this.
        this.#isFault = true;
        this.#rest.add(bytes.subarray(at));
        return;
      }
      this.rowCount += 1;
      this.#onRow(row);
      this.#given += row.length;
      if (this.#given < TURN_LENGTH) continue;
      this.#given = 0;
      yield;
    }
  }

  /** The row of a line; undefined where a row breaks off and something else goes on. */
  #row(cursor: Cursor, isClean: boolean): string | undefined {
    const { text, at: start } = cursor;
    try {
      const row = this.#write?.(cursor);
      const end = cursor.at;
      if (text.charCodeAt(end) !== NEWLINE) return undefined;
      cursor.at = end + 1;
      return isClean || !CONTROLS.test(text.slice(start, end)) ? row : undefined;
    } catch {
      return undefined;
    }
  }

  /** @throws ServerFault for what names no columns */
  #header(bytes: Buffer, cursor: { at: number }): void {
    const end = bytes.indexOf(NEWLINE, cursor.at);
    const line = bytes.subarray(cursor.at, end);
    if (line.length > HEADER_MAX) throw this.#bounds.tooLong(undefined);
    const texts = textsIn(line.toString());
    if (texts === undefined) throw ServerFault.inBody(bytes.subarray(cursor.at).toString());
    cursor.at = end + 1;
    if (this.#names === undefined) {
      this.#names = texts;
      return;
    }
    if (texts.length !== this.#names.length) throw ServerFault.inBody('');
    this.columns = this.#names.map((name, at) => ({ name, type: texts[at] ?? 'Unknown' }));
    this.#write = rowWriter(this.columns, this.#options);
  }
}

function textsIn(line: string): readonly string[] | undefined {
  try {
    const texts = Texts.safeParse(JSON.parse(line));
    return texts.success ? texts.data : undefined;
  } catch {
    return undefined;
  }
}
