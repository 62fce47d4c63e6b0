/** Statements with placeholders: each becomes a bound parameter, never text. Contract §8. */
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  numberText,
} from '../../../proto/json.ts';
import { type Span, type StatementKind, spansOf } from './literals.ts';
import { type Part, type Placeholder, textOf } from './placeholder.ts';

/** A value for each placeholder. */
export type Values = (placeholder: Placeholder) => Json;

/** A statement and its parameters, as a request has them. */
export interface Bound {
  readonly text: string;
  readonly params: readonly Json[] | JsonObject | undefined;
}

/** A piece of a statement: as it is written, a `?` of its author's, or a placeholder. */
type Piece =
  | { readonly sort: 'text'; readonly text: string }
  | { readonly sort: 'own' }
  | { readonly sort: 'placeholder'; readonly placeholder: Placeholder; readonly quoted: boolean };

/** A statement that was read. */
export interface Statement {
  bind(values: Values, params: Json | undefined): Bound;
}

/** What stands for a placeholder where literals are looked for: neither quote nor operator. */
const STAND_IN = 'x';

/** Names of parameters that are ours. */
const OWN = 'placeholder_';

/** Reads a statement; a text is what an author has to mend. */
export function readStatement(kind: StatementKind, parts: readonly Part[]): Statement | string {
  const pieces = piecesOf(kind, parts);
  if (typeof pieces === 'string') return pieces;
  return {
    bind(values, params) {
      if (kind === 'clickhouse') return bindTyped(pieces, values, params);
      if (isJsonObject(params)) return bindNamed(pieces, values, params);
      const given = Array.isArray(params) ? params : [];
      return kind === 'postgres'
        ? bindNumbered(pieces, values, given)
        : bindInOrder(pieces, values, given);
    },
  };
}

function piecesOf(kind: StatementKind, parts: readonly Part[]): readonly Piece[] | string {
  const flat = parts.map((each) => (typeof each === 'string' ? each : STAND_IN)).join('');
  const spans = spansOf(kind, flat);
  const pieces: Piece[] = [];
  let at = 0;
  let cut = 0;
  for (const part of parts) {
    if (typeof part === 'string') {
      pieces.push(...textPieces(part, at + cut, spans, cut));
      at += part.length;
      cut = 0;
      continue;
    }
    const around = spans.find(({ start, end }) => start <= at && at < end);
    const quoted = around?.sort === 'text' && around.end - around.start === STAND_IN.length + 2;
    if (around && !quoted) return insideOf(around, part);
    if (quoted) {
      dropQuote(pieces);
      cut = 1;
    }
    pieces.push({ sort: 'placeholder', placeholder: part, quoted });
    at += STAND_IN.length;
  }
  return pieces;
}

function insideOf({ sort }: Span, { name }: Placeholder): string {
  const where = { text: 'a text', name: 'a quoted name', comment: 'a comment', parameter: '' }[
    sort
  ];
  return `has {{${name}}} inside ${where}, where nothing can be bound: let it stand for the whole value`;
}

/** `'{{name}}'` is the value itself: the quote before it goes. */
function dropQuote(pieces: Piece[]): void {
  const last = pieces.pop();
  if (last?.sort === 'text' && last.text.length > 1) {
    pieces.push({ sort: 'text', text: last.text.slice(0, -1) });
  }
}

/** A stretch as it is written, from `at` in the whole, parted at each `?` that is a parameter. */
function textPieces(part: string, at: number, spans: readonly Span[], cut: number): Piece[] {
  const pieces: Piece[] = [];
  const first = at - cut;
  let from = cut;
  for (const { sort, start } of spans) {
    const place = start - first;
    if (sort !== 'parameter' || place < from || place >= part.length) continue;
    pieces.push({ sort: 'text', text: part.slice(from, place) }, { sort: 'own' });
    from = place + 1;
  }
  pieces.push({ sort: 'text', text: part.slice(from) });
  return pieces;
}

function boundValue(piece: Piece & { sort: 'placeholder' }, values: Values): Json {
  const value = values(piece.placeholder);
  return piece.quoted && value !== null ? textOf(value) : value;
}

/** PostgreSQL's `$1`, behind those of the author's own. */
function bindNumbered(pieces: readonly Piece[], values: Values, given: readonly Json[]): Bound {
  const params = [...given];
  let text = '';
  for (const piece of pieces) {
    if (piece.sort === 'text') text += piece.text;
    else if (piece.sort === 'own') text += '?';
    else {
      params.push(boundValue(piece, values));
      text += `$${params.length}`;
    }
  }
  return { text, params };
}

/** `?` in the order in which they stand, the author's own among them. */
function bindInOrder(pieces: readonly Piece[], values: Values, given: readonly Json[]): Bound {
  const left = [...given];
  const params: Json[] = [];
  let text = '';
  for (const piece of pieces) {
    text += piece.sort === 'text' ? piece.text : '?';
    if (piece.sort === 'placeholder') params.push(boundValue(piece, values));
    else if (piece.sort === 'own' && left.length > 0) params.push(left.shift() ?? null);
  }
  // One too many is the backend's to refuse, with the number that it expected.
  return { text, params: [...params, ...left] };
}

/** `:name`, where the author's own are named. */
function bindNamed(pieces: readonly Piece[], values: Values, given: JsonObject): Bound {
  const params = new Map(Object.entries(given));
  let text = '';
  for (const piece of pieces) {
    if (piece.sort === 'text') text += piece.text;
    else if (piece.sort === 'own') text += '?';
    else {
      const name = freeName(params);
      params.set(name, boundValue(piece, values));
      text += `:${name}`;
    }
  }
  return { text, params: Object.fromEntries(params) };
}

/** ClickHouse's `{name:Type}`, the type by the value. */
function bindTyped(pieces: readonly Piece[], values: Values, given: Json | undefined): Bound {
  const params = new Map(Object.entries(isJsonObject(given) ? given : {}));
  let text = '';
  for (const piece of pieces) {
    if (piece.sort === 'text') text += piece.text;
    else if (piece.sort === 'own') text += '?';
    else {
      const value = boundValue(piece, values);
      const name = freeName(params);
      params.set(name, isJsonObject(value) ? JSON.stringify(value) : value);
      text += `{${name}:${clickhouseType(value)}}`;
    }
  }
  return { text, params: Object.fromEntries(params) };
}

function freeName(params: ReadonlyMap<string, Json>): string {
  for (let at = params.size; ; at += 1) {
    const name = `${OWN}${at}`;
    if (!params.has(name)) return name;
  }
}

/** Out of a fixed list of types: nothing of a value gets into the statement. */
function clickhouseType(value: Json): string {
  if (value === null) return 'Nullable(String)';
  if (typeof value === 'boolean') return 'Bool';
  if (typeof value === 'number' || isRawJson(value)) return numberType(numberText(value));
  if (!Array.isArray(value)) return 'String';
  const types = new Set(value.filter((each) => each !== null).map(clickhouseType));
  const [only = 'String'] = types.size === 1 ? types : [];
  return value.includes(null) ? `Array(Nullable(${only}))` : `Array(${only})`;
}

function numberType(text: string): string {
  if (!/^-?\d+$/.test(text)) {
    const digits = text.replace(/\D/g, '').length;
    return digits <= 15 || /e/i.test(text) ? 'Float64' : `Decimal(76, ${fraction(text)})`;
  }
  const value = BigInt(text);
  if (BigInt.asIntN(64, value) === value) return 'Int64';
  return BigInt.asUintN(64, value) === value ? 'UInt64' : 'Int256';
}

function fraction(text: string): number {
  return Math.min(text.split('.')[1]?.length ?? 0, 76);
}
