/** The type wrappers of Extended JSON: objects such as `{"$oid": …}` and what they stand for. */
import {
  Binary,
  BSON,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'mongodb';
import { HALF_A_PAIR } from '../../../kinds/mongo/texts.ts';
import { isDay } from '../../../proto/day.ts';
import { isFloatText } from '../../../proto/decimal.ts';
import { badRequest } from '../../../proto/errors.ts';
import { isJsonObject, isRawJson, type Json, type JsonObject } from '../../../proto/json.ts';
import { namesOf, onlyNameOf } from '../../../proto/ordered-json.ts';
import { withoutAtEnd } from '../../../proto/text-ends.ts';

/** Makes the document of a JSON object: a scope of code is one. */
type ToDocument = (object: JsonObject, path: string) => Document;
type WrapperReader = (
  inner: Json,
  path: string,
  object: JsonObject,
  toDocument: ToDocument,
) => unknown;

/** The names of each wrapper's members, the first of which reports it. */
const MEMBERS: { readonly [name: string]: readonly string[] } = {
  $code: ['$code', '$scope'],
};

const READERS: { readonly [name: string]: WrapperReader } = {
  $oid: objectId,
  $symbol: (inner, path) => new BSONSymbol(text(inner, path, '$symbol')),
  $numberInt: (inner, path) => new Int32(Number(integer(inner, path, '$numberInt', 31n))),
  $numberLong: (inner, path) => Long.fromBigInt(integer(inner, path, '$numberLong', 63n)),
  $numberDouble: (inner, path) => {
    const written = text(inner, path, '$numberDouble');
    if (/^-?Infinity$|^NaN$/.test(written)) return new Double(Number(written));
    if (!isFloatText(written)) {
      throw badRequest(path, '$numberDouble is a number as text');
    }
    const double = Number(written);
    if (!Number.isFinite(double)) throw badRequest(path, '$numberDouble is beyond all doubles');
    return new Double(double);
  },
  $numberDecimal: (inner, path) => {
    const written = text(inner, path, '$numberDecimal');
    try {
      return Decimal128.fromString(written);
    } catch {
      throw badRequest(path, '$numberDecimal is a number as text of at most 34 digits');
    }
  },
  $binary: (inner, path) => {
    const { base64, subType } = exactly(inner, path, '$binary', ['base64', 'subType']);
    if (
      typeof base64 !== 'string' ||
      typeof subType !== 'string' ||
      !/^[0-9a-f]{1,2}$/i.test(subType)
    ) {
      throw badRequest(
        path,
        '$binary is {"base64": text, "subType": one or two hexadecimal digits}',
      );
    }
    return binary(bytesOf(base64, path), Number.parseInt(subType, 16), path);
  },
  $uuid: (inner, path) => {
    if (
      typeof inner !== 'string' ||
      !/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(inner)
    ) {
      throw badRequest(path, '$uuid is a UUID with hyphens');
    }
    return new Binary(Buffer.from(inner.replaceAll('-', ''), 'hex'), Binary.SUBTYPE_UUID);
  },
  $code: (inner, path, object, toDocument) => {
    const code = text(inner, path, '$code');
    if (!Object.hasOwn(object, '$scope')) return new Code(code);
    const { $scope } = object;
    if (!isJsonObject($scope)) throw badRequest(path, '$scope is an object');
    return new Code(code, toDocument($scope, `${path}.$scope`));
  },
  $timestamp: (inner, path) => {
    const { t, i } = exactly(inner, path, '$timestamp', ['t', 'i']);
    if (!isUint32(t) || !isUint32(i)) {
      throw badRequest(path, '$timestamp is {"t": seconds, "i": counter}, both of 32 bits');
    }
    return new Timestamp({ t, i });
  },
  $regularExpression: (inner, path) => {
    const { pattern, options } = exactly(inner, path, '$regularExpression', ['pattern', 'options']);
    if (typeof pattern !== 'string' || typeof options !== 'string') {
      throw badRequest(path, '$regularExpression is {"pattern": text, "options": text}');
    }
    if (`${pattern}${options}`.includes('\0'))
      throw badRequest(path, '$regularExpression holds a NUL');
    checkText(pattern, path);
    if (!/^[ilmsux]*$/.test(options)) {
      throw badRequest(path, '$regularExpression has the options i, l, m, s, u and x alone');
    }
    return new BSONRegExp(pattern, options);
  },
  $dbPointer: (inner, path) => {
    const { $ref, $id } = exactly(inner, path, '$dbPointer', ['$ref', '$id']);
    if (typeof $ref !== 'string' || !isJsonObject($id) || typeof $id.$oid !== 'string') {
      throw badRequest(path, '$dbPointer is {"$ref": text, "$id": {"$oid": …}}');
    }
    checkText($ref, path);
    return new DBRef($ref, objectId($id.$oid, path));
  },
  $date: (inner, path) => new Date(milliseconds(inner, path)),
  $minKey: (inner, path) => {
    if (inner !== 1) throw badRequest(path, '$minKey is 1');
    return new MinKey();
  },
  $maxKey: (inner, path) => {
    if (inner !== 1) throw badRequest(path, '$maxKey is 1');
    return new MaxKey();
  },
  $undefined: (inner, path) => {
    if (inner !== true) throw badRequest(path, '$undefined is true');
    return null;
  },
};

function objectId(inner: Json, path: string): ObjectId {
  if (typeof inner !== 'string' || !/^[0-9a-f]{24}$/i.test(inner)) {
    throw badRequest(path, '$oid is 24 hexadecimal digits');
  }
  return ObjectId.createFromHexString(inner);
}

/** Whether an object is written as a type wrapper: a member has the name of one. */
export function isWrapper(object: JsonObject): boolean {
  return nameIn(object) !== undefined;
}

/** What a wrapper stands for. @throws GatewayError BAD_REQUEST when it is not as it should be */
export function unwrapped(object: JsonObject, path: string, toDocument: ToDocument): unknown {
  const name = nameIn(object) ?? '';
  const allowed = MEMBERS[name] ?? [name];
  const other = namesOf(object).find((each) => !allowed.includes(each));
  if (other !== undefined)
    throw badRequest(path, `${name} stands alone, without ${other.slice(0, 64)}`);
  return READERS[name]?.(object[name] ?? null, path, object, toDocument);
}

function nameIn(object: JsonObject): string | undefined {
  for (const name of namesOf(object)) {
    if (name.startsWith('$') && Object.hasOwn(READERS, name)) return name;
  }
  return undefined;
}

function text(inner: Json, path: string, name: string): string {
  if (typeof inner !== 'string') throw badRequest(path, `${name} is text`);
  checkText(inner, path);
  return inner;
}

/** Half of a surrogate pair has no UTF-8: another text would be stored in its place. @throws GatewayError BAD_REQUEST */
export function checkText(text: string, path: string): void {
  if (!text.isWellFormed()) throw badRequest(path, HALF_A_PAIR);
}

/** The library refuses vectors that are none only when it writes them. */
function binary(bytes: Buffer, subType: number, path: string): Binary {
  const made = new Binary(bytes, subType);
  if (subType !== Binary.SUBTYPE_VECTOR) return made;
  try {
    BSON.serialize({ made });
    return made;
  } catch (cause) {
    if (!(cause instanceof BSON.BSONError)) throw cause;
    throw badRequest(path, `$binary is no vector: ${cause.message}`);
  }
}

function integer(inner: Json, path: string, name: string, bits: bigint): bigint {
  if (typeof inner === 'string' && /^-?\d{1,20}$/.test(inner)) {
    const value = BigInt(inner);
    if (value >= -(2n ** bits) && value < 2n ** bits) return value;
  }
  throw badRequest(path, `${name} is an integer of ${bits + 1n} bits as text`);
}

function exactly(inner: Json, path: string, name: string, members: readonly string[]): JsonObject {
  if (isJsonObject(inner)) {
    const names = namesOf(inner);
    if (names.length === members.length && members.every((each) => names.includes(each)))
      return inner;
  }
  throw badRequest(path, `${name} is an object with ${members.join(' and ')}`);
}

function bytesOf(base64: string, path: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  if (withoutAtEnd(bytes.toString('base64'), '=') !== withoutAtEnd(base64, '=')) {
    throw badRequest(path, '$binary.base64 is base64');
  }
  return bytes;
}

function isUint32(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}

/** Of years of four digits the day is looked at: engines take 30 February for 1 March. */
const ISO =
  /^(?:-?\d{5,6}-\d\d-\d\d|(\d{4}-\d\d-\d\d))T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/;

function milliseconds(inner: Json, path: string): number {
  const iso = typeof inner === 'string' ? ISO.exec(inner) : null;
  if (iso && (iso[1] === undefined || isDay(iso[1]))) {
    const time = Date.parse(iso[0].replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
    if (!Number.isNaN(time)) return time;
  }
  if (isJsonObject(inner) && onlyNameOf(inner) !== undefined && '$numberLong' in inner) {
    const time = Number(integer(inner.$numberLong ?? null, path, '$numberLong', 63n));
    if (!Number.isNaN(new Date(time).getTime())) return time;
    throw badRequest(path, '$date is outside the years that can be written');
  }
  if (typeof inner === 'number' || isRawJson(inner)) {
    throw badRequest(path, '$date is ISO 8601 text or {"$numberLong": milliseconds as text}');
  }
  throw badRequest(path, '$date is ISO 8601 text or {"$numberLong": milliseconds as text}');
}
