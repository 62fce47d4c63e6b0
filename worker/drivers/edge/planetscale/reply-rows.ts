/** Rows out of a reply, taken apart here: the vendor's driver cuts values short where a row has fewer bytes than it says. */
import * as z from 'zod';
import { unreadable } from '../sql/reply.ts';
import type { Value } from './columns.ts';

/** Columns of a table or view. Source: MySQL manual, "Limits on Table Column Count". */
const COLUMNS_MAX = 4_096;

const Digits = z.string().regex(/^\d{1,20}$/);
const Field = z.looseObject({ name: z.string().default(''), type: z.string().optional() });
/** Rows have a check of their own: they are many. */
const Result = z.looseObject({
  fields: z.array(Field).max(COLUMNS_MAX).nullish(),
  rows: z.array(z.unknown()).nullish(),
  rowsAffected: Digits.nullish(),
  insertId: Digits.nullish(),
});
const Saved = z.looseObject({ result: Result.nullish() });

/** What a reply holds. */
interface ReplyRows {
  readonly rows: readonly (readonly Value[])[];
  /** The reply without its rows. */
  readonly rest: string;
}

/** @throws Lost for what is no reply, or rows that are not as long as they say */
export function rowsIn(text: string): ReplyRows {
  const saved = Saved.safeParse(parsed(text));
  if (!saved.success) throw unreadable();
  const { result } = saved.data;
  const columns = result?.fields?.length ?? 0;
  const rows = (result?.rows ?? []).map((row) => valuesOf(row, columns));
  if (result) delete result.rows;
  return { rows, rest: JSON.stringify(saved.data) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

function valuesOf(row: unknown, columns: number): Value[] {
  const { lengths, values = '' } = (row ?? {}) as { lengths?: unknown; values?: unknown };
  if (!Array.isArray(lengths) || lengths.length !== columns) throw unreadable();
  const bytes = bytesOf(values);
  let at = 0;
  const found = lengths.map((length: unknown) => {
    const width = widthOf(length);
    if (width < 0) return null;
    const value = bytes.slice(at, at + width);
    at += width;
    return value;
  });
  if (at !== bytes.length) throw unreadable();
  return found;
}

/** Bytes of a value; -1 for NULL. */
function widthOf(length: unknown): number {
  if (typeof length !== 'string' || !/^(?:-1|\d{1,10})$/.test(length)) throw unreadable();
  return Number(length);
}

/** A character for each byte. */
function bytesOf(base64: unknown): string {
  if (typeof base64 !== 'string') throw unreadable();
  try {
    return atob(base64);
  } catch {
    throw unreadable();
  }
}
