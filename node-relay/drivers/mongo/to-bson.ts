/** Extended JSON to BSON values, integers integral and members in their order. Source: MongoDB Extended JSON (v2) specification. */

import { Decimal128, Double, Int32, Long } from 'mongodb';
import { sameDecimal } from '../../../proto/decimal.ts';
import type { Call } from '../../../proto/driver.ts';
import { badRequest, GatewayError } from '../../../proto/errors.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  numberText,
  type RawJson,
  setMember,
} from '../../../proto/json.ts';
import { isReordered, MANY, namesOf, onlyNameOf } from '../../../proto/ordered-json.ts';
import { Pace, type Pieces } from '../../../proto/work/pieces.ts';
import { checkText, isWrapper, unwrapped } from './wrappers.ts';

/** A BSON value as the driver takes it; a Map keeps an order that an object cannot. */
type Bson = unknown;
/** A document as the driver takes it. */
export type BsonDocument = Record<string, unknown>;

/** What replaces an object, for references to earlier results; undefined leaves it as it is. */
export type Substitute = (object: JsonObject) => Json | undefined;

/** The BSON value of Extended JSON, canonical or relaxed. @throws GatewayError BAD_REQUEST */
export function toBson(value: Json, path: string, substitute?: Substitute): Bson {
  if (typeof value === 'number' || isRawJson(value)) return numberToBson(value, path);
  if (Array.isArray(value)) {
    return value.map((each, index) => toBson(each, `${path}.${index}`, substitute));
  }
  if (typeof value === 'string') checkText(value, path);
  if (!isJsonObject(value)) return value;
  const other = substitute?.(value);
  if (other !== undefined) return toBson(other, path);
  if (isWrapper(value)) return unwrapped(value, path, documentToBson);
  return documentToBson(value, path, substitute);
}

/** A document that was converted beforehand. */
interface Converted {
  readonly document: BsonDocument;
  /** Whether a reference is within: where results are put in, it is another document. */
  readonly refers: boolean;
}

/** By what they were converted from. */
const converted = new WeakMap<JsonObject, Converted>();
/** Members that are converted between two pauses. */
const MEMBERS_OF_A_PIECE = 1_024;

/** Has objects of very many members, on any level, converted in pieces before `documentToBson` is asked for them. None of it may change any more. */
export function* convertAhead(value: unknown, pace = new Pace(MEMBERS_OF_A_PIECE)): Pieces<void> {
  if (typeof value !== 'object' || value === null || isRawJson(value)) return;
  if (pace.isOver(1)) yield;
  if (Array.isArray(value)) {
    for (const each of value) yield* convertAhead(each, pace);
    return;
  }
  const object = value as JsonObject; // Or a request, which has members, too.
  const names = namesOf(object);
  for (const name of names) {
    const member = object[name];
    if (typeof member === 'object' && member !== null) yield* convertAhead(member, pace);
  }
  if (names.length >= MANY && !isWrapper(object)) yield* convertMany(object, names);
}

/** The same in the owner's turn, of a large request. */
export async function convertedAhead(value: unknown, { inPieces }: Call): Promise<void> {
  if (inPieces) await inPieces(convertAhead(value));
}

function* convertMany(object: JsonObject, names: readonly string[]): Pieces<void> {
  const document = new Map<string, Bson>();
  let refers = isReference(object);
  const look: Substitute = (each) => {
    refers ||= isReference(each);
    return undefined;
  };
  try {
    for (const [at, name] of names.entries()) {
      checkName(name, '');
      document.set(name, toBson(object[name] ?? null, '', look));
      if (at % MEMBERS_OF_A_PIECE === 0) yield;
    }
  } catch (cause) {
    // It is refused with its place, where it is asked for.
    if (cause instanceof GatewayError) return;
    throw cause;
  }
  const whole = document as unknown as BsonDocument; // As in `documentToBson`.
  converted.set(object, { document: whole, refers });
}

/** Whether an object is `{"$result": "[…]…"}`. Contract §6, "Transactions". */
export function isReference(object: JsonObject): boolean {
  const { $result: path } = object;
  return typeof path === 'string' && path.startsWith('[') && onlyNameOf(object) !== undefined;
}

/** Names that say what an object is, to the language or the library. */
const SPECIAL = ['__proto__', '_bsontype', 'toString', 'valueOf'];

/** The document of a JSON object whose own names are no type wrapper. @throws GatewayError BAD_REQUEST */
export function documentToBson(
  object: JsonObject,
  path: string,
  substitute?: Substitute,
): BsonDocument {
  const before = converted.get(object);
  if (before && (substitute === undefined || !before.refers)) return before.document;
  const names = namesOf(object);
  // The library asks an object for its names, which holds the thread where they are very many.
  const isPlain = !isReordered(object) && !SPECIAL.some((name) => Object.hasOwn(object, name));
  if (isPlain && names.length < MANY) {
    const document: BsonDocument = {};
    for (const name of names) {
      checkName(name, path);
      document[name] = toBson(object[name] ?? null, `${path}.${name}`, substitute);
    }
    return document;
  }
  const ordered = new Map<string, Bson>();
  for (const name of names) {
    checkName(name, path);
    ordered.set(name, toBson(object[name] ?? null, `${path}.${name}`, substitute));
  }
  // The library writes a Map as a document; its types know objects alone.
  return ordered as unknown as BsonDocument;
}

/** A member of a document in either form. */
export function memberOf(document: BsonDocument, name: string): Bson {
  return document instanceof Map ? document.get(name) : document[name];
}

/** The document with a member in front of the others. */
export function withFirst(document: BsonDocument, name: string, value: Bson): BsonDocument {
  if (!(document instanceof Map)) return { [name]: value, ...document };
  const entries: [string, Bson][] = [[name, value], ...document];
  return new Map(entries) as unknown as BsonDocument; // As above.
}

/** Plain JSON of Extended JSON without types of its own, for options that the driver itself reads. @throws GatewayError BAD_REQUEST */
export function toPlain(value: Json, path: string): unknown {
  if (isRawJson(value)) return Number(value.rawJSON);
  if (Array.isArray(value)) return value.map((each, index) => toPlain(each, `${path}.${index}`));
  if (typeof value === 'string') checkText(value, path);
  if (!isJsonObject(value)) return value;
  const plain: JsonObject = {};
  for (const name of namesOf(value)) {
    checkName(name, path);
    setMember(plain, name, toPlain(value[name] ?? null, `${path}.${name}`) as Json);
  }
  return plain;
}

const INT32_MAX = 2 ** 31 - 1;
const INT64_MAX = 2n ** 63n - 1n;
const INTEGER = /^-?\d+$/;
const DECIMAL_DIGITS_MAX = 34;

/** Integers are int32 or int64 by their size, fractions doubles; what neither holds is a decimal. Contract §6; Spec silent. */
function numberToBson(number: number | RawJson, path: string): Bson {
  // Most are: a large document has very many, and is converted as a whole.
  if (typeof number === 'number' && isInt32(number)) return new Int32(number);
  const text = numberText(number);
  if (INTEGER.test(text) && text !== '-0') {
    const integer = BigInt(text);
    if (integer >= -INT32_MAX - 1 && integer <= INT32_MAX) return new Int32(Number(integer));
    if (integer >= -INT64_MAX - 1n && integer <= INT64_MAX) return Long.fromBigInt(integer);
    return decimalToBson(text, path);
  }
  const double = Number(text);
  if (Number.isFinite(double) && sameDecimal(String(double), text)) return new Double(double);
  return decimalToBson(text, path);
}

/** -0 is a double. */
function isInt32(number: number): boolean {
  return (number | 0) === number && !Object.is(number, -0);
}

function decimalToBson(text: string, path: string): Decimal128 {
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  try {
    if (digits.length <= DECIMAL_DIGITS_MAX) return Decimal128.fromString(text);
  } catch {
    // Told below.
  }
  throw badRequest(path, `has more than ${DECIMAL_DIGITS_MAX} digits or is out of range`);
}

/** @throws GatewayError BAD_REQUEST for the name of a member that no document can have */
function checkName(name: string, path: string): void {
  if (name.includes('\0')) throw badRequest(path, 'has a member whose name holds a NUL');
  if (!name.isWellFormed())
    throw badRequest(path, 'has a member whose name holds half of a surrogate pair');
}
