/** A statement apart: its text, its author's own parameters, and placeholders. */
import { type Span, type StatementKind, spansOf } from './literals.ts';
import type { Part, Placeholder } from './placeholder.ts';

/** Where a value goes. */
export interface PlaceholderPiece {
  readonly sort: 'placeholder';
  readonly placeholder: Placeholder;
  /** Whether its author put quotes around it, which are gone. */
  readonly quoted: boolean;
}

/** As it is written, a parameter of its author's, or a placeholder. */
export type Piece =
  | { readonly sort: 'text'; readonly text: string }
  | { readonly sort: 'own'; readonly text: string }
  | PlaceholderPiece;

/** What stands for a placeholder where literals are looked for: a word. */
const STAND_IN = 'x';
/** Words that make the text behind them a literal of a type, which a parameter cannot be. */
const TYPE_WORD =
  /(?:\b(?:date|time|timestamp|timestamptz|datetime|interval|uuid|n|b|x|u&)\s*|[\w$&])$/i;

/** The pieces; a text is what an author has to mend. */
export function piecesOf(kind: StatementKind, parts: readonly Part[]): readonly Piece[] | string {
  const flat = parts.map((each) => (typeof each === 'string' ? each : STAND_IN)).join('');
  const spans = spansOf(kind, flat);
  const pieces: Piece[] = [];
  /** Up to where the text is taken. */
  let from = 0;
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') {
      at += part.length;
      continue;
    }
    const around = spans.find(({ start, end }) => start <= at && at < end);
    const quoted = isQuoted(flat, around, at);
    const fault = quoted ? faultOfQuoted(flat.slice(0, at - 1), part) : faultOf(around, part);
    if (fault !== undefined) return fault;
    pieces.push(...textPieces(flat, spans, from, quoted ? at - 1 : at));
    pieces.push({ sort: 'placeholder', placeholder: part, quoted });
    at += STAND_IN.length;
    from = quoted ? at + 1 : at;
  }
  return [...pieces, ...textPieces(flat, spans, from, flat.length)];
}

/** A stretch of the statement, parted at its author's own parameters. */
function textPieces(flat: string, spans: readonly Span[], start: number, end: number): Piece[] {
  const pieces: Piece[] = [];
  let from = start;
  for (const span of spans) {
    if (span.sort !== 'parameter' || span.start < from || span.end > end) continue;
    pieces.push({ sort: 'text', text: flat.slice(from, span.start) });
    pieces.push({ sort: 'own', text: flat.slice(span.start, span.end) });
    from = span.end;
  }
  return [...pieces, { sort: 'text', text: flat.slice(from, end) }];
}

/** Whether a text is this placeholder and nothing else. */
function isQuoted(flat: string, around: Span | undefined, at: number): boolean {
  return (
    around?.sort === 'text' &&
    around.start === at - 1 &&
    around.end === at + STAND_IN.length + 1 &&
    /['"]/.test(flat.charAt(at - 1))
  );
}

function faultOf(around: Span | undefined, { name }: Placeholder): string | undefined {
  if (around === undefined) return undefined;
  const { sort, start, end } = around;
  if (sort === 'word') {
    if (end - start === STAND_IN.length) return undefined;
    return `has {{${name}}} within a word, where nothing can be bound: only values can be filled in`;
  }
  return `has {{${name}}} inside ${PLACES[sort]}, where nothing can be bound: let it stand for the whole value`;
}

const PLACES = {
  text: 'a text',
  name: 'a quoted name',
  comment: 'a comment',
  parameter: 'a parameter',
};

function faultOfQuoted(before: string, { name }: Placeholder): string | undefined {
  if (!TYPE_WORD.test(before)) return undefined;
  return `has '{{${name}}}' as a literal of a type, which no parameter can be: write CAST({{${name}}} AS …)`;
}
