/**
 * Finds what is no code in a statement: texts, quoted names, comments; and words and parameters.
 * It tells an author where a placeholder cannot be bound, and finds his own parameters: their
 * number is compared with his values. No value ever becomes part of a statement's text.
 */
import type { Kind } from '../../../proto/kinds/index.ts';

/** A stretch of a statement. */
export interface Span {
  readonly sort: 'text' | 'name' | 'comment' | 'parameter' | 'word';
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

/** Comments that a server runs, `/*!`, are code. */
const COMMENTS = {
  postgres: /--[^\n\r]*/y,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: servers take them for space here.
  mysql: /--(?=[\x00-\x20\x7f]|$)[^\n]*|#[^\n]*|\/\*(?!!|[Mm]!)[\s\S]*?\*\//y,
  cassandra: /--[^\n\r]*|\/\/[^\n\r]*|\/\*[\s\S]*?\*\//y,
  clickhouse: /--[^\n]*|#[! ][^\n]*|\/\*[\s\S]*?\*\//y,
} as const;
const PLAIN = /'(?:[^']|'')*'/y;
const ESCAPED = /'(?:[^'\\]|''|\\[\s\S])*'/y;
const TEXTS = {
  postgres: [
    /[eE]'(?:[^'\\]|''|\\[\s\S])*'/y,
    PLAIN,
    /\$((?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?)\$[\s\S]*?\$\1\$/y,
  ],
  mysql: [ESCAPED, /"(?:[^"\\]|""|\\[\s\S])*"/y],
  cassandra: [PLAIN, /\$\$[\s\S]*?\$\$/y],
  clickhouse: [ESCAPED, /\u2018[^\u2019]*\u2019/y, /\$(\w*)\$[\s\S]*?\$\1\$/y],
} as const;
const QUOTED = /"(?:[^"]|"")*"/y;
const TICKED = /`(?:[^`]|``)*`/y;
const NAMES = {
  postgres: [QUOTED],
  mysql: [TICKED],
  cassandra: [QUOTED],
  clickhouse: [
    /"(?:[^"\\]|""|\\[\s\S])*"/y,
    /`(?:[^`\\]|``|\\[\s\S])*`/y,
    /\u201c[^\u201d]*\u201d/y,
  ],
} as const;
const PARAMETERS = { postgres: /\$\d+/y, mysql: /\?/y, cassandra: /\?/y, clickhouse: /(?!)/y };
/** A dollar may stand within a word where it opens no text of its own. */
const WORDS = {
  postgres: /[\w\u0080-\uffff][\w$\u0080-\uffff]*/y,
  mysql: /[\w$\u0080-\uffff]+/y,
  cassandra: /\w+/y,
  clickhouse: /[\w$]+/y,
} as const;

/** All of them, in order. */
export function spansOf(kind: StatementKind, text: string): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  while (at < text.length) {
    const span = spanAt(kind, text, at);
    if (span) spans.push(span);
    at = span?.end ?? at + 1;
  }
  return spans;
}

function spanAt(kind: StatementKind, text: string, start: number): Span | undefined {
  const found = (sort: Span['sort'], end: number | undefined) =>
    end === undefined ? undefined : { sort, start, end };
  return (
    found('comment', kind === 'postgres' ? nestedEnd(text, start) : undefined) ??
    found('comment', endAt(COMMENTS[kind], text, start)) ??
    found('text', firstEnd(TEXTS[kind], text, start)) ??
    found('name', firstEnd(NAMES[kind], text, start)) ??
    found('parameter', endAt(PARAMETERS[kind], text, start)) ??
    found('word', endAt(WORDS[kind], text, start))
  );
}

/** Comments of PostgreSQL hold comments. */
function nestedEnd(text: string, start: number): number | undefined {
  if (!text.startsWith('/*', start)) return undefined;
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  let depth = 0;
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}

function firstEnd(forms: readonly RegExp[], text: string, start: number): number | undefined {
  for (const form of forms) {
    const end = endAt(form, text, start);
    if (end !== undefined) return end;
  }
  return undefined;
}

function endAt(form: RegExp, text: string, start: number): number | undefined {
  form.lastIndex = start;
  return form.test(text) ? form.lastIndex : undefined;
}
