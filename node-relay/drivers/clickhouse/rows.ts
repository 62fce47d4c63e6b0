/** Turns the server's JSON of one row into the gateway's, by the types of its columns. Texts hold one byte a character. */
import { isUtf8 } from 'node:buffer';
import { latin1 } from './binary.ts';
import { type Cursor, Malformed } from './cursor.ts';
import { takeIntegers } from './integer-runs.ts';
import { rawString, stringAt } from './strings.ts';
import { type TypeTree, typeTree } from './type-tree.ts';

/** How rows are written. */
export interface RowOptions {
  readonly numbersAsStrings: boolean;
  readonly rowFormat: 'object' | 'array';
}

/** A column as the server names it. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** Writes the value at the cursor and moves behind it. */
type Encoder = (cursor: Cursor) => string;

/** Writes the row that begins at the cursor, and moves behind it. */
export type RowWriter = (cursor: Cursor) => string;

const SAFE_DIGITS = 15;
const SPECIALS: { readonly [text: string]: string } = {
  '"nan"': '"NaN"',
  '"-nan"': '"NaN"',
  '"inf"': '"Infinity"',
  '"-inf"': '"-Infinity"',
};
const GEO = /^(?:Point|Ring|LineString|MultiLineString|Polygon|MultiPolygon|Geometry)$/;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|null|true|false)(?=[ ,\]}])/y;
/** Lists within lists; the server's own types stay far below. */
const DEPTH_MAX = 1_000;
const [QUOTE, COMMA, COLON, OPEN, CLOSE] = [0x22, 0x2c, 0x3a, 0x5b, 0x5d];
const [ZERO, NINE] = [0x30, 0x39];

/** A writer for rows of these columns; as objects, the last of several columns of a name wins. */
export function rowWriter(columns: readonly Column[], options: RowOptions): RowWriter {
  const asArray = options.rowFormat === 'array';
  const last = new Map(columns.map(({ name }, index) => [name, index]));
  const parts = columns.map(({ name, type }, index) => ({
    kept: asArray || last.get(name) === index,
    before: asArray ? '' : `${latin1(JSON.stringify(name))}:`,
    encode: encoderOf(typeTree(type), options.numbersAsStrings),
    isLast: index === columns.length - 1,
  }));
  const [open, close] = asArray ? ['[', ']'] : ['{', '}'];
  return (cursor) => {
    let row = open;
    let comma = '';
    cursor.depth = 0;
    demand(cursor, OPEN);
    skipSpace(cursor);
    for (const { kept, before, encode, isLast } of parts) {
      const value = encode(cursor);
      skipSpace(cursor);
      if (!isLast) {
        demand(cursor, COMMA);
        skipSpace(cursor);
      }
      if (!kept) continue;
      row += comma + before + value;
      comma = ',';
    }
    demand(cursor, CLOSE);
    return row + close;
  };
}

function encoderOf(type: TypeTree, numbersAsStrings: boolean): Encoder {
  const of = (part: TypeTree | undefined) =>
    encoderOf(part ?? { name: 'Unknown', parts: [] }, numbersAsStrings);
  switch (type.name) {
    case 'Int64':
    case 'UInt64':
      return numbersAsStrings ? asString : asInteger;
    case 'Int128':
    case 'Int256':
    case 'UInt128':
    case 'UInt256':
      return asString;
    case 'Float32':
    case 'Float64':
    case 'BFloat16':
      return asFloat;
    case 'Array':
    case 'QBit':
      return listEncoder(() => of(type.parts[0]));
    case 'Map':
      return membersEncoder(() => of(type.parts[1]));
    case 'Tuple':
      return tupleEncoder(type.parts, type.parts.map(of));
    default:
      if (type.name.startsWith('Interval')) return numbersAsStrings ? asString : asInteger;
      return GEO.test(type.name) ? geometry : anything;
  }
}

function asString(cursor: Cursor): string {
  const text = scalar(cursor);
  return text.charCodeAt(0) === QUOTE || text === 'null' ? text : `"${text}"`;
}

/** A number when a double holds it, else a string. Contract: "Results never lose a value". */
function asInteger(cursor: Cursor): string {
  const text = scalar(cursor);
  if (text.length <= SAFE_DIGITS || text.charCodeAt(0) === QUOTE) return text;
  return Number.isSafeInteger(Number(text)) ? text : `"${text}"`;
}

function asFloat(cursor: Cursor): string {
  const text = scalar(cursor);
  return SPECIALS[text] ?? text;
}

/** Of a type that only the value reports: numbers stay numbers where a double holds them. */
function anything(cursor: Cursor): string {
  switch (cursor.text.charCodeAt(cursor.at)) {
    case 91:
      return anyList(cursor);
    case 123:
      return anyMembers(cursor);
    case 34:
      return stringAt(cursor);
    default: {
      const text = scalar(cursor);
      return /^-?\d{16,}$/.test(text) && !Number.isSafeInteger(Number(text)) ? `"${text}"` : text;
    }
  }
}

function listEncoder(inner: () => Encoder): Encoder {
  const encode = inner();
  const keeps = KEEP_INTEGERS.has(encode);
  return (cursor) => {
    if (cursor.text[cursor.at] !== '[') return anything(cursor);
    return within(cursor, '[', ']', () => (keeps ? takeIntegers(cursor) : '') + encode(cursor));
  };
}

function membersEncoder(inner: () => Encoder): Encoder {
  const encode = inner();
  return (cursor) => {
    if (cursor.text[cursor.at] !== '{') return anything(cursor);
    return within(cursor, '{', '}', () => memberName(cursor) + encode(cursor));
  };
}

function tupleEncoder(parts: readonly TypeTree[], encoders: readonly Encoder[]): Encoder {
  const byName = new Map(parts.map(({ label = '' }, at) => [label, encoders[at] ?? anything]));
  return (cursor) => {
    const open = cursor.text[cursor.at];
    if (open === '[') {
      let at = -1;
      return within(cursor, '[', ']', () => {
        at += 1;
        return (encoders[at] ?? anything)(cursor);
      });
    }
    if (open !== '{') return anything(cursor);
    return within(cursor, '{', '}', () => {
      const name = memberName(cursor);
      const label: unknown = JSON.parse(Buffer.from(name.slice(0, -1), 'latin1').toString());
      return name + (byName.get(String(label)) ?? anything)(cursor);
    });
  };
}

/** What writes an integer of few digits as it is. */
const KEEP_INTEGERS: ReadonlySet<Encoder> = new Set([asInteger, asFloat, anything]);
const anyList = listEncoder(() => anything);
const anyMembers = membersEncoder(() => anything);
const geometry: Encoder = (cursor) =>
  cursor.text[cursor.at] === '['
    ? within(cursor, '[', ']', () => geometry(cursor))
    : asFloat(cursor);

/** What is between brackets, each part written by `part`. */
function within(cursor: Cursor, open: string, close: string, part: () => string): string {
  const { text } = cursor;
  let written = open;
  cursor.at += 1;
  cursor.depth += 1;
  if (cursor.depth > DEPTH_MAX) throw new Malformed();
  skipSpace(cursor);
  while (text[cursor.at] !== close) {
    if (written.length > 1) {
      demand(cursor, COMMA);
      written += ',';
      skipSpace(cursor);
    }
    written += part();
    skipSpace(cursor);
  }
  cursor.at += 1;
  cursor.depth -= 1;
  return written + close;
}

/** A member's name with its colon. A name that is not UTF-8 has its bytes replaced: JSON has no other. */
function memberName(cursor: Cursor): string {
  const name = rawString(cursor);
  skipSpace(cursor);
  demand(cursor, COLON);
  skipSpace(cursor);
  const readable = cursor.utf8 || isUtf8(Buffer.from(name, 'latin1'));
  return `${readable ? name : latin1(Buffer.from(name, 'latin1').toString())}:`;
}

/** Moves behind a character. @throws Malformed where another is */
function demand(cursor: Cursor, character: number): void {
  if (cursor.text.charCodeAt(cursor.at) !== character) throw new Malformed();
  cursor.at += 1;
}

function scalar(cursor: Cursor): string {
  const { text, at } = cursor;
  const first = text.charCodeAt(at);
  if (first === QUOTE) return stringAt(cursor);
  let end = at;
  // Most numbers are digits alone, that no zero leads.
  if (first !== ZERO) while (isDigit(text.charCodeAt(end))) end += 1;
  if (end === at || text.charCodeAt(end) !== COMMA) {
    SCALAR.lastIndex = at;
    if (!SCALAR.test(text)) throw new Malformed();
    end = SCALAR.lastIndex;
  }
  cursor.at = end;
  return text.slice(at, end);
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function skipSpace(cursor: Cursor): void {
  while (cursor.text.charCodeAt(cursor.at) === 32) cursor.at += 1;
}
