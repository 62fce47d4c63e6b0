/**
 * Finds what is no code in a statement: texts, quoted names, comments; and words and parameters.
 * It tells an author where a placeholder cannot be bound, and finds their own parameters: their
 * number is compared with their values. No value ever becomes part of a statement's text.
 */
import { DollarQuotes } from '../../../kinds/dollar-quotes.ts';
import type { Kind } from '../../../kinds/index.ts';

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

/** Something that has an opener, and an end that may not come. */
interface Enclosed {
  readonly open: RegExp;
  readonly whole: RegExp;
}

function enclosed(open: RegExp, rest: RegExp): Enclosed {
  return { open, whole: new RegExp(open.source + rest.source, 'y') };
}

/** Comments that a server runs, `/*!`, are code. */
const BLOCK = enclosed(/\/\*/y, /[\s\S]*?\*\//);
const COMMENTS = {
  postgres: [],
  mysql: [enclosed(/\/\*(?!!|[Mm]!)/y, /[\s\S]*?\*\//)],
  cassandra: [BLOCK],
  clickhouse: [BLOCK],
} as const;
const LINE_COMMENTS = {
  postgres: /--[^\n\r]*/y,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: servers take them for space here.
  mysql: /--(?=[\x00-\x20\x7f]|$)[^\n]*|#[^\n]*/y,
  cassandra: /--[^\n\r]*|\/\/[^\n\r]*/y,
  clickhouse: /--[^\n]*|#[! ][^\n]*/y,
} as const;
const PLAIN = enclosed(/'/y, /(?:[^']|'')*'/);
const ESCAPED = enclosed(/'/y, /(?:[^'\\]|''|\\[\s\S])*'/);
const ESCAPED_DOUBLE = enclosed(/"/y, /(?:[^"\\]|""|\\[\s\S])*"/);
const TEXTS = {
  postgres: [enclosed(/[eE]'/y, /(?:[^'\\]|''|\\[\s\S])*'/), PLAIN],
  mysql: [ESCAPED, ESCAPED_DOUBLE],
  cassandra: [PLAIN, enclosed(/\$\$/y, /[\s\S]*?\$\$/)],
  clickhouse: [ESCAPED, enclosed(/\u2018/y, /[^\u2019]*\u2019/)],
} as const;
/** What opens a text in dollars, which ends where the same is again. */
const TAGS = {
  postgres: /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y,
  mysql: undefined,
  cassandra: undefined,
  clickhouse: /\$\w*\$/y,
} as const;
const QUOTED = enclosed(/"/y, /(?:[^"]|"")*"/);
const NAMES = {
  postgres: [QUOTED],
  mysql: [enclosed(/`/y, /(?:[^`]|``)*`/)],
  cassandra: [QUOTED],
  clickhouse: [
    ESCAPED_DOUBLE,
    enclosed(/`/y, /(?:[^`\\]|``|\\[\s\S])*`/),
    enclosed(/\u201c/y, /[^\u201d]*\u201d/),
  ],
} as const;
const PARAMETERS = { postgres: /\$\d+/y, mysql: /\?/y, cassandra: /\?/y, clickhouse: /(?!)/y };
/** A dollar may be within a word where it opens no text of its own. */
const WORDS = {
  postgres: /[\w\u0080-\uffff][\w$\u0080-\uffff]*/y,
  mysql: /[\w$\u0080-\uffff]+/y,
  cassandra: /\w+/y,
  clickhouse: /[\w$]+/y,
} as const;

/** All of them, in order. */
export function spansOf(kind: StatementKind, text: string): readonly Span[] {
  return new LiteralReader(kind, text).spans();
}

/** Reads one text from its beginning to its end. */
class LiteralReader {
  readonly #kind: StatementKind;
  readonly #text: string;
  readonly #dollars: DollarQuotes;
  /** Those whose end does not come any more: it is not looked for again. */
  readonly #endless = new Set<Enclosed>();

  constructor(kind: StatementKind, text: string) {
    this.#kind = kind;
    this.#text = text;
    this.#dollars = new DollarQuotes(text);
  }

  spans(): Span[] {
    const spans: Span[] = [];
    for (let at = 0; at < this.#text.length; ) {
      const span = this.#spanAt(at);
      if (span) spans.push(span);
      at = span?.end ?? at + 1;
    }
    return spans;
  }

  #spanAt(start: number): Span | undefined {
    const kind = this.#kind;
    const found = (sort: Span['sort'], end: number | undefined) =>
      end === undefined ? undefined : { sort, start, end };
    return (
      found('comment', kind === 'postgres' ? nestedEnd(this.#text, start) : undefined) ??
      found('comment', endOf(LINE_COMMENTS[kind], this.#text, start)) ??
      found('comment', this.#firstEnd(COMMENTS[kind], start)) ??
      found('text', this.#firstEnd(TEXTS[kind], start) ?? this.#dollarsEnd(start)) ??
      found('name', this.#firstEnd(NAMES[kind], start)) ??
      found('parameter', endOf(PARAMETERS[kind], this.#text, start)) ??
      found('word', endOf(WORDS[kind], this.#text, start))
    );
  }

  #firstEnd(forms: readonly Enclosed[], start: number): number | undefined {
    for (const form of forms) {
      if (this.#endless.has(form) || endOf(form.open, this.#text, start) === undefined) continue;
      const end = endOf(form.whole, this.#text, start);
      if (end !== undefined) return end;
      this.#endless.add(form);
    }
    return undefined;
  }

  #dollarsEnd(start: number): number | undefined {
    const form = TAGS[this.#kind];
    const behind = form && endOf(form, this.#text, start);
    if (behind === undefined) return undefined;
    const tag = this.#text.slice(start, behind);
    const close = this.#dollars.next(tag, behind);
    return close < 0 ? undefined : close + tag.length;
  }
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

function endOf(form: RegExp, text: string, start: number): number | undefined {
  form.lastIndex = start;
  return form.test(text) ? form.lastIndex : undefined;
}
