/** A statement apart: its text, its author's own parameters, and placeholders. */
import { type Span, type StatementKind, spansOf } from './literals.ts';
import type { Placeholder, TextPart } from './placeholder.ts';
import { tablePlaces } from './table-places.ts';

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
const TYPE_WORD = /\b(?:date|time|timestamp|timestamptz|datetime|interval|uuid|n|b|x|u&)$/i;
const TYPE_WORD_MAX = 16;

/** The pieces; a text is what an author has to mend. */
export function piecesOf(
  kind: StatementKind,
  parts: readonly TextPart[],
): readonly Piece[] | string {
  const flat = parts.map((each) => (typeof each === 'string' ? each : STAND_IN)).join('');
  const spans = spansOf(kind, flat);
  const cutter = new Cutter(flat, spans);
  const tables = tablePlaces(flat, spans);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') {
      at += part.length;
      continue;
    }
    const around = cutter.around(at);
    const quoted = isQuoted(flat, around, at);
    const ahead = quoted ? at - 1 : at;
    const unbound = quoted ? faultOfQuoted(flat, ahead, part) : faultOf(around, part);
    const fault = unbound ?? faultOfTable(tables.has(wordEnd(flat, ahead)), part);
    if (fault !== undefined) return fault;
    cutter.upTo(ahead);
    at += STAND_IN.length;
    cutter.put({ sort: 'placeholder', placeholder: part, quoted }, quoted ? at + 1 : at);
  }
  cutter.upTo(flat.length);
  return cutter.pieces;
}

/** Goes through a statement once, from its beginning to its end. */
class Cutter {
  readonly pieces: Piece[] = [];
  readonly #flat: string;
  readonly #spans: readonly Span[];
  /** Up to where the text is taken. */
  #from = 0;
  /** The first span that was not passed by what was cut, and by what was looked for. */
  #cut = 0;
  #looked = 0;

  constructor(flat: string, spans: readonly Span[]) {
    this.#flat = flat;
    this.#spans = spans;
  }

  /** The span that holds a place; places only go up. */
  around(at: number): Span | undefined {
    while ((this.#spans[this.#looked]?.end ?? Number.POSITIVE_INFINITY) <= at) this.#looked += 1;
    const span = this.#spans[this.#looked];
    return span !== undefined && span.start <= at ? span : undefined;
  }

  /** Adds the text up to a place, parted at its author's own parameters. */
  upTo(end: number): void {
    const { pieces } = this;
    for (; ; this.#cut += 1) {
      const span = this.#spans[this.#cut];
      if (span === undefined || span.end > end) break;
      if (span.sort !== 'parameter' || span.start < this.#from) continue;
      pieces.push({ sort: 'text', text: this.#flat.slice(this.#from, span.start) });
      pieces.push({ sort: 'own', text: this.#flat.slice(span.start, span.end) });
      this.#from = span.end;
    }
    pieces.push({ sort: 'text', text: this.#flat.slice(this.#from, end) });
  }

  /** Puts a placeholder in; the text goes on behind it. */
  put(piece: PlaceholderPiece, from: number): void {
    this.pieces.push(piece);
    this.#from = from;
  }
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

function faultOfTable(isTable: boolean, { name }: Placeholder): string | undefined {
  if (!isTable) return undefined;
  return `has {{${name}}} where the name of a table stands, which cannot be a placeholder: only values can be filled in`;
}

/** Where the last word ahead of a place ends, or whatever is there. */
function wordEnd(flat: string, at: number): number {
  let end = at;
  while (end > 0 && /\s/.test(flat.charAt(end - 1))) end -= 1;
  return end;
}

/** Whether what is ahead of a place makes a text there a literal of a type. */
function isOfType(flat: string, end: number): boolean {
  if (/[\w$&]/.test(flat.charAt(end - 1))) return true;
  const behind = wordEnd(flat, end);
  return TYPE_WORD.test(flat.slice(Math.max(0, behind - TYPE_WORD_MAX), behind));
}

const PLACES = {
  text: 'a text',
  name: 'a quoted name',
  comment: 'a comment',
  parameter: 'a parameter',
};

function faultOfQuoted(flat: string, end: number, { name }: Placeholder): string | undefined {
  if (!isOfType(flat, end)) return undefined;
  return `has '{{${name}}}' as a literal of a type, which no parameter can be: write CAST({{${name}}} AS …)`;
}
