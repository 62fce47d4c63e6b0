/** What in a statement could be a call of a function, and of whose. */
import { isReserved } from './functions.ts';
import type { Token } from './lexer.ts';

/** A name ahead of a parenthesis. */
export interface Call {
  /** As it is written, without backticks. */
  readonly name: string;
  /** The name behind those of its database and package. */
  readonly path: readonly string[];
  /** Written without backticks and database, with nothing up to the parenthesis: the server's own go ahead of users'. */
  readonly bare: boolean;
  /** It may as well name a table with its columns, which no call stands for. */
  readonly alias: boolean;
}

/** Databases that are none: MariaDB's own functions by the rules of a mode. Source: MariaDB, "Function Name Resolution". */
const OWN_SCHEMAS = new Set(['mariadb_schema', 'oracle_schema', 'maxdb_schema']);

/** Whether a name has a database or package in front that can be a user's. */
export function isForeign({ path: [first = '', ...others] }: Call): boolean {
  return others.length > 1 || (others.length === 1 && !OWN_SCHEMAS.has(first.toLowerCase()));
}

/** Everything that could be a call of a function. */
export function callsOf(tokens: readonly Token[]): Call[] {
  return tokens.flatMap((token, at) => {
    const call = callAt(tokens, token, at);
    return call ? [call] : [];
  });
}

/** Names ahead of a parenthesis, whatever they mean there. */
export function calledNames(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token, at) =>
    isName(token) && isSign(tokens[at + 1], '(') && !isQuestion(tokens, at) ? [token.raw] : [],
  );
}

/** A table or view with its database. */
export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/** The tables of a view's definition as servers write it: each with its database, joined by words. */
export function tablesOf(tokens: readonly Token[]): TableName[] {
  return tokens.flatMap((token, at) => {
    if (token.sort !== 'word' || !JOINING.has(token.text)) return [];
    if (token.text === 'FROM' && isOfCall(tokens, at)) return [];
    let first = at + 1;
    while (isSign(tokens[first], '(')) first += 1;
    const [schema, point, name] = tokens.slice(first, first + 3);
    return isName(schema) && isSign(point, '.') && isName(name)
      ? [{ schema: schema.raw, name: name.raw }]
      : [];
  });
}

const JOINING = new Set(['FROM', 'JOIN', 'STRAIGHT_JOIN']);

/** `extract(day from x)`, `trim('a' from x)`: the parenthesis that is open there is a call's. */
function isOfCall(tokens: readonly Token[], at: number): boolean {
  let depth = 0;
  for (let before = at - 1; before >= 0; before -= 1) {
    if (isSign(tokens[before], ')')) depth += 1;
    if (isSign(tokens[before], '(')) depth -= 1;
    if (depth < 0) return isName(tokens[before - 1]) && !isWord(tokens[before + 1], 'SELECT');
  }
  return false;
}

function callAt(tokens: readonly Token[], token: Token, at: number): Call | undefined {
  const next = tokens[at + 1];
  if (!isName(token) || !isSign(next, '(')) return undefined;
  const path = pathTo(tokens, at);
  const isQualified = isSign(tokens[at - 1], '.');
  const bare = token.sort === 'word' && !isQualified;
  if (bare && isReserved(token.text)) return undefined;
  if (isQuestion(tokens, at)) return undefined;
  // INSERT INTO t (a, b).
  const before = tokens[at - 2 * path.length + 1];
  if (isWord(before, 'INTO') || namesColumns(tokens, at + 1)) return undefined;
  const alias = !isQualified && (isWord(before, 'AS') || isSign(before, ')'));
  return { name: token.raw, path, bare: bare && next?.start === token.end, alias };
}

/** `LAST_INSERT_ID()` tells, `LAST_INSERT_ID(x)` sets. */
function isQuestion(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  return isWord(token, 'LAST_INSERT_ID') && isSign(tokens[at + 2], ')');
}

/** The names up to there with points between them; `.f` has an empty one ahead. */
function pathTo(tokens: readonly Token[], at: number): string[] {
  const path: string[] = [];
  for (let name = at; ; name -= 2) {
    const token = tokens[name];
    path.unshift(isName(token) ? token.raw : '');
    if (!isName(token) || !isSign(tokens[name - 1], '.')) return path;
  }
}

/** `WITH n (a, b) AS (…)`: no call has `AS (` behind it. */
function namesColumns(tokens: readonly Token[], open: number): boolean {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    if (isSign(tokens[at], '(')) depth += 1;
    if (isSign(tokens[at], ')')) depth -= 1;
    if (depth === 0) return isWord(tokens[at + 1], 'AS') && isSign(tokens[at + 2], '(');
  }
  return false;
}

function isName(token: Token | undefined): token is Token {
  return token?.sort === 'word' || token?.sort === 'name';
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.sort === 'word' && token.text === word;
}

function isSign(token: Token | undefined, sign: string): boolean {
  return token?.sort === 'sign' && token.text === sign;
}
