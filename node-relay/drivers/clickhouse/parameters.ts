/** Values of `{name:Type}` as the server reads them. Source: ClickHouse manual, "HTTP interface", "Queries with parameters". */
import { isDay } from '../../../proto/day.ts';
import { wholeText } from '../../../proto/decimal.ts';
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
import { namesOf } from '../../../proto/ordered-json.ts';
import { writtenText } from '../../../proto/written-json.ts';
import { givenBytes, latin1 } from './binary.ts';
import type { Placeholder } from './statement.ts';
import { type TypeTree, typeTree } from './type-tree.ts';

/** Longest of all parameters together, percent-encoded: servers take URLs of 1 MiB. */
const PARAMETERS_MAX = 786_432;

/** Types whose values are written without quotes within others. */
const BARE =
  /^(?:U?Int\d+|B?Float\d+|Decimal\d*|Bool|Interval\w+|TINYINT|SMALLINT|INT|INTEGER|BIGINT|FLOAT|DOUBLE|REAL|DEC|NUMERIC)$/i;
const INTEGER = /^(?:U?Int\d+|TINYINT|SMALLINT|INT|INTEGER|BIGINT)$/i;
const SINGLE = /^(?:Float32|BFloat16|FLOAT|REAL)$/i;
/** What servers read by themselves, and refuse beyond their range. */
const REFUSING = /^(?:Decimal\d*|DEC|NUMERIC)$/i;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|nan|inf(?:inity)?)$/i;
const DOCUMENTS = new Set(['JSON', 'Object', 'Dynamic', 'Variant']);
const TAKES_NULL = new Set([...DOCUMENTS, 'Nothing', 'Unknown']);

/** Values of a statement's parameters, in either form. */
export type Params = { readonly [name: string]: Json } | readonly NamedValue[];
interface NamedValue {
  readonly name: string;
  readonly value: Json;
}

function byName(params: Params): { readonly [name: string]: Json } {
  if (!isList(params)) return params;
  const values: { [name: string]: Json } = {};
  for (const [at, { name, value }] of params.entries()) {
    if (Object.hasOwn(values, name)) throw bad(`${at}.name`, 'is there twice');
    setMember(values, name, value);
  }
  return values;
}

function isList(params: Params): params is readonly NamedValue[] {
  return Array.isArray(params);
}

/**
 * Members `param_…` of a request's URL, percent-encoded.
 * @throws GatewayError BAD_REQUEST naming what is missing, unknown or unlike its type; PAYLOAD_TOO_LARGE
 */
export function parametersOf(placeholders: readonly Placeholder[], given: Params = {}): string {
  const params = byName(given);
  const wanted = new Map(placeholders.map((each) => [each.name, each]));
  for (const name of namesOf(params)) {
    if (!wanted.has(name)) throw bad(name, 'the statement has no parameter of this name');
  }
  let text = '';
  for (const { name, type } of wanted.values()) {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value === undefined) throw bad(name, `is required: the statement has {${name}:${type}}`);
    text += `&param_${encodeURIComponent(name)}=${percent(whole(value, typeTree(type), name))}`;
  }
  if (text.length > PARAMETERS_MAX) {
    throw new GatewayError(
      'PAYLOAD_TOO_LARGE',
      `The parameters are larger than ${PARAMETERS_MAX} characters in a URL; write rows with the type insert`,
    );
  }
  return text;
}

/** A value by itself, as in a field of TabSeparated. All texts hold one byte a character. */
function whole(value: Json, type: TypeTree, path: string): string {
  if (value === null) return nullOf(type, path, '\\N');
  const text = parameterText(value, type, path);
  if (text !== undefined) return escaped(text);
  if (isText(type) && isNumber(value)) return numberText(value);
  const isDocument = DOCUMENTS.has(type.name) || (type.name !== 'Tuple' && type.name !== 'Map');
  return isJsonObject(value) && isDocument
    ? escaped(nested(value, type, path))
    : nested(value, type, path);
}

function escaped(text: string): string {
  return text.replace(/[\\\t\n\r\0\b\f]/g, (found) => ESCAPES[found] ?? '');
}

const ESCAPES: { readonly [character: string]: string } = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\\0',
  '\b': '\\b',
  '\f': '\\f',
  "'": "\\'",
};

/** A value within another, as in a statement. */
function nested(value: Json, type: TypeTree, path: string): string {
  if (value === null) return nullOf(type, path, 'NULL');
  if (value === true || value === false) return value ? 'true' : 'false';
  const text = parameterText(value, type, path);
  if (text !== undefined) return BARE.test(type.name) && NUMBER.test(text) ? text : quoted(text);
  if (isNumber(value)) return numberOf(value, type, path);
  if (Array.isArray(value)) return listOf(value, type, path);
  if (isJsonObject(value)) return membersOf(value, type, path);
  throw bad(path, `is not a value of ${type.name}`);
}

/** Of a type without null servers make its default, unasked. @throws GatewayError BAD_REQUEST */
function nullOf({ name, isNullable }: TypeTree, path: string, written: string): string {
  if (isNullable || TAKES_NULL.has(name)) return written;
  throw bad(path, `is null, and ${name} takes none: Nullable(${name}) does`);
}

function isNumber(value: Json): value is number | RawJson {
  return typeof value === 'number' || isRawJson(value);
}

function numberOf(value: number | RawJson, type: TypeTree, path: string): string {
  if (INTEGER.test(type.name))
    return inRange(wholeText(numberText(value), INTEGER_DIGITS + 1), type, path);
  const text = numberText(value);
  if (isText(type)) return quoted(text);
  if (!isHeld(Number(text), type)) throw bad(path, `is outside the range of ${type.name}`);
  return text;
}

/** Bits of integers that are called as in other databases. */
const BITS: { readonly [name: string]: number } = {
  TINYINT: 8,
  SMALLINT: 16,
  INT: 32,
  INTEGER: 32,
  BIGINT: 64,
};
/** Digits of the largest `UInt256`. */
const INTEGER_DIGITS = 78;

/** The text of an integer; servers make another of one that has more bits than its type, unasked. @throws GatewayError BAD_REQUEST */
function inRange(text: string, { name }: TypeTree, path: string): string {
  // One after the other: an expression for both would begin anew at each zero.
  if (!/^[+-]?\d+$/.test(text)) return text;
  const digits = text.replace(/^[+-]?0*/, '');
  const [, unsigned, given] = /^(U?)Int(\d+)$/i.exec(name) ?? [];
  const bits = BigInt(given ?? BITS[name.toUpperCase()] ?? 0);
  const end = 2n ** (unsigned ? bits : bits - 1n);
  const value = digits.length > INTEGER_DIGITS ? end + 1n : BigInt(digits);
  const least = unsigned ? 0n : end;
  if (text.startsWith('-') ? value > least : value >= end) {
    throw bad(path, `is outside the range of ${name}`);
  }
  return text;
}

/** Of a number beyond a type of floats servers make an infinity, unasked; of one beyond other types nothing. */
function isHeld(double: number, { name }: TypeTree): boolean {
  if (SINGLE.test(name)) return Number.isFinite(Math.fround(double));
  return Number.isFinite(double) || REFUSING.test(name);
}

function isText({ name }: TypeTree): boolean {
  return name === 'String' || name === 'FixedString';
}

function listOf(values: readonly Json[], type: TypeTree, path: string): string {
  if (type.name === 'Tuple') {
    if (values.length !== type.parts.length)
      throw bad(path, `must have ${type.parts.length} elements`);
    const parts = type.parts.map((part, at) => nested(values[at] ?? null, part, `${path}.${at}`));
    return `(${parts.join(',')})`;
  }
  if (type.name === 'Point') {
    return `(${values.map((each, at) => nested(each, NUMBER_TYPE, `${path}.${at}`)).join(',')})`;
  }
  if (DOCUMENTS.has(type.name)) return latin1(writtenText([...values]));
  const inner = type.parts[0] ?? RINGS[type.name];
  if (!inner) throw bad(path, `is an array, and the parameter is of type ${type.name}`);
  return `[${values.map((each, at) => nested(each, inner, `${path}.${at}`)).join(',')}]`;
}

const NUMBER_TYPE: TypeTree = { name: 'Float64', parts: [] };
const POINT: TypeTree = { name: 'Point', parts: [] };
const RING: TypeTree = { name: 'Array', parts: [POINT] };
const POLYGON: TypeTree = { name: 'Array', parts: [RING] };
const RINGS: { readonly [name: string]: TypeTree } = {
  Ring: POINT,
  LineString: POINT,
  Polygon: RING,
  MultiLineString: RING,
  MultiPolygon: POLYGON,
};

function membersOf(value: { readonly [name: string]: Json }, type: TypeTree, path: string): string {
  if (type.name === 'Tuple') {
    const parts = type.parts.map((part) => {
      const member = part.label === undefined ? undefined : value[part.label];
      if (member === undefined) throw bad(path, `must have the members of ${type.name}`);
      return nested(member, part, `${path}.${part.label}`);
    });
    return `(${parts.join(',')})`;
  }
  const [key, inner] = type.parts;
  if (type.name !== 'Map' || !key || !inner) return latin1(writtenText(value as JsonObject));
  const entries = namesOf(value).map((name) => {
    const each = nested(value[name] ?? null, inner, `${path}.${name}`);
    return `${nested(name, key, path)}:${each}`;
  });
  return `{${entries.join(',')}}`;
}

function parameterText(value: Json, type: TypeTree, path: string): string | undefined {
  if (typeof value !== 'string') return givenBytes(value, `params.${path}`)?.toString('latin1');
  if (!value.isWellFormed()) throw bad(path, 'holds half of a surrogate pair');
  if (INTEGER.test(type.name)) inRange(value, type, path);
  return latin1(type.name.startsWith('DateTime') ? instantOf(value, type) : value);
}

const INSTANT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?(Z|[+-]\d\d:?\d\d)$/i;

/**
 * A time that names its offset, for a server that reads parameters by the rules of the type's own
 * zone and takes no offset: as that zone's time where it is UTC, else as seconds since 1970. Other
 * texts stay as they are, and so does what neither can say: the server refuses it.
 */
function instantOf(text: string, { parts }: TypeTree): string {
  const [, date = '', time, fraction = '', offset = ''] = INSTANT.exec(text) ?? [];
  if (!isDay(date)) return text;
  const zone = offset.replace(/(\d\d):?(\d\d)$/, '$1:$2').toUpperCase();
  const milliseconds = Date.parse(`${date}T${time}${zone}`);
  if (Number.isNaN(milliseconds)) return text;
  if (parts.at(-1)?.name === 'UTC') {
    const iso = new Date(milliseconds).toISOString();
    return `${iso.slice(0, -5).replace('T', ' ')}${fraction}`;
  }
  // Before 1970 servers differ in which way a fraction counts.
  if (milliseconds < 0 && /[1-9]/.test(fraction)) return text;
  return secondsText(milliseconds / 1000) + fraction;
}

/** Ten digits at least: the server takes shorter numbers for something else. */
function secondsText(seconds: number): string {
  const digits = String(Math.abs(seconds)).padStart(10, '0');
  return seconds < 0 ? `-${digits}` : digits;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\'\t\n\r\0\b\f]/g, (found) => ESCAPES[found] ?? '')}'`;
}

function percent(text: string): string {
  return text.replace(
    /[^A-Za-z0-9_.~-]/g,
    (found) => `%${found.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

function bad(name: string, message: string): GatewayError {
  const path = `params.${name}`;
  return badRequest(path, message);
}
