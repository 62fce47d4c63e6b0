/** Statements with placeholders: each becomes a bound parameter, never text. Contract §8. */
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { typedValue } from './column-types.ts';
import type { StatementKind } from './literals.ts';
import { type Piece, type PlaceholderPiece, piecesOf } from './pieces.ts';
import { insertedText, isScalar, type TextPart } from './placeholder.ts';
import type { Scope } from './values.ts';

/** A statement and its parameters, as a request has them. */
interface BoundStatement {
  readonly text: string;
  readonly params: Json[] | JsonObject;
}

/** A statement that was read: its text is the same for all values, except for the types in ClickHouse's. */
interface Statement {
  /** @param own the author's own parameters, filled; of the number that was read */
  bind(scope: Scope, own: Json | undefined): BoundStatement;
}

/** What a value becomes as a parameter. */
export type Insert = (scope: Scope, piece: PlaceholderPiece) => Json;

/** Names of parameters that are ours. */
const OWN = 'placeholder_';
/** Such a name in a text; there are never more of them than seven digits count. */
const OWN_NAMES = /placeholder_(\d{1,7})/g;

/**
 * Reads a statement; a text is what an author has to mend.
 * @param params their own parameters as they wrote them: of them only their number or names matter
 */
export function readStatement(
  kind: StatementKind,
  parts: readonly TextPart[],
  params: Json | undefined,
  insert: Insert,
): Statement | string {
  if (parts.length === 1) return WHOLE_STATEMENT;
  if (typeof params === 'string') return WHOLE_PARAMS;
  const pieces = piecesOf(kind, parts);
  if (typeof pieces === 'string') return pieces;
  if (kind === 'clickhouse') {
    return Array.isArray(params) ? NAMED_PARAMS : typed(pieces, namesIn(parts, params), insert);
  }
  const own = pieces.flatMap((piece) => (piece.sort === 'own' ? [piece.text] : []));
  if (isJsonObject(params)) {
    if (kind === 'postgres') return LISTED_PARAMS;
    if (own.length > 0) return 'has ? where params has names: write :name';
    return namedParameters(pieces, namesIn(parts, params), insert);
  }
  const given = Array.isArray(params) ? params.length : 0;
  return kind === 'postgres'
    ? numbered(pieces, own, given, insert)
    : inOrder(pieces, own, given, insert);
}

const WHOLE_STATEMENT =
  'is one placeholder, and so the statement its caller chooses: write the statement';
const WHOLE_PARAMS =
  'has a placeholder, and params is one as a whole: write the parameters one by one';
const NAMED_PARAMS = 'has a placeholder, and params is a list: name them, as {name:Type}';
const LISTED_PARAMS = 'has a placeholder, and params is no list: PostgreSQL has $1, $2, … only';

/** PostgreSQL's `$1`, behind those of the author's own. */
function numbered(
  pieces: readonly Piece[],
  own: readonly string[],
  given: number,
  insert: Insert,
): Statement | string {
  const beyond = own.find((each) => Number(each.slice(1)) > given);
  if (beyond !== undefined) return `has ${beyond}, and params has ${valuesOf(given)}`;
  const placeholders = placeholdersIn(pieces);
  let count = given;
  const text = textWith(pieces, () => {
    count += 1;
    return `$${count}`;
  });
  return {
    bind: (scope, params) => ({
      text,
      params: [...listOf(params), ...placeholders.map((each) => insert(scope, each))],
    }),
  };
}

/** `?` in the order in which they are, the author's own among them. */
function inOrder(
  pieces: readonly Piece[],
  own: readonly string[],
  given: number,
  insert: Insert,
): Statement | string {
  if (own.length !== given) {
    return `has ${own.length} ? of its own, and params has ${valuesOf(given)}`;
  }
  const text = textWith(pieces, () => '?');
  const order = pieces.filter((piece) => piece.sort !== 'text');
  return {
    bind(scope, params) {
      const left = listOf(params).values();
      const values = order.map((piece) =>
        piece.sort === 'own' ? (left.next().value ?? null) : insert(scope, piece),
      );
      return { text, params: values };
    },
  };
}

function valuesOf(count: number): string {
  return count === 1 ? '1 value' : `${count} values`;
}

/** `:name`, where the author's own are named. */
function namedParameters(pieces: readonly Piece[], free: () => string, insert: Insert): Statement {
  const placeholders = placeholdersIn(pieces).map((piece) => ({ piece, name: free() }));
  const names = placeholders.values();
  const text = textWith(pieces, () => `:${names.next().value?.name}`);
  return {
    bind(scope, params) {
      const all = new Map(Object.entries(objectOf(params)));
      for (const { piece, name } of placeholders) all.set(name, insert(scope, piece));
      return { text, params: Object.fromEntries(all) };
    },
  };
}

/** ClickHouse's `{name:Type}`, the type by the value. */
function typed(pieces: readonly Piece[], free: () => string, insert: Insert): Statement {
  const placeholders = placeholdersIn(pieces).map((piece) => ({ piece, name: free() }));
  return {
    bind(scope, params) {
      const all = new Map(Object.entries(objectOf(params)));
      const bound = placeholders.map(({ piece, name }) => {
        const { type, value } = typedValue(insert(scope, piece));
        all.set(name, value);
        return `{${name}:${type}}`;
      });
      const types = bound.values();
      const text = textWith(pieces, () => types.next().value ?? '');
      return { text, params: Object.fromEntries(all) };
    },
  };
}

function textWith(pieces: readonly Piece[], stand: () => string): string {
  return pieces.map((piece) => (piece.sort === 'placeholder' ? stand() : piece.text)).join('');
}

function placeholdersIn(pieces: readonly Piece[]): readonly PlaceholderPiece[] {
  return pieces.filter((piece) => piece.sort === 'placeholder');
}

/** Names that neither statement nor parameters have, not even as the beginning of another. */
function namesIn(parts: readonly TextPart[], params: Json | undefined): () => string {
  const used = new Set<string>();
  for (const part of parts) {
    if (typeof part !== 'string') continue;
    for (const [, digits = ''] of part.matchAll(OWN_NAMES)) {
      for (let length = 1; length <= digits.length; length += 1) used.add(digits.slice(0, length));
    }
  }
  let count = -1;
  return () => {
    do count += 1;
    while (used.has(String(count)) || Object.hasOwn(objectOf(params), `${OWN}${count}`));
    return `${OWN}${count}`;
  };
}

function listOf(params: Json | undefined): readonly Json[] {
  return Array.isArray(params) ? params : [];
}

function objectOf(params: Json | undefined): JsonObject {
  return isJsonObject(params) ? params : {};
}

/** `'{{name}}'` is the value; quotes say that a number or boolean is meant as text. */
export function quotedValue(value: Json): Json {
  return value === null || !isScalar(value) ? value : insertedText(value);
}
