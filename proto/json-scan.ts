/** A look through a JSON text before it is parsed: how deep it nests, and whether JavaScript would write something in it otherwise. */

const [SPACE, QUOTE, COMMA, MINUS, POINT, ZERO, NINE, COLON] = [
  0x20, 0x22, 0x2c, 0x2d, 0x2e, 0x30, 0x39, 0x3a,
];
const [UPPER_E, BRACKET, BACKSLASH, LOWER_E, BRACE] = [0x45, 0x5b, 0x5c, 0x65, 0x7b];
/** From an opening one to its closing one. */
const CLOSING = 2;
/** Zeros behind a point from which JavaScript writes an exponent. */
const SMALL_FRACTION = '000000';
/** A name that JavaScript moves before others, in all of its spellings. Source: ECMA-262, OrdinaryOwnPropertyKeys. */
const MOVED_NAME = /^(?:[1-9]|\\u003[1-9])(?:\d|\\u003\d){0,9}$|^(?:0|\\u0030)$/;
/** Of such a name in its longest spelling, with a quote. */
const MOVED_NAME_MAX = 61;
const BLANK = /[ \t\n\r]*/y;

/** Goes through a text that is JSON; of any other it says nothing about use, and ends as well. */
export class JsonScan {
  /** Whether something was found that JavaScript writes otherwise. */
  isWrittenOtherwise = false;
  /** Where it nests deeper than it may; undefined where it does not. */
  deepAt: number | undefined;
  readonly #text: string;
  readonly #deepest: number;
  readonly #endsAtFirst: boolean;
  #at = 0;
  #depth = 0;

  /** @param deepest arrays and objects within each other that may be; left out, the look ends at what is written otherwise */
  constructor(text: string, deepest?: number) {
    this.#text = text;
    this.#deepest = deepest ?? Number.POSITIVE_INFINITY;
    this.#endsAtFirst = deepest === undefined;
  }

  /** Looks at what begins before a place. */
  goOn(until: number): this {
    const text = this.#text;
    const end = Math.min(until, text.length);
    let at = this.#at;
    for (; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (isUsual(code)) continue;
      if (code === QUOTE) {
        const open = at;
        at = endOfString(text, open);
        if (!mayMove(text, open + 1, at + 1)) continue;
        this.isWrittenOtherwise ||= isMovedName(text, open, at);
      } else if (code >= BRACKET) this.#bracket(code, at);
      else if (code >= MINUS) at = this.#number(code, at);
      if (this.#isOver) break;
    }
    this.#at = at;
    return this;
  }

  get #isOver(): boolean {
    return this.deepAt !== undefined || (this.isWrittenOtherwise && this.#endsAtFirst);
  }

  /** Or a letter of `true`, `false`, `null` or an exponent. */
  #bracket(code: number, at: number): void {
    if (code === BRACKET || code === BRACE) {
      this.#depth += 1;
      if (this.#depth > this.#deepest) this.deepAt = at;
    } else if (code === BRACKET + CLOSING || code === BRACE + CLOSING) this.#depth -= 1;
    else if (code === LOWER_E && isDigitAt(this.#text, at - 1)) this.isWrittenOtherwise = true;
  }

  /** What a number has besides digits; answers up to where it was looked at. */
  #number(code: number, at: number): number {
    const text = this.#text;
    if (code === POINT) {
      const behind = endOfDigits(text, at + 1);
      const isOtherwise =
        text.charCodeAt(behind - 1) === ZERO || text.startsWith(SMALL_FRACTION, at + 1);
      if (isOtherwise) this.isWrittenOtherwise = true;
      return behind - 1;
    }
    // An exponent in a capital, which nothing else has, or a zero below zero.
    if (code === UPPER_E || isMinusZero(text, at)) this.isWrittenOtherwise = true;
    return at;
  }
}

/** Whether it is a comma, a digit or a colon: most of what is between strings. */
function isUsual(code: number): boolean {
  return code === COMMA || (code >= ZERO && code <= COLON);
}

/** The index of the quote that closes the string which begins at `start`; the text's length without one. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    if (text.charCodeAt(at - 1) !== BACKSLASH) return at;
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}

/** Whether a string may be a name that JavaScript moves: it begins with a digit, maybe escaped, and no other value follows. */
function mayMove(text: string, first: number, behind: number): boolean {
  const follows = text.charCodeAt(behind);
  if (follows !== COLON && follows > SPACE) return false;
  return isDigitAt(text, first) || text.charCodeAt(first) === BACKSLASH;
}

function isMovedName(text: string, open: number, close: number): boolean {
  if (close - open > MOVED_NAME_MAX) return false;
  BLANK.lastIndex = close + 1;
  BLANK.test(text);
  return text.charCodeAt(BLANK.lastIndex) === COLON && MOVED_NAME.test(text.slice(open + 1, close));
}

/** `-0`, whatever its exponent; with a fraction it is told by that. */
function isMinusZero(text: string, at: number): boolean {
  return text.charCodeAt(at + 1) === ZERO && text.charCodeAt(at + 2) !== POINT;
}

function endOfDigits(text: string, start: number): number {
  let at = start;
  while (isDigitAt(text, at)) at += 1;
  return at;
}

/** Whether a digit is there. */
export function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= ZERO && code <= NINE;
}
