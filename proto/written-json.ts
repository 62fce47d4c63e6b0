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
 * A number that JavaScript writes in another way (an exponent, a zero at the end of a fraction, a
 * zero below zero, many digits), or a name that it moves before others. What stands in a string may
 * look so, too; that costs time alone.
 */
const OTHERWISE =
  /[[:,\s]-?(?:\d+(?:\.\d+)?[eE]|\d+\.\d*0[\],}\s]|0\.0{6}|\d{22})|[[:,\s]-0[\],}\s]|"(?:0|[1-9]\d{0,9})"\s{0,99}:/;

/** Whether `parseJson` may lose how something in a JSON text is written. */
export function isWrittenOtherwise(text: string): boolean {
  return OTHERWISE.test(text);
}

/** As `isWrittenOtherwise`, in pieces. */
export function* isWrittenOtherwiseInPieces(text: string): Pieces<boolean> {
  for (let at = 0; at < text.length; at += PIECE) {
    if (OTHERWISE.test(text.slice(Math.max(0, at - REACH), at + PIECE))) return true;
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
