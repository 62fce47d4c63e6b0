/**
 * What RFC 9535 allows in a JSONPath and the library does not read, rewritten before it reads and
 * read back afterwards. Texts keep their length, so positions stay right.
 */

/** Strings, in which nothing else means anything, or the zero of `0.5` and `0e1`. */
const ZEROS =
  /'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?|(?<![\w.\-\u0080-\uffff])0(?=\.\d|[eE][+-]?\d)/gs;
/** An escape sequence, whole, so that the `u` of `\\u0001` begins none. */
const ESCAPES = /\\(?:u00([01][\da-fA-F])|.)/gs;
/** Characters for private use stand in for the 32 control characters, of the same length when escaped. */
const STAND_IN = 0xf8e0;
const STAND_INS = /[\uf8e0-\uf8ff]/g;
const USED = /[\uf8e0-\uf8ff]|\\u[fF]8[eEfF]/;

/** A path that the library reads, and how to get back what was there. */
export interface Mended {
  readonly text: string;
  /** A name or text as it was written. */
  name(read: string): string;
  /** What was written where the library has read that number of characters. */
  source(index: number, length: number): string;
}

/** Mends a path of any text. */
export function mended(path: string): Mended {
  const hasStandIns = USED.test(path); // Then its control characters are refused, as the library does.
  const text = withOnes(path);
  return {
    text: hasStandIns ? text : withStandIns(text),
    name: (read) => (hasStandIns ? read : withoutStandIns(read)),
    source: (index, length) => path.slice(index, index + length),
  };
}

/** A number that begins with zero is refused, even `0.5`: one that begins with one stands in for it. */
function withOnes(path: string): string {
  return path.replace(ZEROS, (part) => (part === '0' ? '1' : part));
}

/** Control characters are refused even where they are escaped: `\u0001`. RFC 9535 §2.3.1.1. */
function withStandIns(path: string): string {
  return path.replace(ESCAPES, (sequence, hex?: string) =>
    hex === undefined ? sequence : `\\u${(STAND_IN + Number.parseInt(hex, 16)).toString(16)}`,
  );
}

function withoutStandIns(read: string): string {
  return read.replace(STAND_INS, (each) => String.fromCharCode(each.charCodeAt(0) - STAND_IN));
}
