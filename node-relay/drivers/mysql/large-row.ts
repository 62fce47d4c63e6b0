/** Finds the value that makes a row too large, in what has arrived of it. Source: MySQL Internals, "Binary Protocol Value". */
import { type Column, TYPE } from '../../../kinds/mysql/dialect/types.ts';
import { FIELD_MAX_BYTES } from '../field-limit.ts';
import { Unreadable } from '../loss.ts';
import { Packet } from './packets.ts';
import type { RowOptions } from './rows.ts';

/** Bytes of binary values that are no length and bytes. */
const SIZES: { readonly [type: number]: number } = {
  [TYPE.tiny]: 1,
  [TYPE.short]: 2,
  [TYPE.year]: 2,
  [TYPE.int24]: 4,
  [TYPE.long]: 4,
  [TYPE.float]: 4,
  [TYPE.longlong]: 8,
  [TYPE.double]: 8,
};

const NULL_TEXT = 0xfb;

/** The name of the column; undefined where no value alone is too large. */
export function tooLargeIn(
  begun: readonly Buffer[],
  columns: readonly Column[],
  form: RowOptions['form'],
): string | undefined {
  const reader = new Packet(Buffer.concat(begun));
  try {
    const isNull = nullsIn(reader, form, columns.length);
    for (const [index, { name, type }] of columns.entries()) {
      if (isNull(index)) continue;
      const size = form === 'binary' ? SIZES[type] : undefined;
      const length = size ?? reader.length();
      if (length > FIELD_MAX_BYTES) return name;
      reader.over(length);
    }
  } catch (error) {
    // What has arrived ends within a value.
    if (!(error instanceof Unreadable)) throw error;
  }
  return undefined;
}

/** Whether a value of a row is NULL; of text only that at which the reader is, which is passed then. */
export function nullsIn(
  reader: Packet,
  form: RowOptions['form'],
  columns: number,
): (index: number) => boolean {
  return form === 'binary' ? nullsOf(reader, columns) : () => isNullText(reader);
}

function nullsOf(reader: Packet, columns: number): (index: number) => boolean {
  const nulls = reader.over(1 + ((columns + 9) >> 3)) + 1;
  return (index) =>
    ((reader.buffer[nulls + ((index + 2) >> 3)] ?? 0) & (1 << ((index + 2) & 7))) !== 0;
}

function isNullText(reader: Packet): boolean {
  if (reader.next !== NULL_TEXT) return false;
  reader.over(1);
  return true;
}
