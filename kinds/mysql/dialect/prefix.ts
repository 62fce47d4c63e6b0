/** Finds what runs behind SET STATEMENT … FOR. Source: MariaDB, "SET STATEMENT"; its grammar, `sql_yacc.yy`. */
import { isSign, isWord } from './calls.ts';
import type { Token } from './lexer.ts';

/** A statement's beginning. */
interface Beginning {
  /** Where the first token of what runs is, behind opening parentheses; -1 where there is none. */
  readonly at: number;
  /** Whether settings of its own stand ahead of it. */
  readonly prefixed: boolean;
  /** Why what runs cannot be told. */
  readonly untold: string | undefined;
}

const VERSIONED = 'A statement that begins with a comment for some versions (/*! … */)';
const WORDLESS = 'SET STATEMENT … FOR without the word that a statement begins with';

/** Where what runs begins: behind all prefixes, of which one may stand behind another. */
export function beginningOf(tokens: readonly Token[]): Beginning {
  let at = behindOpening(tokens, 0);
  let prefixed = false;
  while (isWord(tokens[at], 'SET') && isWord(tokens[at + 1], 'STATEMENT')) {
    prefixed = true;
    const end = forIn(tokens, at + 2);
    if (end < 0) return { at, prefixed, untold: 'SET STATEMENT that has no clear FOR' };
    at = behindOpening(tokens, end + 1);
  }
  const sort = tokens[at]?.sort;
  if (sort === 'versioned') return { at, prefixed, untold: VERSIONED };
  return { at, prefixed, untold: prefixed && sort !== 'word' ? WORDLESS : undefined };
}

function behindOpening(tokens: readonly Token[], from: number): number {
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.sort !== 'unclear' && !isSign(token, '(')) return at;
  }
  return -1;
}

/** The FOR that is in no parenthesis, and not that of NEXT VALUE FOR; -1 where servers could find another one. */
function forIn(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.sort === 'versioned' || token?.sort === 'unclear') return -1;
    if (isSign(token, '(')) depth += 1;
    if (isSign(token, ')')) depth -= 1;
    if (depth < 0) return -1;
    if (depth === 0 && isWord(token, 'FOR') && !isOfSequence(tokens, at)) return at;
  }
  return -1;
}

function isOfSequence(tokens: readonly Token[], at: number): boolean {
  const verb = tokens[at - 2];
  return isWord(tokens[at - 1], 'VALUE') && (isWord(verb, 'NEXT') || isWord(verb, 'PREVIOUS'));
}
