/** Knows the functions that run a text as SQL, and when the text is one that runs nothing. */
import { isAggregate, isHarmless } from './functions/index.ts';
import { type Token, tokensOf } from './lexer.ts';
import { isMark, isName } from './marks.ts';

/** Whether the function that is called at a place runs a text that is not known, or that holds an expression. */
export function runsText(tokens: readonly Token[], at: number): boolean {
  const takesNothing = CHECKS[tokens[at]?.text.toLowerCase() ?? ''];
  return takesNothing !== undefined && !takesNothing(tokens, at + 2);
}

type Check = (tokens: readonly Token[], first: number) => boolean;

/** Each says whether the arguments from a place on are known to run nothing. Found by the proof `clickhouse-functions`. */
const CHECKS: { readonly [name: string]: Check | undefined } = {
  // `arrayReduce('groupArray(file(…))', …)` runs what is in the parentheses.
  arrayreduce: hasPlainAggregate,
  arrayreduceinranges: hasPlainAggregate,
  initializeaggregation: hasPlainAggregate,
  // Columns of `'a String DEFAULT file(…)'` run their defaults.
  values: hasPlainRows,
  sqlstandardvalues: hasPlainRows,
  generaterandom: hasPlainStructure,
  null: hasPlainStructure,
  fuzzjson: () => true,
  format: hasPattern,
};

/** The text of an argument that is one string and nothing else. */
function aloneAt(tokens: readonly Token[], at: number): string | undefined {
  const [token, after] = [tokens[at], tokens[at + 1]];
  if (token?.kind !== 'string' || token.older !== undefined) return undefined;
  return isMark(after, ',') || isMark(after, ')') ? token.text : undefined;
}

function hasPlainAggregate(tokens: readonly Token[], first: number): boolean {
  const text = aloneAt(tokens, first);
  const name = /^(\w+)(?:\s*\([\d\s.,eE+-]*\))?$/.exec(text?.trim() ?? '')?.[1];
  return name !== undefined && isAggregate(name);
}

/** Rows, or columns before them in a string; `(('a'), …)` is the string. */
function hasPlainRows(tokens: readonly Token[], first: number): boolean {
  let at = first;
  while (isMark(tokens[at], '(')) at += 1;
  const token = tokens[at];
  if (token?.kind === 'string') return isPlainStructure(aloneAt(tokens, at));
  const isLiteral = token?.kind === 'word' && /^(?:null|true|false)$/i.test(token.text);
  return token?.kind === 'number' || isLiteral || isMark(token, '[') || isMark(token, '-');
}

function hasPlainStructure(tokens: readonly Token[], first: number): boolean {
  const token = tokens[first];
  if (token?.kind === 'number' || isMark(token, ')')) return true;
  return isPlainStructure(aloneAt(tokens, first));
}

/** Words that bring an expression into a list of columns, or more than columns. */
const MORE_THAN_COLUMNS =
  /^(?:alias|as|assume|check|codec|collate|comment|constraint|default|ephemeral|generated|index|materialized|primary|projection|select|settings|statistics|ttl)$/i;

/** Names and types of columns. */
function isPlainStructure(text: string | undefined): boolean {
  const tokens = text === undefined ? undefined : tokensOf(text);
  if (tokens === undefined || 'unreadable' in tokens) return false;
  return tokens.every((token, at) => {
    if (!isName(token)) return true;
    if (token.kind === 'word' && MORE_THAN_COLUMNS.test(token.text)) return false;
    return !isMark(tokens[at + 1], '(') || isHarmless(token.text);
  });
}

/**
 * The function `format` has a pattern. The table function of the same name, whose texts the server
 * runs (`Values`) or takes columns from, has the name of a format there; readonly = 1 refuses it.
 */
function hasPattern(tokens: readonly Token[], first: number): boolean {
  return /\W/.test(aloneAt(tokens, first) ?? '');
}
