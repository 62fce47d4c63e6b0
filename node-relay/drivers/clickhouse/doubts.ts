/** Finds what a statement may run beyond computing: functions by any notation, and strings that the server runs. */
import { runsText } from './code-texts.ts';
import { fileTables } from './file-tables.ts';
import { HIGHER_ORDER, isHarmless, REFUSED, WORDS_BEFORE_PARENTHESES } from './functions/index.ts';
import type { Token } from './lexer.ts';
import { isMark, isName, isWord, readingsOf } from './marks.ts';

/** A function that is not known to compute only, as the statement writes it. */
export interface Doubt {
  readonly name: string;
  /** What the caller is told about it. */
  readonly why: string;
}

const UNKNOWN = 'it may change something or leave the server';
const NAMED =
  'a bare name can be a function; write a column of that name behind its table, as in t.name';
const FILE = 'a table of that name may be a file';
const TEXT =
  'it is taken with that argument written out, without expressions: the server runs what it holds';

/**
 * All that stands for a function and is not known to be harmless. Our own reading of the tokens
 * decides: of what the server itself could tell beforehand, EXPLAIN QUERY TREE runs scalar
 * subqueries, constant functions and table functions, and EXPLAIN AST knows nothing about texts that
 * are run and applies settings.
 */
export function doubtsOf(tokens: readonly Token[]): Doubt[] {
  const found: Doubt[] = [];
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    // A parameter cannot name a function that is called; should a server come to take it, it is refused here.
    if (isMark(token, '}') && isMark(next, '(')) found.push({ name: '}', why: UNKNOWN });
    if (!isName(token)) continue;
    if (isMark(next, '(')) found.push(...calledAt(tokens, at));
    else found.push(...namedAt(tokens, at));
  }
  return [...found, ...fileTables(tokens).map((name) => ({ name, why: FILE }))];
}

/** Names ahead of a parenthesis; all names where a function can be named without one. */
export function callsOf(tokens: readonly Token[]): string[] {
  const isAny = tokens.some(
    (token, at) =>
      isWord(token, 'APPLY') ||
      (isName(token) && HIGHER_ORDER.has(token.text.toLowerCase()) && isMark(tokens[at + 1], '(')),
  );
  return tokens.flatMap((token, at) =>
    isName(token) && (isAny || isMark(tokens[at + 1], '(')) ? readingsOf(token) : [],
  );
}

function calledAt(tokens: readonly Token[], at: number): Doubt[] {
  const token = tokens[at];
  if (token === undefined) return [];
  if (token.kind === 'word' && WORDS_BEFORE_PARENTHESES.has(token.text.toLowerCase())) {
    return runsText(tokens, at) ? [{ name: token.text, why: TEXT }] : [];
  }
  for (const name of readingsOf(token)) {
    if (!isHarmless(name)) return [{ name, why: UNKNOWN }];
  }
  if (runsText(tokens, at)) return [{ name: token.text, why: TEXT }];
  const passed = HIGHER_ORDER.has(token.text.toLowerCase()) ? passedAt(tokens, at + 2) : undefined;
  return passed === undefined ? [] : [passed];
}

/** A name without a parenthesis after it. */
function namedAt(tokens: readonly Token[], at: number): Doubt[] {
  const [token, before] = [tokens[at], tokens[at - 1]];
  if (token === undefined) return [];
  if (isApplied(tokens, at)) {
    const unknown = readingsOf(token).find((name) => !isHarmless(name));
    if (unknown !== undefined) return [{ name: unknown, why: UNKNOWN }];
  }
  // An alias, and a member of a table or a tuple, are no functions.
  if (isMark(before, '.') || isWord(before, 'AS')) return [];
  const refused = readingsOf(token).find((name) => REFUSED.has(name.toLowerCase()));
  return refused === undefined ? [] : [{ name: refused, why: NAMED }];
}

/** `APPLY name`, `APPLY(name)`; `APPLY(x -> …)` is a lambda. */
function isApplied(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  let before = at - 1;
  while (isMark(tokens[before], '(')) before -= 1;
  if (!isWord(tokens[before], 'APPLY') || isArrow(tokens, at + 1)) return false;
  // After a column that is named apply.
  const isGrammar = token?.kind === 'word' && AFTER_NAMES.has(token.text.toUpperCase());
  return before < at - 1 || !isGrammar;
}

/** What may follow a column without being an alias of it. */
const AFTER_NAMES = new Set(
  'AND AS ASC BETWEEN DESC DIV ELSE END EXCEPT FROM GLOBAL GROUP HAVING ILIKE IN INTERSECT INTO IS LIKE LIMIT MOD NOT NULLS OFFSET OR ORDER QUALIFY SETTINGS THEN UNION WHEN WHERE'.split(
    ' ',
  ),
);

/** The function whose name a higher-order function gets instead of a lambda. */
function passedAt(tokens: readonly Token[], start: number): Doubt | undefined {
  let at = start;
  while (isMark(tokens[at], '(')) at += 1;
  const token = tokens[at];
  if (isMark(token, '{')) return { name: '{', why: UNKNOWN };
  if (!isName(token)) return undefined;
  let after = at + 1;
  for (let open = at - start; open > 0 && isMark(tokens[after], ')'); open -= 1) after += 1;
  const isAlone = isMark(tokens[after], ',') || isName(tokens[after]);
  // `(a, b) -> …` is a lambda.
  if (!isAlone || (after === at + 1 && at > start)) return undefined;
  const unknown = readingsOf(token).find((name) => !isHarmless(name));
  return unknown === undefined ? undefined : { name: unknown, why: UNKNOWN };
}

function isArrow(tokens: readonly Token[], at: number): boolean {
  return isMark(tokens[at], '-') && isMark(tokens[at + 1], '>');
}
