/** Takes over runs of integers from the server's JSON: a list of millions would hold the thread, each written by itself. */
import type { Cursor } from './cursor.ts';

const [MINUS, COMMA, SPACE, ZERO, NINE] = [0x2d, 0x2c, 0x20, 0x30, 0x39];
/** Digits of an integer that results write as it is, whatever its type. */
const DIGITS_MAX = 14;

/** The integers of few digits that come next, each with the comma behind it; moves before what comes then. */
export function takeIntegers(cursor: Cursor): string {
  const { text, at } = cursor;
  let end = at;
  for (let next = afterInteger(text, at); next > end; next = afterInteger(text, end)) end = next;
  cursor.at = end;
  if (end > at) while (text.charCodeAt(cursor.at) === SPACE) cursor.at += 1;
  return text.slice(at, end);
}

/** Behind the comma after an integer; where it would begin when there is none. */
function afterInteger(text: string, from: number): number {
  const first = text.charCodeAt(from) === MINUS ? from + 1 : from;
  let end = first;
  if (text.charCodeAt(first) === ZERO) end += 1;
  else while (isDigit(text.charCodeAt(end))) end += 1;
  const isShort = end > first && end - first <= DIGITS_MAX;
  return isShort && text.charCodeAt(end) === COMMA ? end + 1 : from;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
