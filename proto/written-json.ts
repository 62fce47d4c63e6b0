/** JSON in and out as it was written: the text of each number, and the order of all members. */
import type { Json } from './json.ts';
import { isMovedWithin, orderedText } from './ordered-json.ts';
import { readOrdered } from './parse-ordered.ts';
import { type Pieces, whole } from './work/pieces.ts';

/** Text that is searched at once. */
const PIECE = 64 * 1024;
/** How far what is searched for may reach, but for numbers that are kept by their length anyway. */
const REACH = 512;

/**
 * What JavaScript writes in another way: an exponent, a name that it moves before others, a fraction
 * that ends in a zero or begins with many. Each alternative begins with a character that numbers
 * rarely have, and looks back from there, so that a list of integers is gone through without a stop.
 * What stands in a string may look so, too; that costs time alone.
 */
const OTHERWISE = new RegExp(
  [
    /[eE](?=[+\-\d])(?<=[[:,\s]-?\d[\d.]*.)/,
    /"(?:0|[1-9]\d{0,9})"\s{0,99}:/,
    /\.\d*0[\],}\s](?<=[[:,\s]-?\d+\.\d*.)/,
    /\.0{6}(?<=[[:,\s]-?0\.0{6})/,
  ]
    .map(({ source }) => source)
    .join('|'),
  's',
);

/** A zero below zero. Beside the others it would slow them down where hyphens are frequent, as in UUIDs. */
const MINUS_ZERO = /[[:,\s]-0[\],}\s]/;

/** Digits of a number that JavaScript writes with an exponent. */
const LONG = 22;
const [ZERO, NINE] = [0x30, 0x39];

/** Whether `parseJson` may lose how something in a JSON text is written. */
export function isWrittenOtherwise(text: string): boolean {
  if (OTHERWISE.test(text) || hasLongRun(text)) return true;
  return text.includes('-0') && MINUS_ZERO.test(text);
}

/** Whether so many digits stand in a row: then one of them is at a multiple of that number. */
function hasLongRun(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigitAt(text, at)) continue;
    let [from, to] = [at, at + 1];
    while (at - from < LONG && isDigitAt(text, from - 1)) from -= 1;
    while (to - from < LONG && isDigitAt(text, to)) to += 1;
    if (to - from >= LONG) return true;
  }
  return false;
}

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= ZERO && code <= NINE;
}

/** As `isWrittenOtherwise`, in pieces. */
export function* isWrittenOtherwiseInPieces(text: string): Pieces<boolean> {
  for (let at = 0; at < text.length; at += PIECE) {
    if (isWrittenOtherwise(text.slice(Math.max(0, at - REACH), at + PIECE))) return true;
    yield;
  }
  return false;
}

/**
 * Parses JSON text: a number that JavaScript would write in another way is a `RawJson`, and
 * `writtenText` knows the order of members. Of members of one name the last counts.
 * @throws SyntaxError
 * @throws GatewayError BAD_REQUEST for what nests deeper than `DEPTH_MAX`
 */
export function parseWritten(text: string): Json {
  JSON.parse(text);
  return whole(parseWrittenInPieces(text));
}

/**
 * As `parseWritten`, for what is kept: each fraction and exponent is a `RawJson`.
 * @throws SyntaxError
 * @throws GatewayError BAD_REQUEST for a member that is there twice, or what nests deeper than `DEPTH_MAX`
 */
export function parseDefinition(text: string): Json {
  JSON.parse(text);
  const keepsNumber = (number: string) => /[.eE]/.test(number) || isRewritten(number);
  return whole(readOrdered(text, { keepsNumber, refusesTwice: true }));
}

/** As `parseWritten`, in pieces, of a text that is known to be JSON. @throws GatewayError BAD_REQUEST */
export function parseWrittenInPieces(text: string): Pieces<Json> {
  return readOrdered(text, { keepsNumber: isRewritten, refusesTwice: false });
}

/** The text of a value as `parseWritten` read it. */
export function writtenText(value: Json): string {
  return isMovedWithin(value) ? orderedText(value) : JSON.stringify(value);
}

/** Whether JavaScript writes the number of a text in another way. */
export function isRewritten(text: string): boolean {
  return String(Number(text)) !== text;
}
