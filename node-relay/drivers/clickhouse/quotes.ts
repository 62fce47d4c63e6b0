/** What ClickHouse reads between quotes. Source: ClickHouse, src/IO/ReadHelpers.cpp, parseComplexEscapeSequence. */

/** The content of a quote, decoded. */
interface Decoded {
  readonly text: string;
  /** As servers before 2019 decode it, where that differs: they drop a backslash that means nothing. */
  readonly older?: string;
}

const CONTROLS: { readonly [letter: string]: number } = {
  a: 7,
  b: 8,
  e: 27,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  0: 0,
};
/** After a backslash they stand for themselves alone. */
const PLAIN = /^[\\`"'/]$/;
const [BACKSLASH, HEX, NOTHING] = [92, 120, 78];

/** What is between quotes, or undefined when an escape has no end. */
export function decodedQuote(raw: string, quote: string): Decoded | undefined {
  if (!raw.includes('\\')) return { text: raw.replaceAll(quote + quote, quote) };
  const bytes = Buffer.from(raw);
  const close = quote.charCodeAt(0);
  const [text, older]: [number[], number[]] = [[], []];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte !== BACKSLASH) {
      if (byte === close) at += 1;
      text.push(byte);
      older.push(byte);
      continue;
    }
    const found = escapeAt(bytes, at + 1);
    if (!found) return undefined;
    text.push(...found.text);
    older.push(...found.older);
    at += found.length;
  }
  const decoded = Buffer.from(text).toString();
  const before = Buffer.from(older).toString();
  return before === decoded ? { text: decoded } : { text: decoded, older: before };
}

interface Escape {
  readonly text: readonly number[];
  readonly older: readonly number[];
  /** Bytes after the backslash. */
  readonly length: number;
}

function escapeAt(bytes: Buffer, at: number): Escape | undefined {
  const byte = bytes[at];
  if (byte === undefined) return undefined;
  if (byte === HEX) {
    const [high, low] = [bytes[at + 1], bytes[at + 2]];
    if (high === undefined || low === undefined) return undefined;
    const value = [(16 * digit(high) + digit(low)) & 0xff];
    return { text: value, older: value, length: 3 };
  }
  if (byte === NOTHING) return { text: [], older: [], length: 1 };
  const letter = String.fromCharCode(byte);
  const control = CONTROLS[letter];
  if (control !== undefined) return { text: [control], older: [control], length: 1 };
  const alone = PLAIN.test(letter) || byte < 32;
  return { text: alone ? [byte] : [BACKSLASH, byte], older: [byte], length: 1 };
}

/** As the server does: what is no digit counts 255. */
function digit(byte: number): number {
  const value = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? 255 : value;
}
