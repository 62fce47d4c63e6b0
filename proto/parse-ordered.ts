/** Parses JSON with what a document store tells apart: the order of all members, and whole numbers written as fractions. */
import { sameDecimal } from './decimal.ts';
import { badRequest, type GatewayError } from './errors.ts';
import { DEPTH_MAX, type Json, type JsonObject, type RawJson, setMember } from './json.ts';
import { faultInPieces } from './json-fault.ts';
import { asMoved, inOrder, isMovedName, keepSparse, MANY, withNames } from './ordered-json.ts';
import { type Pieces, whole } from './work/pieces.ts';

/**
 * Parses JSON text. `namesOf` gives the members' order; a number with a fraction, an exponent
 * or more digits than a double holds keeps its text, so that `1.0` differs from `1`.
 * @throws SyntaxError
 * @throws GatewayError BAD_REQUEST for a member that is there twice, or what nests deeper than `DEPTH_MAX`
 */
export function parseOrdered(text: string): Json {
  JSON.parse(text);
  return whole(readOrdered(text));
}

/**
 * Reads text that is known to be JSON, in pieces.
 * @throws GatewayError BAD_REQUEST for what nests deeper than `DEPTH_MAX`, and for what the rules refuse
 */
export function readOrdered(text: string, rules: Rules = TYPED): Pieces<Json> {
  return new OrderedReader(text, rules).document();
}

/** What is kept of a text, and what of it is refused. */
interface Rules {
  /** Whether a number keeps its text. */
  keepsNumber(text: string): boolean;
  /** Whether a member may not be there twice; else the last counts. */
  readonly refusesTwice: boolean;
  /** Hears of a member that is there twice and not refused; `within` are the outermost two steps to the object that has it. */
  noteTwice?(name: string, within: readonly (string | number)[]): void;
}

const TYPED: Rules = {
  keepsNumber: (text) =>
    /[.eE]/.test(text) || text === '-0' || !sameDecimal(String(Number(text)), text),
  refusesTwice: true,
};

/**
 * As `parseOrdered`, in pieces.
 * @throws SyntaxError
 * @throws GatewayError BAD_REQUEST
 */
export function* parseOrderedInPieces(text: string): Pieces<Json> {
  const fault = yield* faultInPieces(text);
  if (fault !== undefined) throw new SyntaxError(fault);
  return yield* readOrdered(text);
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\r\n]*/y;
/** Numbers of one text that are remembered. */
const KEPT_MAX = 4_096;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Characters that are read between two pauses. */
const PIECE = 32 * 1024;

/** An array or object that is being read. */
type Open = { readonly array: Json[]; moved: boolean } | OpenObject;

interface OpenObject {
  readonly array: undefined;
  readonly object: JsonObject;
  /** Of the member whose value is read. */
  name: string;
  readonly names: string[];
  /** Whether JavaScript moves one of its names, or one of an object within. */
  moved: boolean;
  movesNames: boolean;
}

/** Reads text that is known to be JSON; without recursion, so that it can give way anywhere. */
class OrderedReader {
  readonly #text: string;
  /** Outermost first. */
  readonly #open: Open[] = [];
  readonly #rules: Rules;
  /** Numbers that are kept, by their text: the same one stands for all that are written alike. */
  readonly #kept = new Map<string, RawJson>();
  #at = 0;

  constructor(text: string, rules: Rules) {
    this.#rules = rules;
    this.#text = text.startsWith('\ufeff') ? text.slice(1) : text;
  }

  *document(): Pieces<Json> {
    let pause = PIECE;
    for (;;) {
      let value = this.#begin();
      while (value !== undefined) {
        const outer = this.#open.at(-1);
        if (outer === undefined) return value;
        value = this.#put(outer, value);
      }
      if (this.#at < pause) continue;
      pause = this.#at + PIECE;
      yield;
    }
  }

  /** A value, or of an array or object that is not empty all up to its first member's value. */
  #begin(): Json | undefined {
    if (this.#open.length > DEPTH_MAX) throw refused(`nests deeper than ${DEPTH_MAX}`);
    const first = this.#next();
    if (first === '{') {
      this.#at += 1;
      const open = {
        array: undefined,
        object: {},
        name: '',
        names: [],
        moved: false,
        movesNames: false,
      };
      if (this.#next() === '}') return this.#close(open);
      this.#open.push(open);
      this.#name(open);
      return undefined;
    }
    if (first === '[') {
      this.#at += 1;
      const open = { array: [], moved: false };
      if (this.#next() === ']') return this.#close(open);
      this.#open.push(open);
      return undefined;
    }
    return this.#scalar(first);
  }

  /** Adds a value to the innermost one; answers that when it ends here. */
  #put(innermost: Open, value: Json): Json | undefined {
    if (innermost.array) innermost.array.push(value);
    else setMember(innermost.object, innermost.name, value);
    if (this.#next() === ',') {
      this.#at += 1;
      if (!innermost.array) this.#name(innermost);
      return undefined;
    }
    this.#open.pop();
    return this.#close(innermost);
  }

  /** Goes past the closing character. */
  #close(open: Open): Json {
    this.#at += 1;
    const value = open.array ?? open.object;
    if (open.moved) {
      if (!open.array && open.movesNames) inOrder(open.object, open.names);
      asMoved(value);
      const outer = this.#open.at(-1);
      if (outer) outer.moved = true;
    }
    return open.array ?? withNames(open.object, open.names);
  }

  /** A member's name and the colon. */
  #name(open: OpenObject): void {
    this.#next();
    const name = this.#string();
    if (!Object.hasOwn(open.object, name)) open.names.push(name);
    else if (this.#rules.refusesTwice) throw thereTwice(name);
    else this.#rules.noteTwice?.(name, this.#within());
    open.name = name;
    open.movesNames ||= isMovedName(name);
    open.moved ||= open.movesNames;
    if (open.movesNames && open.names.length % MANY === 0) keepSparse(open.object);
    this.#next();
    this.#at += 1;
  }

  /** The first steps from the whole to the object whose members are read. */
  #within(): (string | number)[] {
    const outer = this.#open.slice(0, Math.min(2, this.#open.length - 1));
    return outer.map((each) => (each.array ? each.array.length : each.name));
  }

  #scalar(first: string): Json {
    switch (first) {
      case '"':
        return this.#string();
      case 't':
        this.#at += 4;
        return true;
      case 'f':
        this.#at += 5;
        return false;
      case 'n':
        this.#at += 4;
        return null;
      default:
        return this.#number();
    }
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let escaped = false;
    let at = start + 1;
    for (let unit = text.charCodeAt(at); unit !== QUOTE; unit = text.charCodeAt(at)) {
      escaped ||= unit === BACKSLASH;
      at += unit === BACKSLASH ? 2 : 1;
    }
    this.#at = at + 1;
    return escaped ? String(JSON.parse(text.slice(start, at + 1))) : text.slice(start + 1, at);
  }

  #number(): Json {
    NUMBER.lastIndex = this.#at;
    const [written = '0'] = NUMBER.exec(this.#text) ?? [];
    this.#at += written.length;
    const known = this.#kept.get(written);
    if (known !== undefined) return known;
    if (!this.#rules.keepsNumber(written)) return Number(written);
    const kept = JSON.rawJSON(written);
    if (this.#kept.size < KEPT_MAX) this.#kept.set(written, kept);
    return kept;
  }

  /** The next character that is no white space. */
  #next(): string {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
    return this.#text.charAt(this.#at);
  }
}

/** The refusal of a member that is there twice. */
export function thereTwice(name: string): GatewayError {
  return refused(`the member ${JSON.stringify(name.slice(0, 64))} is there twice`);
}

function refused(problem: string): GatewayError {
  return badRequest('body', problem);
}
