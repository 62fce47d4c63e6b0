/** Parses large JSON texts in pieces, so that one of them holds the thread no longer than many small ones. */

import { DEPTH_MAX, type Json, type JsonObject, parseJson, setMember } from './json.ts';
import { depthFaultOf } from './json-fault.ts';
import { isMovedName, keepSparse, MANY, withNames } from './ordered-json.ts';
import type { Pieces } from './work/pieces.ts';

/** UTF-16 code units that are parsed at once, where values are not larger. */
const PIECE = 32 * 1024;
/** Text that is looked at between two pauses. */
const LOOKED_AT = 64 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACE = 0x7b;
/** The largest name that is an index. Source: ECMA-262, "array index". */
const INDEX_MAX = 2 ** 32 - 2;
/** From an opening one to its closing one. */
const CLOSING = 2;

/**
 * As `parseJson`, in pieces.
 * @throws SyntaxError
 * @throws TooDeep for what nests deeper than `DEPTH_MAX`
 */
export function* parseInPieces(text: string): Pieces<Json> {
  const start = text.search(/[^ \t\n\r]/);
  const first = start < 0 ? 0 : text.charCodeAt(start);
  if (text.length <= PIECE || (first !== BRACKET && first !== BRACE)) return parseShort(text);
  return yield* new Parser(text, start).parse();
}

/** What nests deeper than `DEPTH_MAX`; the message says where. */
export class TooDeep extends Error {}

function parseShort(text: string): Json {
  const tooDeep = depthFaultOf(text, DEPTH_MAX);
  if (tooDeep !== undefined) throw new TooDeep(tooDeep);
  return parseJson(text);
}

/** An array or object that is being read. */
interface Open {
  /** Where it begins. */
  readonly start: number;
  readonly isArray: boolean;
  /** Behind its last comma; 0 before the first. */
  comma: number;
  /** What it became: only those are made that are too large to be parsed at once. */
  made: MadeContainer | undefined;
}

interface MadeContainer {
  readonly value: Json[] | JsonObject;
  /** Of an object, in the order in which they came: those that JavaScript puts first, and all others. */
  readonly moved: number[];
  readonly names: string[];
  /** What is before is in `value` already. */
  read: number;
  /** A comma, or the start of a member that was made by itself, was the last that was read. */
  needs: 'nothing' | 'a value' | 'a comma';
}

class Parser {
  readonly #text: string;
  /** Outermost first. */
  readonly #open: Open[] = [];
  /** How many of them, from the outermost, are made. */
  #madeCount = 0;
  #at: number;
  #root: Json | undefined;
  /** It is complete, and its names are still to be listed. */
  #unlisted: MadeContainer | undefined;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#at = start;
  }

  *parse(): Pieces<Json> {
    let pause = this.#at + LOOKED_AT;
    this.#enter(this.#at);
    this.#make();
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      if (this.#look()) {
        if (this.#unlisted) yield* list(this.#unlisted);
        this.#unlisted = undefined;
        yield;
      } else if (this.#at > pause) yield;
      else continue;
      pause = this.#at + LOOKED_AT;
    }
    if (this.#open.length > 0 || this.#root === undefined) throw new SyntaxError('It has no end');
    return this.#root;
  }

  /** Looks at one code unit, or at a whole string; whether something was parsed. */
  #look(): boolean {
    const at = this.#at;
    const code = this.#text.charCodeAt(at);
    const depth = this.#open.length;
    if (depth === 0) {
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) throw unexpected(at);
      return false;
    }
    if (code === QUOTE) this.#at = endOfString(this.#text, at);
    else if (code === COMMA) return this.#onComma(at);
    else if (code === BRACKET || code === BRACE) this.#enter(at);
    else if (code === BRACKET + CLOSING || code === BRACE + CLOSING) {
      return this.#onEnd(at, code === BRACKET + CLOSING);
    }
    return false;
  }

  #enter(start: number): void {
    if (this.#open.length >= DEPTH_MAX) {
      throw new TooDeep(depthFaultOf(this.#text, DEPTH_MAX) ?? `at ${start} it nests too deep`);
    }
    const isArray = this.#text.charCodeAt(start) === BRACKET;
    this.#open.push({ start, isArray, comma: 0, made: undefined });
  }

  #onComma(at: number): boolean {
    const innermost = this.#open.at(-1);
    if (innermost === undefined) return false;
    innermost.comma = at + 1;
    const { made } = innermost;
    if (made?.needs === 'a comma') {
      this.#demandBlank(made.read, at);
      made.read = at + 1;
      made.needs = 'a value';
      return false;
    }
    return this.#isFull(at) && this.#flush(at);
  }

  #isFull(at: number): boolean {
    const made = this.#open[this.#madeCount - 1]?.made;
    return made !== undefined && at - made.read > PIECE;
  }

  /** Parses what is whole of the innermost one that is made, and makes those within that are too large. */
  #flush(at: number): boolean {
    for (;;) {
      const outer = this.#open[this.#madeCount - 1];
      if (outer?.made === undefined || at + 1 - outer.made.read <= PIECE) return true;
      if (outer.comma > outer.made.read) this.#take(outer, outer.made, outer.comma);
      if (at + 1 - outer.made.read <= PIECE) return true;
      if (this.#madeCount === this.#open.length) return true;
      this.#make();
    }
  }

  /** Takes in members up to a comma, which ends there. */
  #take(open: Open, made: MadeContainer, end: number): void {
    this.#add(open, made, this.#text.slice(made.read, end - 1));
    made.read = end;
    made.needs = 'a value';
  }

  #add({ isArray }: Open, made: MadeContainer, members: string): void {
    if (isBlank(members)) throw new SyntaxError('A value is missing');
    if (isArray) {
      const own = made.value as Json[]; // Of one that is an array.
      for (const each of parseJson(`[${members}]`) as Json[]) own.push(each);
    } else {
      const parsed = parseJson(`{${members}}`) as JsonObject;
      for (const name of Object.keys(parsed)) putMember(made, name, parsed[name] ?? null);
    }
  }

  /** Makes the outermost one that is not yet. */
  #make(): void {
    const open = this.#open[this.#madeCount];
    if (open === undefined) return;
    const outer = this.#open[this.#madeCount - 1];
    const value: Json[] | JsonObject = open.isArray ? [] : {};
    if (outer?.made) this.#putInto(outer, outer.made, open.start, value);
    else this.#root = value;
    open.made = { value, moved: [], names: [], read: open.start + 1, needs: 'nothing' };
    this.#madeCount += 1;
  }

  #putInto({ isArray }: Open, made: MadeContainer, start: number, value: Json): void {
    if (made.needs === 'a comma') throw unexpected(start);
    const before = this.#text.slice(made.read, start);
    if (isArray) {
      if (!isBlank(before)) throw unexpected(start);
      (made.value as Json[]).push(value);
    } else {
      const named = parseJson(`{${before}0}`) as JsonObject; // A name and a colon, or it throws.
      const [name, ...others] = Object.keys(named);
      if (name === undefined || others.length > 0) throw unexpected(start);
      putMember(made, name, value);
    }
    made.needs = 'a comma';
  }

  #onEnd(at: number, isArray: boolean): boolean {
    const open = this.#open.pop();
    if (open?.made === undefined) return false;
    const { made } = open;
    this.#madeCount -= 1;
    if (open.isArray !== isArray) throw unexpected(at);
    if (made.needs === 'a comma') this.#demandBlank(made.read, at);
    else {
      const rest = this.#text.slice(made.read, at);
      if (made.needs === 'a value' || !isBlank(rest)) this.#add(open, made, rest);
    }
    if (!isArray) this.#unlisted = made;
    const outer = this.#open.at(-1)?.made;
    if (outer) outer.read = at + 1;
    return true;
  }

  #demandBlank(from: number, to: number): void {
    if (!isBlank(this.#text.slice(from, to))) throw unexpected(from);
  }
}

/** Makes a member of an object, and notes its name. */
function putMember(made: MadeContainer, name: string, value: Json): void {
  const own = made.value as JsonObject; // Of one that is no array.
  if (!Object.hasOwn(own, name)) {
    if (isMovedName(name) && Number(name) <= INDEX_MAX) {
      made.moved.push(Number(name));
      if (made.moved.length % MANY === 0) keepSparse(own);
    } else made.names.push(name);
  }
  setMember(own, name, value);
}

/** Lists an object's names. They are not asked of it: of one with very many members that is one long piece, each time. */
function* list({ value, moved, names }: MadeContainer): Pieces<void> {
  const sorted = Uint32Array.from(moved).sort();
  yield;
  const all: string[] = [];
  for (const [at, index] of sorted.entries()) {
    all.push(String(index));
    if (at % MANY === 0) yield;
  }
  withNames(value as JsonObject, moved.length === 0 ? names : all.concat(names)); // Of no array.
}

function isBlank(text: string): boolean {
  return !/[^ \t\n\r]/.test(text);
}

function unexpected(at: number): SyntaxError {
  return new SyntaxError(`It is not expected at ${at}`);
}

/** The index of the quote that closes the string which begins at `start`; the text's length without one. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
