/** What single tokens of ClickHouse's are, and what they may be called by. */
import type { Token } from './lexer.ts';

export function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}

/** An unquoted word, in upper case. */
export function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text.toUpperCase() === text;
}

/** A word or a quoted name. */
export function isName(token: Token | undefined): token is Token {
  return token?.kind === 'word' || token?.kind === 'quoted';
}

/** What servers of any age read in it. */
export function readingsOf({ text, older }: Token): readonly string[] {
  return older === undefined ? [text] : [text, older];
}
