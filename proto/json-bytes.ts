/** Writes large JSON values in pieces, so that one of them holds the thread no longer than many small ones. */
import { isRawJson, type Json, type JsonObject } from './json.ts';
import { flat } from './long-text.ts';
import { namesOf } from './ordered-json.ts';
import type { Pieces } from './work/pieces.ts';

/** UTF-16 code units that are encoded at once. */
const PIECE = 64 * 1024;
/** Values that are written between two pauses. */
const VALUES_OF_A_PIECE = 4_096;
const encoder = new TextEncoder();

/** What of an array or object is still to be written. */
interface Open {
  readonly array: readonly Json[] | undefined;
  readonly object: JsonObject | undefined;
  readonly names: readonly string[];
  at: number;
  isEmpty: boolean;
}

/** The text of a value as UTF-8, as `JSON.stringify` writes it. */
export function* bytesInPieces(value: Json): Pieces<Uint8Array> {
  const written: Uint8Array[] = [];
  yield* write(value, (text) => written.push(encoder.encode(text)));
  return joined(written);
}

/** The text of a value, as `JSON.stringify` writes it. */
export function* textInPieces(value: Json): Pieces<string> {
  const written: string[] = [];
  yield* write(value, (text) => written.push(flat(text)));
  return written.join('');
}

/** Hands on the text of a value, some of it before each pause. */
function* write(value: Json, take: (text: string) => void): Pieces<void> {
  const open: Open[] = [];
  let text = enter(open, value);
  let values = 0;
  for (let innermost = open.at(-1); innermost !== undefined; innermost = open.at(-1)) {
    text += next(open, innermost);
    values += 1;
    if (text.length < PIECE && values < VALUES_OF_A_PIECE) continue;
    take(text);
    text = '';
    values = 0;
    yield;
  }
  take(text);
}

/** What a value begins with: of what has no members all of it. */
function enter(open: Open[], value: Json): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value !== 'object' || value === null || isRawJson(value)) return JSON.stringify(value);
  if (Array.isArray(value)) {
    open.push({ array: value, object: undefined, names: [], at: 0, isEmpty: true });
    return '[';
  }
  open.push({ array: undefined, object: value, names: namesOf(value), at: 0, isEmpty: true });
  return '{';
}

/** The next member with what is before it, or the end. */
function next(open: Open[], innermost: Open): string {
  const { array, object, names, at } = innermost;
  innermost.at += 1;
  if (array) {
    if (at < array.length) return commaOf(innermost) + enter(open, array[at] ?? null);
    open.pop();
    return ']';
  }
  const name = names[at];
  if (name === undefined) {
    open.pop();
    return '}';
  }
  const value = object?.[name];
  // What a schema left out may be there, without a value.
  if (value === undefined) return '';
  return `${commaOf(innermost)}${JSON.stringify(name)}:${enter(open, value)}`;
}

function commaOf(open: Open): string {
  if (!open.isEmpty) return ',';
  open.isEmpty = false;
  return '';
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only, another] = pieces;
  if (only && !another) return only;
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
