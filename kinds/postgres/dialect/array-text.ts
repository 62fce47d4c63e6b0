/** PostgreSQL's text form of arrays, read as JSON and written from JSON. Source: PostgreSQL manual, "Array Input and Output Syntax". */

/**
 * An array's text as a JSON array, NULL as null. An array whose indexes do not begin at 1 is a
 * string of the server's text, because a JSON array cannot say where it begins; so is what is no array.
 */
export function arrayToJson(
  text: string,
  delimiter: string,
  encodeElement: (text: string) => string,
): string {
  if (!text.startsWith('{')) return JSON.stringify(text);
  return new ArrayText(text, delimiter, encodeElement).json() ?? JSON.stringify(text);
}

/** An element inside braces, always quoted, so that `NULL`, braces and spaces are just text. */
export function quotedElement(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** One array's text, read once from its beginning to its end. */
class ArrayText {
  readonly #text: string;
  readonly #delimiter: string;
  readonly #encodeElement: (text: string) => string;
  #at = 0;
  #depth = 0;
  /** What may come: a first element or the end, an element, or what follows one. */
  #state: 'first' | 'element' | 'after' = 'element';

  constructor(text: string, delimiter: string, encodeElement: (text: string) => string) {
    this.#text = text;
    this.#delimiter = delimiter;
    this.#encodeElement = encodeElement;
  }

  /** Undefined when it is no array. */
  json(): string | undefined {
    const { length } = this.#text;
    let json = '';
    while (this.#at < length) {
      const piece = this.#next(this.#text[this.#at] ?? '');
      if (piece === undefined) return undefined;
      json += piece;
      if (this.#depth === 0 && this.#at < length) return undefined;
    }
    return this.#depth === 0 ? json : undefined;
  }

  #next(character: string): string | undefined {
    if (this.#state === 'after') return this.#follow(character);
    if (character === '}') return this.#state === 'first' ? this.#close() : undefined;
    if (character === this.#delimiter) return undefined;
    if (character !== '{') {
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
    if (character !== this.#delimiter) return undefined;
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

  #quoted(): string | undefined {
    const from = this.#at + 1;
    let end = from;
    while (end < this.#text.length && this.#text[end] !== '"') {
      end += this.#text[end] === '\\' ? 2 : 1;
    }
    if (end >= this.#text.length) return undefined;
    this.#at = end + 1;
    return this.#encodeElement(unescaped(this.#text.slice(from, end)));
  }

  #bare(): string {
    const from = this.#at;
    let end = from;
    while (end < this.#text.length && this.#text[end] !== this.#delimiter) {
      if (this.#text[end] === '}') break;
      end += 1;
    }
    this.#at = end;
    const element = this.#text.slice(from, end);
    return element === 'NULL' ? 'null' : this.#encodeElement(element);
  }
}

function unescaped(text: string): string {
  return text.includes('\\') ? text.replace(/\\([\s\S])/g, '$1') : text;
}

/** Texts as the text of an array. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
