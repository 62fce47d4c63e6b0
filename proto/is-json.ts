/** Whether a text of others is JSON, without making anything of it. RFC 8259. */

import { Pace, type Pieces, whole } from './work/pieces.ts';

/** Most lists and objects within each other that pass: what takes them apart next may be recursive. Spec silent. */
export const NESTED_MAX = 10_000;

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** Up to a quote, an escape, or what a string may not hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them.
const STRING_STOP = /["\\\0-\x1f]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Escapes of a string that are read without a pause. */
const ESCAPES_AT_ONCE = 1_024;
/** Characters that are read between two pauses, and how many of them a step costs besides its own. */
const PIECE = 64 * 1024;
const STEP = 8;

/** Of a list, and of an object. */
const CLOSERS = [']', '}'] as const;

/** Short texts are parsed faster than they are read here, and are too short to be too deep. */
const SHORT_MAX = 2 * NESTED_MAX;

/** Whether the whole text is one JSON value, nested no deeper than ten thousand. Memory is that of the depth. */
export function isJson(text: string): boolean {
  return whole(isJsonInPieces(text));
}

/** The same in pieces. @param nestedMax lists and objects within each other that pass in a long text */
export function* isJsonInPieces(text: string, nestedMax = NESTED_MAX): Pieces<boolean> {
  if (text.length <= SHORT_MAX) return isParsed(text);
  const checker = new JsonChecker(text, nestedMax);
  const pace = new Pace(PIECE);
  for (let expected: Expected = 'value'; ; ) {
    const from = checker.at;
    const next = checker.step(expected);
    if (typeof next === 'boolean') return next;
    expected = next;
    if (pace.isOver(checker.at - from + STEP)) yield;
  }
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What comes next: of a string its rest. */
type Expected = 'value' | 'name' | 'text' | 'name text' | 'behind';

class JsonChecker {
  readonly #text: string;
  readonly #nestedMax: number;
  at = 0;
  /** Whether each list or object around the place is an object. */
  readonly #around: boolean[] = [];

  constructor(text: string, nestedMax: number) {
    this.#text = text;
    this.#nestedMax = nestedMax;
  }

  /** Goes on to what is expected then, or to the end: whether it is JSON. */
  step(expected: Expected): Expected | boolean {
    switch (expected) {
      case 'value':
        return this.#value();
      case 'name':
        this.#space();
        return this.#skip('"') && 'name text';
      case 'text':
      case 'name text':
        return this.#string(expected);
      case 'behind':
        return this.#behind();
    }
  }

  #value(): Expected | boolean {
    this.#space();
    if (this.#skip('"')) return this.#string('text');
    const isObject = this.#skip('{');
    if (!isObject && !this.#skip('[')) return this.#match(SCALAR) && 'behind';
    this.#space();
    if (this.#skip(CLOSERS[Number(isObject)])) return 'behind';
    this.#around.push(isObject);
    if (this.#around.length > this.#nestedMax) return false;
    return isObject ? 'name' : 'value';
  }

  /** What follows a value that has ended: so may what is around it. */
  #behind(): Expected | boolean {
    this.#space();
    const isObject = this.#around.at(-1);
    if (isObject === undefined) return this.at === this.#text.length;
    if (this.#skip(',')) return isObject ? 'name' : 'value';
    if (!this.#skip(CLOSERS[Number(isObject)])) return false;
    this.#around.pop();
    return 'behind';
  }

  /** The rest of a string, or as much of it as is read at once. */
  #string(rest: 'text' | 'name text'): Expected | boolean {
    for (let escapes = 0; escapes < ESCAPES_AT_ONCE; escapes += 1) {
      STRING_STOP.lastIndex = this.at;
      const stop = STRING_STOP.exec(this.#text);
      if (stop === null) return false;
      this.at = stop.index;
      if (this.#skip('"')) return rest === 'text' ? 'behind' : this.#colon();
      if (!this.#match(ESCAPE)) return false;
    }
    return rest;
  }

  #colon(): Expected | boolean {
    this.#space();
    return this.#skip(':') && 'value';
  }

  #space(): void {
    // Most places have none.
    if (this.#text.charCodeAt(this.at) <= 32) this.#match(SPACE);
  }

  #skip(character: string | undefined): boolean {
    if (this.#text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.#text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }
}
