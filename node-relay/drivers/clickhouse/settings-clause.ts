/** Finds what the SETTINGS clauses of a statement set, wherever they stand. */
import type { Token } from './lexer.ts';
import { isMark, isName, isWord } from './marks.ts';

/** What ends a SETTINGS clause without a parenthesis. */
const AFTER_SETTINGS = /^(?:union|except|intersect|format|into|parallel)$/i;

/** `SETTINGS name = value, name, …`; values are literals, and of a switch none is needed. */
export function setsOf(tokens: readonly Token[]): string[] {
  const found: string[] = [];
  for (const [at, token] of tokens.entries()) {
    if (isWord(token, 'SETTINGS') && beginsSetting(tokens, at + 1)) {
      found.push(...namesOfSettings(tokens, at + 1));
    }
  }
  return found;
}

/** Told from a column that is named settings. */
function beginsSetting(tokens: readonly Token[], at: number): boolean {
  const [name, after] = [tokens[at], tokens[at + 1]];
  if (!isName(name) || /^(?:asc|desc|end)$/i.test(name.text)) return false;
  const marks = ['=', ',', ')', '.'];
  const ends = after?.kind === 'word' && AFTER_SETTINGS.test(after.text);
  return after === undefined || ends || marks.some((mark) => isMark(after, mark));
}

/** Names that stand first, and after commas; every part of one with dots. */
function namesOfSettings(tokens: readonly Token[], start: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let isNext = true;
  for (const token of tokens.slice(start)) {
    depth += nesting(token);
    const isOver = token.kind === 'word' && AFTER_SETTINGS.test(token.text);
    if (depth < 0 || (depth === 0 && isOver)) break;
    if (isNext || (depth === 0 && isMark(token, '.'))) found.push(token.text);
    isNext = depth === 0 && isMark(token, ',');
  }
  return found;
}

function nesting(token: Token): number {
  if (token.kind !== 'mark') return 0;
  return '([{'.includes(token.text) ? 1 : ')]}'.includes(token.text) ? -1 : 0;
}
