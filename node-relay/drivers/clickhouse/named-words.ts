/** Words of ClickHouse's grammar around the names of tables, and where they are names themselves. */
import type { Token } from './lexer.ts';
import { isMark, isName, isWord } from './marks.ts';

/** Statements that are read; of others nothing is known. */
export const QUERIES = new Set(['SELECT', 'WITH', 'FROM', 'EXPLAIN']);
/** They take one table, with these words ahead of it. */
export const OF_ONE_TABLE: { readonly [kind: string]: readonly string[] } = {
  INSERT: ['INTO', 'TABLE'],
  DESCRIBE: ['TABLE'],
  DESC: ['TABLE'],
  EXISTS: ['TABLE'],
  TRUNCATE: ['TABLE', 'IF', 'EXISTS'],
  DROP: ['TABLE', 'IF', 'EXISTS'],
  OPTIMIZE: ['TABLE'],
};
/** Without TABLE they are of something else. */
export const NEED_TABLE = new Set(['TRUNCATE', 'DROP', 'OPTIMIZE']);
/** Behind EXISTS and its table; of any other word EXISTS is of something else, such as a view. */
export const AFTER_EXISTS = new Set(['FORMAT', 'INTO', 'SETTINGS']);
/** Table functions that name nothing and run no text. */
export const PLAIN_TABLES = new Set(
  'numbers numbers_mt zeros zeros_mt generate_series generateseries primes values null view'.split(
    ' ',
  ),
);
export const ENDS_TABLES = new Set(
  'EXCEPT FORMAT GROUP HAVING INTERSECT LIMIT OFFSET ORDER PREWHERE QUALIFY SETTINGS UNION WHERE WINDOW'.split(
    ' ',
  ),
);
/** A value comes behind them. */
const OPERATORS = new Set(
  'ON USING AND OR NOT XOR IN LIKE ILIKE REGEXP BETWEEN IS AS CASE WHEN THEN ELSE DIV MOD INTERVAL ESCAPE'.split(
    ' ',
  ),
);
/** A value is ahead of them, so that what stands there is no clause. */
const BEHIND_VALUES = new Set('AND OR XOR IN LIKE ILIKE REGEXP BETWEEN IS AS DIV MOD'.split(' '));

/** Behind a point every word is a name: `t.where`. */
export function memberOf(token: Token, before: Token | undefined): Token {
  return token.kind === 'word' && isMark(before, '.') ? { ...token, kind: 'quoted' } : token;
}

/** Whether the token at a place is a value for what is ahead of it, and begins no clause. */
export function isValue(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (isMark(before, '*')) return !isStar(tokens, at - 1);
  if (before?.kind === 'mark') return !')]}'.includes(before.text);
  return isOperator(before);
}

/** All columns, and no product. */
function isStar(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  const isFirst = ['SELECT', 'DISTINCT'].some((word) => isWord(before, word));
  return isFirst || ['(', ',', '.'].some((mark) => isMark(before, mark));
}

/** Whether what stands there goes on as a value does: as the column `limit` of `limit, t`. */
export function goesOn(next: Token | undefined): boolean {
  if (next?.kind === 'mark') return ',=<>!).:/%?]|'.includes(next.text);
  return next?.kind === 'word' && BEHIND_VALUES.has(next.text.toUpperCase());
}

const BEHIND_TABLES = new Set(['ON', 'USING', 'FINAL', 'SAMPLE']);

/** Whether what stands ahead of it may be a table's alias: no list of columns begins so. */
export function endsTable(next: Token | undefined): boolean {
  if (next === undefined || isMark(next, '(') || goesOn(next)) return true;
  return next.kind === 'word' && BEHIND_TABLES.has(next.text.toUpperCase());
}

const BETWEEN_QUERIES = ['UNION', 'ALL', 'DISTINCT', 'EXCEPT', 'INTERSECT'];

/** A word that another query comes behind. */
export function isBetweenQueries(token: Token | undefined): boolean {
  return BETWEEN_QUERIES.some((word) => isWord(token, word));
}

/** A word that a value comes behind. */
export function isOperator(token: Token | undefined): boolean {
  return token?.kind === 'word' && OPERATORS.has(token.text.toUpperCase());
}

/** ARRAY JOIN, whose members are arrays; not a column or an alias `array` ahead of a JOIN. */
export function isArrayJoin(tokens: readonly Token[], at: number): boolean {
  if (!isWord(tokens[at - 1], 'ARRAY')) return false;
  const isSide = ['LEFT', 'INNER'].some((word) => isWord(tokens[at - 2], word));
  return !isValue(tokens, isSide ? at - 2 : at - 1);
}

/** `INSERT INTO t (a, b)`: what follows is no call. */
export function isInsertTarget(tokens: readonly Token[], at: number): boolean {
  return (
    isWord(tokens[0], 'INSERT') &&
    tokens.slice(1, at).every((each) => isWord(each, 'INTO') || isWord(each, 'TABLE'))
  );
}

/** `{name:Identifier}` stands for a name. */
export function isIdentifier(tokens: readonly Token[], at: number): boolean {
  const [, , colon, type] = tokens.slice(at, at + 4);
  return isMark(colon, ':') && isName(type) && /identifier/i.test(type.text);
}
