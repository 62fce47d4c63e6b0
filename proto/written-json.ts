/** JSON in and out as it was written: the text of each number, and the order of all members. */
import { DEPTH_MAX, isRawJson, type Json, parseJson } from './json.ts';
import { textInPieces } from './json-bytes.ts';
import { depthFaultAt } from './json-fault.ts';
import { parseInPieces } from './json-pieces.ts';
import { isDigitAt, JsonScan } from './json-scan.ts';
import { isMovedWithin, orderedText, unread } from './ordered-json.ts';
import { readOrdered } from './parse-ordered.ts';
import { type Pieces, whole } from './work/pieces.ts';

/** Text that is looked at between two pauses. */
const PIECE = 64 * 1024;
/** Digits of a number that JavaScript writes with an exponent. */
const LONG = 22;

/** Whether `parseJson` may lose how something in a JSON text is written. */
export function isWrittenOtherwise(text: string): boolean {
  return hasLongRun(text) || new JsonScan(text).goOn(text.length).isWrittenOtherwise;
}

/** What a look at a whole text reports. */
export interface LookedThrough {
  /** Where it nests deeper than `DEPTH_MAX`, in words. */
  readonly tooDeep: string | undefined;
  /** As the function of that name says. */
  readonly isWrittenOtherwise: boolean;
}

/** Looks at all of a text once. */
export function lookThrough(text: string): LookedThrough {
  const { deepAt, isWrittenOtherwise } = new JsonScan(text, DEPTH_MAX).goOn(text.length);
  const tooDeep = deepAt === undefined ? undefined : depthFaultAt(text, deepAt, DEPTH_MAX);
  return { tooDeep, isWrittenOtherwise: isWrittenOtherwise || hasLongRun(text) };
}

/** Whether so many digits are in a row: then one of them is at a multiple of that number. */
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

/** As `isWrittenOtherwise`, in pieces. */
export function* isWrittenOtherwiseInPieces(text: string): Pieces<boolean> {
  const look = new JsonScan(text);
  for (let at = 0; at < text.length; at += PIECE) {
    if (look.goOn(at + PIECE).isWrittenOtherwise) return true;
    if (hasLongRun(text.slice(Math.max(0, at - LONG), at + PIECE))) return true;
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
 * As `parseWritten`, for what is kept: each fraction and exponent is a `RawJson`. In pieces, of a text that is known to be JSON.
 * @throws GatewayError BAD_REQUEST for a member that is there twice, or what nests deeper than `DEPTH_MAX`
 */
export function parseDefinitionInPieces(text: string): Pieces<Json> {
  const keepsNumber = (number: string) => /[.eE]/.test(number) || isRewritten(number);
  return readOrdered(text, { keepsNumber, refusesTwice: true });
}

/** As `parseWritten`, in pieces, of a text that is known to be JSON. @throws GatewayError BAD_REQUEST */
export function parseWrittenInPieces(text: string): Pieces<Json> {
  return readOrdered(text, { keepsNumber: isRewritten, refusesTwice: false });
}

/**
 * As `parseWritten`, at the price of `parseJson` where nothing is written otherwise.
 * @param plain what `parseJson` made of the text, where that is known
 * @throws SyntaxError
 * @throws GatewayError BAD_REQUEST for what nests deeper than `DEPTH_MAX`
 */
export function parseAsWritten(text: string, plain?: Json): Json {
  return isWrittenOtherwise(text) ? parseWritten(text) : (plain ?? parseJson(text));
}

/** As `parseAsWritten`, of what is only written again: what nests deeper than `DEPTH_MAX` is `unread`. @throws SyntaxError */
export function passedOn(text: string): Json {
  const { tooDeep, isWrittenOtherwise } = lookThrough(text);
  if (tooDeep !== undefined) return unread(text);
  return isWrittenOtherwise ? parseWritten(text) : parseJson(text);
}

/** As `parseAsWritten`, in pieces. @throws SyntaxError @throws TooDeep for what nests deeper than `DEPTH_MAX` */
export function* readAsWrittenInPieces(text: string): Pieces<Json> {
  return yield* parseAsWrittenInPieces(text, yield* parseInPieces(text));
}

/** As `parseAsWritten`, in pieces, of a text that is known to be JSON. @throws GatewayError BAD_REQUEST */
export function* parseAsWrittenInPieces(text: string, plain: Json): Pieces<Json> {
  return (yield* isWrittenOtherwiseInPieces(text)) ? yield* parseWrittenInPieces(text) : plain;
}

/** Texts of values that were written beforehand, for as long as the values are there. */
const written = new WeakMap<object, string>();

/** Has `writtenText` answer of an array or object at once: of a large one it would be one long piece. None of it may change any more. */
export function* writeAhead(value: Json): Pieces<void> {
  const isContainer = typeof value === 'object' && value !== null && !isRawJson(value);
  if (isContainer) written.set(value, yield* textInPieces(value));
}

/** The text of a value as `parseWritten` read it. */
export function writtenText(value: Json): string {
  const before = typeof value === 'object' && value !== null ? written.get(value) : undefined;
  if (before !== undefined) return before;
  return isMovedWithin(value) ? orderedText(value) : JSON.stringify(value);
}

/** Whether JavaScript writes the number of a text in another way. */
function isRewritten(text: string): boolean {
  return String(Number(text)) !== text;
}
