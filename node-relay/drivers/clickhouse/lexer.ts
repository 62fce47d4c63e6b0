/** Reads ClickHouse's SQL as tokens, by the rules of the server's own lexer. Source: ClickHouse, src/Parsers/Lexer.cpp. */

/** A token that means something; comments and spaces are none. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'mark';
  /** Of a word as it is written, of a quoted name its content, of a mark the character. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What cannot be read: a quote or comment that does not end. */
export interface Unreadable {
  readonly unreadable: string;
}

const SPACE = /[\s\u200b\u2060\ufeff]+/y;
const WORD = /[A-Za-z_][\w$]*/y;
const NUMBER = /\d[\w.]*/y;
const HEREDOC = /\$\w*\$/y;
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
  let at = 0;
  while (at < text.length) {
    const skipped = afterSpace(text, at);
    if (skipped === undefined) return { unreadable: 'A comment does not end' };
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const token = tokenAt(text, at);
    if (token === undefined) return { unreadable: 'A quote does not end' };
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

/** The place after spaces or one comment; the same place when there is none. */
function afterSpace(text: string, at: number): number | undefined {
  const space = match(SPACE, text, at);
  if (space !== undefined) return at + space.length;
  const two = text.slice(at, at + 2);
  if (two === '--' || two === '# ' || two === '#!') {
    const end = text.indexOf('\n', at);
    return end < 0 ? text.length : end + 1;
  }
  if (two !== '/*') return at;
  const end = text.indexOf('*/', at + 2);
  return end < 0 ? undefined : end + 2;
}

function tokenAt(text: string, at: number): Token | undefined {
  const character = text.charAt(at);
  const quote = QUOTES[character];
  if (quote) return quotedAt(text, at, quote);
  const heredoc = character === '$' ? match(HEREDOC, text, at) : undefined;
  if (heredoc !== undefined) {
    const close = text.indexOf(heredoc, at + heredoc.length);
    if (close < 0) return undefined;
    const content = text.slice(at + heredoc.length, close);
    return { kind: 'string', text: content, start: at, end: close + heredoc.length };
  }
  for (const [kind, pattern] of PATTERNS) {
    const found = match(pattern, text, at);
    if (found !== undefined) return { kind, text: found, start: at, end: at + found.length };
  }
  return { kind: 'mark', text: character, start: at, end: at + 1 };
}

const PATTERNS = [
  ['word', WORD],
  ['number', NUMBER],
] as const;

function quotedAt(
  text: string,
  start: number,
  [close, kind]: readonly [string, 'string' | 'quoted'],
): Token | undefined {
  let content = '';
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\' && close.length === 1 && close < '\u2000') {
      at += 1;
      content += text.charAt(at);
    } else if (character !== close) {
      content += character;
    } else if (text.charAt(at + 1) === close && close < '\u2000') {
      at += 1;
      content += close;
    } else {
      return { kind, text: content, start, end: at + 1 };
    }
  }
  return undefined;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
