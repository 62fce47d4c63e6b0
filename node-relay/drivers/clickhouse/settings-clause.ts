/** Finds what the SETTINGS clauses of a statement set, wherever they are. */
import type { Token } from './lexer.ts';
import { isMark, isName, isWord } from './marks.ts';

/** What ends a SETTINGS clause without a parenthesis. */
const AFTER_SETTINGS = /^(?:union|except|intersect|format|into|parallel)$/i;

/** Tokens that clauses in a row are gone through for together, for each token of the statement. */
const LOOKS_PER_TOKEN = 16;

/** `SETTINGS name = value, name, …`; values are literals, and of a switch none is needed. */
export function setsOf(tokens: readonly Token[]): string[] {
  const found = new Set<string>();
  let left = LOOKS_PER_TOKEN * tokens.length;
  for (const [at, token] of tokens.entries()) {
    if (!isWord(token, 'SETTINGS') || !beginsSetting(tokens, at + 1)) continue;
    left -= addNames(found, tokens, at + 1);
    // Deeply nested clauses are not written by hand: assume that any name may be set.
    if (left < 0) return tokens.filter(isName).map(({ text }) => text);
  }
  return [...found];
}

/** Told from a column that is named settings. */
function beginsSetting(tokens: readonly Token[], at: number): boolean {
  const [name, after] = [tokens[at], tokens[at + 1]];
  if (!isName(name) || /^(?:asc|desc|end)$/i.test(name.text)) return false;
  const marks = ['=', ',', ')', '.'];
  const ends = after?.kind === 'word' && AFTER_SETTINGS.test(after.text);
  return after === undefined || ends || marks.some((mark) => isMark(after, mark));
}

/** Adds names that are first, and after commas; every part of one with dots. Answers how many tokens it took. */
function addNames(found: Set<string>, tokens: readonly Token[], start: number): number {
  let depth = 0;
  let isNext = true;
  let at = start;
  for (; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    depth += nesting(token);
    const isOver = token.kind === 'word' && AFTER_SETTINGS.test(token.text);
    if (depth < 0 || (depth === 0 && isOver)) break;
    if (isNext || (depth === 0 && isMark(token, '.'))) found.add(token.text);
    isNext = depth === 0 && isMark(token, ',');
  }
  return at - start;
}

function nesting(token: Token): number {
  if (token.kind !== 'mark') return 0;
  return '([{'.includes(token.text) ? 1 : ')]}'.includes(token.text) ? -1 : 0;
}
