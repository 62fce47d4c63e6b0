/** Reads strings of the server's JSON. Texts hold one byte a character. */
import { isUtf8 } from 'node:buffer';
import { type Cursor, Malformed } from './cursor.ts';
import { escapeLength } from './escapes.ts';

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** A string, or `{"$bytes": base64}` for one that is not UTF-8. Contract §6. */
export function stringAt(cursor: Cursor): string {
  const raw = rawString(cursor);
  if (cursor.utf8 || isUtf8(Buffer.from(raw, 'latin1'))) return raw;
  const unescaped = String(JSON.parse(raw));
  return `{"$bytes":"${bytesOf(unescaped).toString('base64')}"}`;
}

/** Escapes above one byte stand for themselves in UTF-8; all else is a byte of its own. */
function bytesOf(unescaped: string): Buffer {
  if (!/[^\0-\xff]/.test(unescaped)) return Buffer.from(unescaped, 'latin1');
  const runs = unescaped.match(/[\0-\xff]+|[^\0-\xff]+/g) ?? [];
  return Buffer.concat(
    runs.map((run) => Buffer.from(run, run.charCodeAt(0) > 255 ? 'utf8' : 'latin1')),
  );
}

/** A string with its quotes, as it is written. */
export function rawString(cursor: Cursor): string {
  const { text, at: start } = cursor;
  if (text.charCodeAt(start) !== QUOTE) throw new Malformed();
  const known = cursor.ends?.get(start);
  if (known !== undefined) {
    cursor.at = known;
    return text.slice(start, known);
  }
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end < 0) throw new Malformed();
  cursor.at = end + 1;
  const raw = text.slice(start, cursor.at);
  if (raw.includes('\\')) checkEscapes(raw);
  return raw;
}

function checkEscapes(raw: string): void {
  for (let at = raw.indexOf('\\'); at >= 0; at = raw.indexOf('\\', at)) {
    const length = escapeLength(raw, at);
    if (length === undefined) throw new Malformed();
    at += length;
  }
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}
