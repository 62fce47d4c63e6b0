/** Whether a text of others is JSON, without making anything of it. RFC 8259. */

/** Most lists and objects within each other that pass: what takes them apart next may be recursive. Spec silent. */
export const NESTED_MAX = 10_000;

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** Up to a quote, an escape, or what a string may not hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them.
const STRING_STOP = /["\\\0-\x1f]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Of a list, and of an object. */
const CLOSERS = [']', '}'] as const;

/** Short texts are parsed faster than they are read here, and are too short to be too deep. */
const SHORT_MAX = 2 * NESTED_MAX;

/** Whether the whole text is one JSON value, nested no deeper than ten thousand. Memory is that of the depth. */
export function isJson(text: string): boolean {
  return text.length <= SHORT_MAX ? isParsed(text) : new JsonChecker(text).isValue();
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

class JsonChecker {
  readonly #text: string;
  #at = 0;
  /** Whether each list or object around the place is an object. */
  readonly #around: boolean[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  isValue(): boolean {
    while (this.#value()) {
      const next = this.#next();
      if (next !== 'value') return next === 'end';
    }
    return false;
  }

  /** What follows a value that has ended: so may what is around it. */
  #next(): 'value' | 'end' | 'nothing' {
    for (;;) {
      this.#space();
      const isObject = this.#around.at(-1);
      if (isObject === undefined) return this.#at === this.#text.length ? 'end' : 'nothing';
      if (this.#skip(',')) return this.#hasName(isObject) ? 'value' : 'nothing';
      if (!this.#skip(CLOSERS[Number(isObject)])) return 'nothing';
      this.#around.pop();
    }
  }

  /** Down to a scalar or something empty; the beginnings of lists and objects before it are passed. */
  #value(): boolean {
    for (;;) {
      this.#space();
      if (this.#skip('"')) return this.#string();
      const opened = this.#open();
      if (opened !== 'within') return opened === 'empty' || this.#match(SCALAR);
      const isObject = this.#around.at(-1) === true;
      if (this.#around.length > NESTED_MAX || !this.#hasName(isObject)) return false;
    }
  }

  /** Into a list or object that is not empty. */
  #open(): 'within' | 'empty' | 'neither' {
    const isObject = this.#skip('{');
    if (!isObject && !this.#skip('[')) return 'neither';
    this.#space();
    if (this.#skip(CLOSERS[Number(isObject)])) return 'empty';
    this.#around.push(isObject);
    return 'within';
  }

  /** A member of an object has a name. */
  #hasName(isObject: boolean): boolean {
    if (!isObject) return true;
    this.#space();
    if (!this.#skip('"') || !this.#string()) return false;
    this.#space();
    return this.#skip(':');
  }

  /** The rest of a string. */
  #string(): boolean {
    for (;;) {
      STRING_STOP.lastIndex = this.#at;
      const stop = STRING_STOP.exec(this.#text);
      if (stop === null) return false;
      this.#at = stop.index;
      if (this.#skip('"')) return true;
      if (!this.#match(ESCAPE)) return false;
    }
  }

  #space(): void {
    // Most places have none.
    if (this.#text.charCodeAt(this.#at) <= 32) this.#match(SPACE);
  }

  #skip(character: string | undefined): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }
}
