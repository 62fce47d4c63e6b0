/** Reads ClickHouse's SQL as tokens, by the rules of the server's own lexer. Source: ClickHouse, src/Parsers/Lexer.cpp. */
import { DollarQuotes } from '../../../kinds/dollar-quotes.ts';
import { decodedQuote } from './quotes.ts';

/** A token of a statement; comments and spaces are left out. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'mark';
  /** Of a word as it is written, of a quoted name and a string what they say, of a mark the character. */
  readonly text: string;
  /** What servers before 2019 read in its place. */
  readonly older?: string;
  readonly start: number;
  readonly end: number;
}

/** What cannot be read, or not in one way: a quote that does not end, a comment in a comment. */
interface Unreadable {
  readonly unreadable: string;
}

// More than the server's own spaces: others are errors at the server.
const SPACE = /[\s\u0085\u180e\u200b-\u200d\u2060\ufeff]+/y;
const LINE_COMMENT = /(?:--|\/\/|#[ !])[^\n]*/y;
const WORD = /[A-Za-z_$][\w$]*/y;
const DIGITS = String.raw`\d+(?:_\d+)*`;
const HEX = String.raw`[\da-fA-F]+(?:_[\da-fA-F]+)*`;
const EXPONENT = `(?:[eE][+-]?(?:${DIGITS})?)?`;
/** Its last group is what makes it a word: `1st`. */
const NUMBER = new RegExp(
  `(?:0[xX]${HEX}(?:\\.(?:${HEX})?)?(?:[pP][+-]?(?:${DIGITS})?)?` +
    `|0[bB](?=[01])${DIGITS}(?:\\.(?:${DIGITS})?)?${EXPONENT}` +
    `|${DIGITS}(?:\\.(?:${DIGITS})?)?${EXPONENT})(\\w*)`,
  'y',
);
/** After a dot: `t.1.2` is `t . 1 . 2`. */
const MEMBER_NUMBER = new RegExp(`${DIGITS}(\\w*)`, 'y');
const FRACTION = new RegExp(`\\.${DIGITS}${EXPONENT}`, 'y');
const HEREDOC = /\$\w*\$/y;
const WIDE_HEREDOC = /\$[^$]*\$/y;
const BYTES = /[xX]'[\da-fA-F]*'|[bB]'[01]*'/y;
/** What opens a quote, and what closes it; the last two forms are of newer servers. */
const QUOTES: { readonly [open: string]: readonly [close: string, kind: 'string' | 'quoted'] } = {
  "'": ["'", 'string'],
  '"': ['"', 'quoted'],
  '`': ['`', 'quoted'],
  '\u2018': ['\u2019', 'string'],
  '\u201c': ['\u201d', 'quoted'],
};

/** All tokens of a text, in order. */
export function tokensOf(text: string): readonly Token[] | Unreadable {
  const tokens: Token[] = [];
  const dollars = new DollarQuotes(text);
  let at = 0;
  while (at < text.length) {
    const skipped = afterSpace(text, at);
    if (typeof skipped !== 'number') return skipped;
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const token = tokenAt(text, at, tokens.at(-1), dollars);
    if ('unreadable' in token) return token;
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

/** The place after spaces or one comment; the same place when there is none. */
function afterSpace(text: string, at: number): number | Unreadable {
  const space = match(SPACE, text, at) ?? match(LINE_COMMENT, text, at);
  if (space !== undefined) return at + space.length;
  if (!text.startsWith('/*', at)) return at;
  const end = text.indexOf('*/', at + 2);
  if (end < 0) return { unreadable: 'A comment does not end' };
  const inner = text.indexOf('/*', at + 2);
  // It ends in one place for servers that count comments in comments, and in another for others.
  if (inner >= 0 && inner < end) return { unreadable: 'A comment holds the beginning of another' };
  return end + 2;
}

function tokenAt(
  text: string,
  at: number,
  before: Token | undefined,
  dollars: DollarQuotes,
): Token | Unreadable {
  const character = text.charAt(at);
  const quote = QUOTES[character];
  if (quote) return quotedAt(text, at, quote);
  if (character === '$') {
    const heredoc = heredocAt(text, at, dollars);
    if (heredoc) return heredoc;
  }
  if (text.charAt(at + 1) === "'" && /[xXbB]/.test(character)) {
    const bytes = match(BYTES, text, at);
    if (bytes === undefined) return { unreadable: 'A string of digits does not end' };
    return { kind: 'string', text: bytes, start: at, end: at + bytes.length };
  }
  return numberAt(text, at, before) ?? wordOrMark(text, at);
}

function wordOrMark(text: string, at: number): Token {
  const word = match(WORD, text, at);
  // A dollar that begins no name is alone.
  if (word !== undefined && !/^\$(?!\w)/.test(word)) {
    return { kind: 'word', text: word, start: at, end: at + word.length };
  }
  return { kind: 'mark', text: text.charAt(at), start: at, end: at + 1 };
}

/** `$tag$ … $tag$`; without its end a dollar begins a word. */
function heredocAt(
  text: string,
  at: number,
  dollars: DollarQuotes,
): Token | Unreadable | undefined {
  const tag = match(HEREDOC, text, at) ?? match(WIDE_HEREDOC, text, at);
  if (tag === undefined) return undefined;
  const behind = at + tag.length;
  const close = dollars.next(tag, behind);
  if (close < 0) return undefined;
  // Older servers take any characters as a tag, newer ones those of words.
  if (/[^\w$]/.test(tag)) {
    return { unreadable: 'A tag between dollars holds more than letters and digits' };
  }
  return { kind: 'string', text: text.slice(behind, close), start: at, end: close + tag.length };
}

function numberAt(
  text: string,
  at: number,
  before: Token | undefined,
): Token | Unreadable | undefined {
  const isDot = text.charAt(at) === '.';
  if (isDot) {
    const found = isOperand(before) ? undefined : match(FRACTION, text, at);
    if (found === undefined) return undefined;
    return { kind: 'number', text: found, start: at, end: at + found.length };
  }
  const pattern = before?.kind === 'mark' && before.text === '.' ? MEMBER_NUMBER : NUMBER;
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  if (!found) return undefined;
  const [whole, rest] = found;
  const end = at + whole.length;
  if (!rest) return { kind: 'number', text: whole, start: at, end };
  if (/\W/.test(whole)) return { unreadable: 'A number is not one' };
  return { kind: 'word', text: whole, start: at, end };
}

/** A dot after it takes a member. */
function isOperand(token: Token | undefined): boolean {
  if (token?.kind === 'mark') return token.text === ')' || token.text === ']';
  return token !== undefined && token.kind !== 'string';
}

function quotedAt(
  text: string,
  start: number,
  [close, kind]: readonly [string, 'string' | 'quoted'],
): Token | Unreadable {
  const end = close < '\u2000' ? closingAt(text, start + 1, close) : text.indexOf(close, start + 1);
  if (end < 0) return { unreadable: 'A quote does not end' };
  const raw = text.slice(start + 1, end);
  if (close >= '\u2000') return { kind, text: raw, start, end: end + 1 };
  const decoded = decodedQuote(raw, close);
  if (decoded === undefined) return { unreadable: 'An escape does not end' };
  return { kind, ...decoded, start, end: end + 1 };
}

function closingAt(text: string, start: number, close: string): number {
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === close) {
      if (text.charAt(at + 1) !== close) return at;
      at += 1;
    }
  }
  return -1;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
