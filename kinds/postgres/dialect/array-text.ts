/** PostgreSQL's text form of arrays, read as JSON and written from JSON. Source: PostgreSQL manual, "Array Input and Output Syntax". */
import { LongText } from '../../../proto/long-text.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { type LongEncoder, longString } from '../../long-values.ts';

const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const QUOTE = 34;
const BACKSLASH = 92;
const CLOSING = 125;
/** Digits of an integer that results write as they are, whatever its type. */
const SAFE_DIGITS = 15;

/** How the elements of an array are written. */
export interface ElementForm {
  /** What is between two of them. */
  readonly delimiter: string;
  readonly encode: (text: string) => string;
  readonly encodeLong: LongEncoder;
  /** Whether an integer of few digits is its own JSON text. */
  readonly keepsIntegers: boolean;
}

/**
 * An array's text as a JSON array, NULL as null. An array whose indexes do not begin at 1 is a
 * string of the server's text, because a JSON array cannot say where it begins; so is what is no array.
 */
export function arrayToJson(text: string, form: ElementForm): string {
  if (!text.startsWith('{')) return JSON.stringify(text);
  return new ArrayText(text, form).json() ?? JSON.stringify(text);
}

/** The same in pieces, for long texts. */
export function* longArray(text: string, form: ElementForm, out: LongText): Pieces<void> {
  if (text.startsWith('{')) {
    // What is no array shows itself at its end.
    const own = new LongText(out.perPiece);
    if (yield* new ArrayText(text, form).jsonInPieces(own)) {
      for (const piece of own.pieces) if (out.add(piece)) yield;
      return;
    }
  }
  yield* longString(text, out);
}

/** An element inside braces, always quoted, so that `NULL`, braces and spaces are just text. */
export function quotedElement(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** One array's text, read once from its beginning to its end. */
class ArrayText {
  readonly #text: string;
  readonly #form: ElementForm;
  /** As a number, NaN where it is none. */
  readonly #delimiter: number;
  /** Elements that are longer are left to whoever asks for pieces. */
  #longest = Number.POSITIVE_INFINITY;
  /** One that was left so. */
  #long: { readonly text: string; readonly isEscaped: boolean } | undefined;
  #at = 0;
  #depth = 0;
  /** What may come: a first element or the end, an element, or what follows one. */
  #state: 'first' | 'element' | 'after' = 'element';

  constructor(text: string, form: ElementForm) {
    this.#text = text;
    this.#form = form;
    this.#delimiter = form.delimiter.length === 1 ? form.delimiter.charCodeAt(0) : Number.NaN;
  }

  /** Undefined when it is no array. */
  json(): string | undefined {
    const json = this.#take(this.#text.length);
    return this.#depth === 0 ? json : undefined;
  }

  /** Whether it is an array: if not, what was written is of no use. */
  *jsonInPieces(out: LongText): Pieces<boolean> {
    this.#longest = out.perPiece;
    while (this.#at < this.#text.length) {
      const json = this.#take(this.#at + out.perPiece);
      if (json === undefined) return false;
      out.add(json);
      yield;
      const long = this.#long;
      if (long === undefined) continue;
      this.#long = undefined;
      const { text, isEscaped } = long;
      const element = isEscaped ? yield* unescapedInPieces(text, out.perPiece) : text;
      yield* this.#form.encodeLong(element, out);
    }
    return this.#depth === 0;
  }

  /** Goes on up to about a place, or an element that is long; undefined when it is no array. */
  #take(until: number): string | undefined {
    const { length } = this.#text;
    let json = '';
    while (this.#at < length && this.#at < until && this.#long === undefined) {
      const piece = this.#next(this.#text[this.#at] ?? '', until);
      if (piece === undefined) return undefined;
      json += piece;
      if (this.#depth === 0 && this.#at < length) return undefined;
    }
    return json;
  }

  #next(character: string, until: number): string | undefined {
    if (this.#state === 'after') return this.#follow(character);
    if (character === '}') return this.#state === 'first' ? this.#close() : undefined;
    if (character === this.#form.delimiter) return undefined;
    if (character !== '{') {
      const integers = this.#integers(until);
      if (integers !== '') return integers;
      this.#state = 'after';
      return character === '"' ? this.#quoted() : this.#bare();
    }
    this.#at += 1;
    this.#depth += 1;
    this.#state = 'first';
    return '[';
  }

  #follow(character: string): string | undefined {
    if (character === '}') return this.#close();
    if (character !== this.#form.delimiter) return undefined;
    this.#at += 1;
    this.#state = 'element';
    return ',';
  }

  #close(): string {
    this.#at += 1;
    this.#depth -= 1;
    this.#state = 'after';
    return ']';
  }

  /** The integers that come next, each with the delimiter behind it, where they are written as they are. */
  #integers(until: number): string {
    const from = this.#at;
    if (!this.#form.keepsIntegers || this.#form.delimiter !== ',') return '';
    let end = from;
    while (end < until) {
      const after = afterInteger(this.#text, end);
      if (after === end || this.#text[after] !== ',') break;
      end = after + 1;
    }
    if (end === from) return '';
    this.#at = end;
    this.#state = 'element';
    return this.#text.slice(from, end);
  }

  #quoted(): string | undefined {
    const text = this.#text;
    const from = this.#at + 1;
    let end = from;
    for (; end < text.length; end += 1) {
      const code = text.charCodeAt(end);
      if (code === QUOTE) break;
      if (code === BACKSLASH) end += 1;
    }
    if (end >= text.length) return undefined;
    this.#at = end + 1;
    return this.#element(text.slice(from, end), true);
  }

  #bare(): string {
    const text = this.#text;
    const from = this.#at;
    let end = from;
    for (; end < text.length; end += 1) {
      const code = text.charCodeAt(end);
      if (code === this.#delimiter || code === CLOSING) break;
    }
    this.#at = end;
    const element = text.slice(from, end);
    return element === 'NULL' ? 'null' : this.#element(element, false);
  }

  #element(text: string, isEscaped: boolean): string {
    if (text.length <= this.#longest) return this.#form.encode(isEscaped ? unescaped(text) : text);
    this.#long = { text, isEscaped };
    return '';
  }
}

/** Where an integer of few digits ends, as JSON writes it; where it would begin when there is none. */
function afterInteger(text: string, from: number): number {
  const first = text.charCodeAt(from) === MINUS ? from + 1 : from;
  if (text.charCodeAt(first) === ZERO) return first + 1;
  let at = first;
  for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(at)) {
    at += 1;
  }
  return at === first || at - first > SAFE_DIGITS ? from : at;
}

function unescaped(text: string): string {
  return text.includes('\\') ? text.replace(/\\([\s\S])/g, '$1') : text;
}

function* unescapedInPieces(text: string, perPiece: number): Pieces<string> {
  const out = new LongText(perPiece);
  for (let from = 0; from < text.length; ) {
    let end = from + perPiece;
    let backslashes = 0;
    while (end - backslashes > from && text.charCodeAt(end - backslashes - 1) === BACKSLASH) {
      backslashes += 1;
    }
    // An escape is not cut.
    end += backslashes % 2;
    out.add(unescaped(text.slice(from, end)));
    from = end;
    yield;
  }
  return out.pieces.join('');
}

/** Texts as the text of an array. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
