/** Reads CQL as tokens, by the rules of the server's own lexer. Source: Cassandra, src/antlr/Lexer.g. */

/** A token of a statement; comments and spaces are left out. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'literal' | 'mark';
  /** As it is written. */
  readonly text: string;
}

const SPACE = /[ \t\n\r]+/y;
const COMMENT = /(?:--|\/\/)[^\n\r]*/y;
const WORD = /[A-Za-z]\w*/y;
/** UUIDs, blobs, durations and numbers: a word may follow directly. */
const LITERAL =
  /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|0x[\da-f]*|(?:\d+(?:mo|ms|us|\u00b5s|ns|[ywdhms]))+|\d+(?:\.\d*)?(?:e[+-]?\d+)?/iy;
const STRING = /'(?:[^']|'')*'/y;
const QUOTED = /"(?:[^"]|"")*"/y;

/** All tokens of a text; undefined where a quote or comment does not end. */
export function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const space = match(SPACE, text, at) ?? match(COMMENT, text, at);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      if (end < 0) return undefined;
      at = end + 2;
      continue;
    }
    const token = tokenAt(text, at);
    if (token === undefined) return undefined;
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(text: string, at: number): Token | undefined {
  const character = text.charAt(at);
  if (character === "'") return found('string', match(STRING, text, at));
  if (character === '"') return found('quoted', match(QUOTED, text, at));
  if (text.startsWith('$$', at)) {
    const end = text.indexOf('$$', at + 2);
    return found('string', end < 0 ? undefined : text.slice(at, end + 2));
  }
  const literal = match(LITERAL, text, at);
  if (literal !== undefined) return { kind: 'literal', text: literal };
  const word = match(WORD, text, at);
  return word === undefined ? { kind: 'mark', text: character } : { kind: 'word', text: word };
}

function found(kind: Token['kind'], text: string | undefined): Token | undefined {
  return text === undefined ? undefined : { kind, text };
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
