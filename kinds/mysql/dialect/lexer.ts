/**
 * Takes MySQL statements apart into words, names and strings, as the servers do with backslash
 * escapes on and double quotes for strings. Source: MySQL manual, "Language Structure".
 */

/** A token of a statement. Comments are not tokens. */
export interface Token {
  /**
   * `word`: an unquoted name or keyword; `name`: in backticks; `variable`: `@x` or `@@x`; `named`:
   * `:x`; `versioned`: the beginning of a comment that servers execute; `unclear`: what servers
   * take apart in different ways, with the reason for its text.
   */
  readonly sort:
    | 'word'
    | 'name'
    | 'number'
    | 'string'
    | 'variable'
    | 'parameter'
    | 'named'
    | 'versioned'
    | 'unclear'
    | 'sign';
  /** A word in upper case, a name without its backticks; else as it is written. */
  readonly text: string;
  /** As it is written, without backticks. */
  readonly raw: string;
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
}

const WORD = /[0-9A-Za-z_$\u0080-\uffff]+/y;
/** The servers' own space: what else Unicode has of it may be part of a name. */
const SPACE = /[\t-\r ]+/y;
const NAMED = /:[A-Za-z_]\w*/y;
const SYSTEM_VARIABLE = /@@[0-9A-Za-z_$\u0080-\uffff]*(?:\.[0-9A-Za-z_$\u0080-\uffff]+)*/y;
const VARIABLE = /@[0-9A-Za-z_$.\u0080-\uffff]*/y;
/** With a point, which a word may follow at once; an exponent needs digits. */
const REAL = /(?:\d+\.\d*|\.\d+)(?:e[+-]?\d+)?/iy;
/** With an exponent and no point: the same. */
const FLOAT = /\d+e[+-]?\d+/iy;
/** Servers take these for a number, or for part of a name, when no word follows at once. */
const WHOLE = /(?:0x[\dA-Fa-f]+|0b[01]+|\d+)(?![0-9A-Za-z_$\u0080-\uffff])/y;
/** Of a text in dollars, which MySQL 9 has. */
const DOLLARS = /^\$[^$]*\$/;

/** What is left open at the end: the server would read on. */
export class Unclosed extends Error {
  override readonly name = 'Unclosed';
}

/** All tokens of a text. @throws Unclosed for a string, name or comment without an end */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const blank = blankAt(text, at);
    if (blank > at) {
      if (isUnclear(text, at, blank))
        tokens.push(token('unclear', UNCLEAR.comment, at, blank - at));
      at = blank;
      continue;
    }
    const found = memberAt(text, at, tokens) ?? tokenAt(text, at);
    tokens.push(found);
    at = found.end;
  }
  return tokens;
}

/** Why a token is unclear, as a refusal names it. */
const UNCLEAR = {
  comment: 'A comment that servers end at different places',
  number: 'An exponent without digits',
  slashes: 'A comment that begins with //',
  dollars: 'A text in dollars',
} as const;

/**
 * A hint has quoted names that may hold the comment's end; Vitess takes dashes for a comment only
 * ahead of some space.
 */
function isUnclear(text: string, start: number, end: number): boolean {
  if (text.startsWith('/*+', start)) return /['"`]/.test(text.slice(start, end));
  return text.startsWith('--', start) && /[^\t\n\r ]/.test(text.charAt(start + 2));
}

/** The point directly behind a word, or what follows it at once: a name, whatever it begins with. */
function memberAt(text: string, at: number, tokens: readonly Token[]): Token | undefined {
  const last = tokens.at(-1);
  if (last?.end !== at) return undefined;
  if (last.sort === 'word' && text[at] === '.' && wordAt(text, at + 1))
    return token('sign', '.', at);
  const before = tokens.at(-2);
  const isPoint = last.sort === 'sign' && last.text === '.';
  return isPoint && before?.sort === 'word' && before.end === last.start
    ? wordAt(text, at)
    : undefined;
}

/** Behind the space or comment that begins there, or there. */
function blankAt(text: string, at: number): number {
  const space = matchAt(SPACE, text, at);
  if (space !== undefined) return at + space.length;
  if (text[at] === '#') return lineEnd(text, at);
  // Two dashes without space behind them are arithmetic.
  if (text.startsWith('--', at) && isBlank(text, at + 2)) return lineEnd(text, at);
  if (!text.startsWith('/*', at) || isVersioned(text, at)) return at;
  const end = text.indexOf('*/', at + 2);
  if (end < 0) throw new Unclosed('A comment has no end');
  return end + 2;
}

/** Space, a control character, or the text's end. */
function isBlank(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return Number.isNaN(unit) || unit <= 0x20 || unit === 0x7f;
}

function isVersioned(text: string, at: number): boolean {
  return text[at + 2] === '!' || /^M!/i.test(text.slice(at + 2, at + 4));
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

function tokenAt(text: string, at: number): Token {
  const character = text.charAt(at);
  if (character === "'" || character === '"') return quoted('string', text, at);
  if (character === '`') return quoted('name', text, at);
  if (character === '?') return token('parameter', '?', at);
  if (character === '@') return variable(text, at);
  if (character === '/' && text[at + 1] === '*') return token('versioned', '/*!', at);
  if (text.startsWith('//', at)) return token('unclear', UNCLEAR.slashes, at, 2);
  // NULL to MariaDB and old MySQL, whatever follows.
  if (text.startsWith('\\N', at)) return token('number', '\\N', at);
  return numberAt(text, at) ?? nameAt(text, at);
}

/**
 * A number ends where its form does: a word may follow at once. What begins with a digit, has no
 * point and no exponent and goes on with letters is a word.
 */
function numberAt(text: string, at: number): Token | undefined {
  const real = matchAt(REAL, text, at);
  if (real !== undefined) {
    const isTorn = !/e/i.test(real) && /e/i.test(text.charAt(at + real.length));
    return isTorn
      ? token('unclear', UNCLEAR.number, at, real.length + 1)
      : token('number', real, at);
  }
  const number = matchAt(FLOAT, text, at) ?? matchAt(WHOLE, text, at);
  return number === undefined ? undefined : token('number', number, at);
}

/** A word, a named parameter or a sign. */
function nameAt(text: string, at: number): Token {
  const word = wordAt(text, at);
  if (word !== undefined) return word;
  const named = matchAt(NAMED, text, at);
  if (named !== undefined) return token('named', named.slice(1), at, named.length);
  if (text.startsWith(':=', at)) return token('sign', ':=', at);
  return token('sign', text.charAt(at), at);
}

function wordAt(text: string, at: number): Token | undefined {
  const word = matchAt(WORD, text, at);
  if (word === undefined) return undefined;
  if (DOLLARS.test(word)) return token('unclear', UNCLEAR.dollars, at, word.length);
  return { ...token('word', word.toUpperCase(), at, word.length), raw: word };
}

function variable(text: string, at: number): Token {
  const plain = matchAt(SYSTEM_VARIABLE, text, at) ?? matchAt(VARIABLE, text, at) ?? '@';
  const next = text.charAt(at + plain.length);
  if (plain === '@' && /['"`]/.test(next)) {
    const { end } = quoted('name', text, at + 1);
    return token('variable', text.slice(at, end), at);
  }
  return token('variable', plain, at);
}

/** A string or name up to its quote; a doubled quote, and in strings a backslash, takes the next character along. */
function quoted(sort: 'string' | 'name', text: string, start: number): Token {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\' && quote !== '`') at += 1;
    else if (character === quote) {
      if (text[at + 1] !== quote) {
        const inner = text.slice(start + 1, at);
        const shown = sort === 'name' ? inner.replaceAll(quote + quote, quote) : inner;
        return token(sort, shown, start, at + 1 - start);
      }
      at += 1;
    }
  }
  throw new Unclosed(`A ${sort} has no end`);
}

function token(sort: Token['sort'], text: string, start: number, length = text.length): Token {
  return { sort, text, raw: text, start, end: start + length };
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** Names that could be a view's, each once in all. */
export function viewNames(tokens: readonly Token[], seen: Set<string>): string[] {
  const names: string[] = [];
  for (const { sort, raw: name } of tokens) {
    if (sort !== 'word' && sort !== 'name') continue;
    if (seen.has(name)) continue;
    seen.add(name);
    // Servers may keep names of tables in lower case.
    names.push(name, name.toLowerCase());
  }
  return names;
}
