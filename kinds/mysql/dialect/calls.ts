/** What in a statement could be a call of a function, and of whose. */
import type { TableName } from '../../allow.ts';
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

/** Names that look like databases but are not: they select MariaDB's own functions by the rules of a mode. Source: MariaDB, "Function Name Resolution". */
const OWN_SCHEMAS = new Set(['mariadb_schema', 'oracle_schema', 'maxdb_schema']);

/** Whether a name has a database or package in front that can be a user's. */
export function isForeign({ path: [first = '', ...others] }: Call): boolean {
  return others.length > 1 || (others.length === 1 && !OWN_SCHEMAS.has(first.toLowerCase()));
}

/** Everything that could be a call of a function. */
export function callsOf(tokens: readonly Token[]): Call[] {
  const { closings } = parenthesesIn(tokens);
  return tokens.flatMap((token, at) => {
    const call = callAt(tokens, closings, token, at);
    return call ? [call] : [];
  });
}

/** Names ahead of a parenthesis, whatever they mean there. */
export function calledNames(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token, at) =>
    isName(token) && isSign(tokens[at + 1], '(') && !isQuestion(tokens, at) ? [token.raw] : [],
  );
}

/** The tables of a view's definition as servers write it: each with its database, joined by words. */
export function tablesOf(tokens: readonly Token[]): TableName[] {
  const { around } = parenthesesIn(tokens);
  return tokens.flatMap((token, at) => {
    if (token.sort !== 'word' || !JOINING.has(token.text)) return [];
    if (token.text === 'FROM' && isOfCall(tokens, around[at] ?? -1)) return [];
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
function isOfCall(tokens: readonly Token[], open: number): boolean {
  return open >= 0 && isName(tokens[open - 1]) && !isWord(tokens[open + 1], 'SELECT');
}

/** Parentheses of a statement by the indexes of tokens; -1 where there is none. */
export interface Parentheses {
  /** Of one that opens: the one that closes it. */
  readonly closings: Int32Array;
  /** Of any token: the one that is open there. */
  readonly around: Int32Array;
}

/** Finds the parentheses of a statement. */
export function parenthesesIn(tokens: readonly Token[]): Parentheses {
  const closings = new Int32Array(tokens.length).fill(-1);
  const around = new Int32Array(tokens.length);
  const open: number[] = [];
  for (const [at, token] of tokens.entries()) {
    around[at] = open.at(-1) ?? -1;
    if (isSign(token, '(')) open.push(at);
    else if (isSign(token, ')')) {
      const opening = open.pop();
      if (opening !== undefined) closings[opening] = at;
    }
  }
  return { closings, around };
}

function callAt(
  tokens: readonly Token[],
  closings: Int32Array,
  token: Token,
  at: number,
): Call | undefined {
  const next = tokens[at + 1];
  if (!isName(token) || !isSign(next, '(')) return undefined;
  const path = pathTo(tokens, at);
  const isQualified = isSign(tokens[at - 1], '.');
  const bare = token.sort === 'word' && !isQualified;
  if (bare && isReserved(token.text)) return undefined;
  if (isQuestion(tokens, at)) return undefined;
  // INSERT INTO t (a, b).
  const before = tokens[at - 2 * path.length + 1];
  if (isWord(before, 'INTO') || namesColumns(tokens, closings[at + 1] ?? -1)) return undefined;
  const alias = !isQualified && (isWord(before, 'AS') || isSign(before, ')'));
  return { name: token.raw, path, bare: bare && next?.start === token.end, alias };
}

/** `LAST_INSERT_ID()` says, `LAST_INSERT_ID(x)` sets. */
function isQuestion(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  return isWord(token, 'LAST_INSERT_ID') && isSign(tokens[at + 2], ')');
}

/** The names up to there with points between them; `.f` has an empty one ahead. */
function pathTo(tokens: readonly Token[], at: number): string[] {
  const path: string[] = [];
  for (let name = at; ; name -= 2) {
    const token = tokens[name];
    path.push(isName(token) ? token.raw : '');
    if (!isName(token) || !isSign(tokens[name - 1], '.')) return path.reverse();
  }
}

/** `WITH n (a, b) AS (…)`: no call has `AS (` behind it. */
function namesColumns(tokens: readonly Token[], closing: number): boolean {
  return closing >= 0 && isWord(tokens[closing + 1], 'AS') && isSign(tokens[closing + 2], '(');
}

function isName(token: Token | undefined): token is Token {
  return token?.sort === 'word' || token?.sort === 'name';
}

/** Whether a token is that unquoted word, in upper case. */
export function isWord(token: Token | undefined, word: string): boolean {
  return token?.sort === 'word' && token.text === word;
}

/** Whether a token is that sign. */
export function isSign(token: Token | undefined, sign: string): boolean {
  return token?.sort === 'sign' && token.text === sign;
}
