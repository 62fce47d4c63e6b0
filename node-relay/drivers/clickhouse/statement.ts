/** What there is to know of a statement before it is sent: its kind, parameters, called functions. */

import { badRequest, type GatewayError, refusedByBackend } from '../../../proto/errors.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import { callsOf, type Doubt, doubtsOf } from './doubts.ts';
import { type Token, tokensOf } from './lexer.ts';
import { isMark, isName, isWord, readingsOf } from './marks.ts';
import { setsOf } from './settings-clause.ts';

/** A parameter `{name:Type}` of a statement. */
export interface Placeholder {
  readonly name: string;
  readonly type: string;
}

/** One statement as its tokens tell it. */
export interface Statement {
  readonly text: string;
  /** The first word, in upper case. */
  readonly kind: string;
  readonly placeholders: readonly Placeholder[];
  /** What it may run beyond computing. */
  readonly doubts: readonly Doubt[];
  /** Names that may be a function's, as servers of any age read them. */
  readonly calls: readonly string[];
  /** It names what reveals headers of the request, or runs a text that may. */
  readonly tellsHeaders: boolean;
  /** Names that SETTINGS clauses set, wherever they are. */
  readonly sets: readonly string[];
}

/** Texts longer than this are read again each time. */
export const REMEMBERED_MAX_CHARACTERS = 100_000;
/** Statements that are remembered, and their bytes together, roughly: one may call a function at every third character. */
const REMEMBERED = { most: 1_000, bytes: 8 * 1024 * 1024, name: 100 };
const statements = new LruMap<string, Statement>(REMEMBERED.most, {
  most: REMEMBERED.bytes,
  of: ({ text, placeholders, doubts, calls, sets }) =>
    2 * text.length +
    REMEMBERED.name * (placeholders.length + doubts.length + calls.length + sets.length),
});

/**
 * The one statement of a text.
 * @throws GatewayError BAD_REQUEST for none, several, a FORMAT or INTO OUTFILE; REQUEST_FAILED with 62 for what has no end
 */
export function oneStatement(text: string): Statement {
  const known = statements.get(text);
  if (known) return known;
  const statement = read(text);
  if (text.length <= REMEMBERED_MAX_CHARACTERS) statements.set(text, statement);
  return statement;
}

function read(text: string): Statement {
  // A NUL ends the text for the server, and a lone surrogate has no UTF-8: both would run other text than was checked.
  if (text.includes('\0') || !text.isWellFormed()) {
    throw refused('The query holds a NUL or half of a surrogate pair');
  }
  const all = tokensOf(text);
  if ('unreadable' in all) {
    throw refusedByBackend('REQUEST_FAILED', {
      source: 'clickhouse',
      code: '62',
      message: all.unreadable,
    });
  }
  const end = all.findIndex((token) => isMark(token, ';'));
  const tokens = end < 0 ? all : all.slice(0, end);
  if (end >= 0 && all.slice(end).some((token) => !isMark(token, ';'))) {
    throw refused('The query holds several statements; send one');
  }
  const first = tokens.find((token) => !isMark(token, '('));
  if (!first) throw refused('The query holds no statement');
  checkClauses(tokens);
  return {
    text,
    kind: first.kind === 'word' ? first.text.toUpperCase() : '',
    placeholders: placeholdersOf(text, tokens),
    doubts: doubtsOf(tokens),
    calls: callsOf(tokens),
    tellsHeaders: tokens.some((token, at) => mayTellHeaders(token, tokens[at + 1])),
    sets: setsOf(tokens),
  };
}

/** What may follow a column that is named format; no format has such a name. */
const AFTER_NAMES = new Set(
  'AND AS ASC BETWEEN DESC ELSE END FROM ILIKE IN IS LIKE NOT NULLS OR THEN WHEN'.split(' '),
);

/** Results are written as replies are, and to nowhere else. */
function checkClauses(tokens: readonly Token[]): void {
  const inserts = isInsert(tokens);
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    depth += Number(isMark(token, '(')) - Number(isMark(token, ')'));
    if (isWord(token, 'INTO') && isWord(tokens[at + 1], 'OUTFILE')) {
      throw refused('INTO OUTFILE is not taken');
    }
    if (isFormat(tokens, at, inserts && depth === 0)) {
      throw refused(
        'FORMAT is not taken in a query: results are JSON, the type fetch_bytes has a member format, and the type insert takes rows',
      );
    }
  }
}

/** Whether a FORMAT clause is there; where data may follow, anything may. */
function isFormat(tokens: readonly Token[], at: number, takesData: boolean): boolean {
  const [token, next, after] = tokens.slice(at, at + 3);
  if (!isWord(token, 'FORMAT') || next?.kind !== 'word') return false;
  if (AFTER_NAMES.has(next.text.toUpperCase()) || isWord(tokens[at - 1], 'AS')) return false;
  return after === undefined || isWord(after, 'SETTINGS') || isWord(after, 'PARALLEL') || takesData;
}

function isInsert(tokens: readonly Token[]): boolean {
  return tokens.some((token) => isWord(token, 'INSERT'));
}

/** `{name:Type}`; a map in braces begins with a value and no word before its colon. */
function placeholdersOf(text: string, tokens: readonly Token[]): Placeholder[] {
  const found: Placeholder[] = [];
  /** The first brace that closes behind the one at hand; braces only go on. */
  let closing = 0;
  for (const [at, token] of tokens.entries()) {
    const [name, colon] = [tokens[at + 1], tokens[at + 2]];
    if (!isMark(token, '{') || name?.kind !== 'word' || !isMark(colon, ':')) continue;
    closing = Math.max(closing, at);
    while (closing < tokens.length && !isMark(tokens[closing], '}')) closing += 1;
    const close = tokens[closing];
    if (!close || !colon) break;
    found.push({ name: name.text, type: text.slice(colon.end, close.start).trim() });
  }
  return found;
}

/** The function that reveals headers, the setting that lets it, and a table function that runs a text. */
const HEADERS = /^(?:getclienthttpheader|allow_get_client_http_header)$/i;

/** Whether a name is one of what reveals headers of the request. */
export function tellsHeaders(name: string): boolean {
  return HEADERS.test(name);
}

function mayTellHeaders(token: Token, next: Token | undefined): boolean {
  if (!isName(token)) return false;
  const runs = isMark(next, '(') ? /^eval$/i : undefined;
  return readingsOf(token).some((name) => tellsHeaders(name) || runs?.test(name));
}

function refused(message: string): GatewayError {
  return badRequest('query', message, message);
}
