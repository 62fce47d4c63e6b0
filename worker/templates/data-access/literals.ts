/**
 * Finds what is no code in a statement: texts, quoted names, comments. It only tells an author
 * where a placeholder cannot be bound: were it wrong, the database would refuse the statement,
 * since a placeholder becomes a parameter in any case and never text.
 */
import type { Kind } from '../../../proto/kinds/index.ts';

/** A stretch of a statement. */
export interface Span {
  readonly sort: 'text' | 'name' | 'comment' | 'parameter';
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
}

/** Kinds whose statements have parameters. */
export const STATEMENT_KINDS = ['postgres', 'mysql', 'cassandra', 'clickhouse'] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

/** Whether statements of the kind have parameters. */
export function isStatementKind(kind: Kind): kind is StatementKind {
  return (STATEMENT_KINDS as readonly string[]).includes(kind);
}

const COMMENTS = {
  postgres: /--[^\n]*|\/\*[\s\S]*?\*\//y,
  mysql: /--(?=[\s]|$)[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\//y,
  cassandra: /--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  clickhouse: /--[^\n]*|#[!\s][^\n]*|\/\*[\s\S]*?\*\//y,
} as const;
const PLAIN = /'(?:[^']|'')*'/y;
const ESCAPED = /'(?:[^'\\]|''|\\[\s\S])*'/y;
const TEXTS = {
  postgres: [/[eE]'(?:[^'\\]|''|\\[\s\S])*'/y, PLAIN, /\$(\w*)\$[\s\S]*?\$\1\$/y],
  mysql: [ESCAPED, /"(?:[^"\\]|""|\\[\s\S])*"/y],
  cassandra: [PLAIN, /\$\$[\s\S]*?\$\$/y],
  clickhouse: [ESCAPED, /\$(\w*)\$[\s\S]*?\$\1\$/y],
} as const;
const QUOTED = /"(?:[^"]|"")*"/y;
const TICKED = /`(?:[^`]|``)*`/y;
const NAMES = {
  postgres: [QUOTED],
  mysql: [TICKED],
  cassandra: [QUOTED],
  clickhouse: [QUOTED, TICKED],
} as const;

/** All of them, in order, and each `?`. */
export function spansOf(kind: StatementKind, text: string): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  while (at < text.length) {
    const span = spanAt(kind, text, at);
    if (span) spans.push(span);
    at = span?.end ?? afterWord(text, at);
  }
  return spans;
}

function spanAt(kind: StatementKind, text: string, start: number): Span | undefined {
  const comment = endAt(COMMENTS[kind], text, start);
  if (comment !== undefined) return { sort: 'comment', start, end: comment };
  for (const sort of ['text', 'name'] as const) {
    for (const form of sort === 'text' ? TEXTS[kind] : NAMES[kind]) {
      const end = endAt(form, text, start);
      if (end !== undefined) return { sort, start, end };
    }
  }
  return text[start] === '?' ? { sort: 'parameter', start, end: start + 1 } : undefined;
}

/** Behind a word, so that the `e` of a name is not taken for the beginning of a text. */
function afterWord(text: string, at: number): number {
  WORD.lastIndex = at;
  const [word = ''] = WORD.exec(text) ?? [];
  return at + (/^[eE]$/.test(word) && text[at + 1] === "'" ? 1 : Math.max(1, word.length));
}

const WORD = /[\w\u0080-\uffff]+/y;

function endAt(form: RegExp, text: string, start: number): number | undefined {
  form.lastIndex = start;
  return form.test(text) ? form.lastIndex : undefined;
}
