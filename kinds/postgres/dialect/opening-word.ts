/** The word that a statement begins with, also of one that the parser cannot read. Source: PostgreSQL's scan.l. */

/** A semicolon before a statement ends none. */
const BLANKS = /[ \t\n\r\f\v;]+/y;
const LINE_COMMENT = /--[^\n\r]*/y;
const COMMENT_ENDS = /\/\*|\*\//g;
const WORD = /[a-z]+/iy;

/** In lower case; empty where it begins with no word, or is a comment without an end. Time grows with the text's length. */
export function openingWord(text: string): string {
  let at = 0;
  for (let before = -1; before < at; ) {
    before = at;
    at = endOf(BLANKS, text, at);
    at = endOf(LINE_COMMENT, text, at);
    if (text.startsWith('/*', at)) at = endOfComment(text, at);
  }
  return text.slice(at, endOf(WORD, text, at)).toLowerCase();
}

/** Where a match that begins there ends; there, if nothing matches. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Comments hold others. */
function endOfComment(text: string, from: number): number {
  COMMENT_ENDS.lastIndex = from;
  for (let depth = 0; ; ) {
    const [found] = COMMENT_ENDS.exec(text) ?? [];
    if (found === undefined) return text.length;
    depth += found === '/*' ? 1 : -1;
    if (depth === 0) return COMMENT_ENDS.lastIndex;
  }
}
