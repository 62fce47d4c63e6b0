/** Turns JSON parameters into the server's text format. */
import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject, isRawJson, type Json, numberText } from '../../proto/json.ts';
import type { PostgresRequest } from '../../proto/kinds/postgres.ts';
import { bytesOfBase64, hexOf } from '../bytes.ts';
import { quotedElement } from './array-text.ts';
import type { FieldValue, TypeInfo } from './encode.ts';

/** Parameters as a request carries them: plain, or each with the name of its type. */
export interface Parameters {
  readonly values: readonly Json[];
  /** OIDs that the caller named, 0 for none; left out when it names none. */
  readonly types?: readonly number[];
  /** Names of the same types, as SQL writes them. */
  readonly names?: readonly string[];
}

/** OIDs by the names that a typed parameter may give, in lower case. Source: backends.md §1.1, pg_type.dat. */
const NAMED_TYPES: { readonly [name: string]: number } = {
  bool: 16,
  boolean: 16,
  bytea: 17,
  int8: 20,
  bigint: 20,
  int2: 21,
  smallint: 21,
  int4: 23,
  integer: 23,
  text: 25,
  oid: 26,
  json: 114,
  xml: 142,
  float4: 700,
  real: 700,
  float8: 701,
  'double precision': 701,
  inet: 869,
  varchar: 1043,
  date: 1082,
  time: 1083,
  timestamp: 1114,
  timestamptz: 1184,
  interval: 1186,
  timetz: 1266,
  numeric: 1700,
  uuid: 2950,
  jsonb: 3802,
};
const JSON_TYPES = new Set([114, 3802]);

/** Reads `params` of a request. @throws GatewayError BAD_REQUEST for an unknown type name */
export function parametersOf(request: PostgresRequest): Parameters {
  if (!('params' in request) || request.params === undefined) return { values: [] };
  if (request.type !== 'query_typed' && request.type !== 'query_typed_read_only') {
    return { values: request.params };
  }
  const values: Json[] = [];
  const types: number[] = [];
  const names: string[] = [];
  for (const [index, [value, name]] of request.params.entries()) {
    const lower = name.toLowerCase();
    const oid = Object.hasOwn(NAMED_TYPES, lower) ? NAMED_TYPES[lower] : undefined;
    if (oid === undefined) throw badParameter(index, `has the unknown type ${name.slice(0, 64)}`);
    types.push(oid);
    names.push(lower);
    values.push(value);
  }
  return { values, types, names };
}

/** Whether the text of a value depends on the type that the statement gives it. */
export function dependsOnType({ values }: Parameters): boolean {
  return values.some((value) => Array.isArray(value) || dataIn(value) !== undefined);
}

/**
 * Values in text format; `typeAt` answers the type that the statement gives a parameter.
 * @throws GatewayError BAD_REQUEST
 */
export function encodeParameters(
  { values, types }: Parameters,
  typeAt: (index: number) => TypeInfo | undefined,
): FieldValue[] {
  return values.map((value, index) => {
    const text =
      types === undefined || Array.isArray(value)
        ? encodeValue(value, typeAt(index))
        : encodeTyped(value, types[index] ?? 0, index);
    // It has no UTF-8: another text would be sent in its place.
    if (text?.isWellFormed() === false) throw badParameter(index, 'holds half of a surrogate pair');
    return text;
  });
}

/** One value in text format. A plain object that is no tagged form is JSON; a text is always just that text. */
function encodeValue(value: Json, type: TypeInfo | undefined): FieldValue {
  if (value === null) return null;
  if (typeof value === 'string') return value;
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'number' || isRawJson(value)) return numberText(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) {
    return type?.element ? arrayText(value, type.element) : JSON.stringify(value);
  }
  const data = dataIn(value);
  if (data !== undefined && type?.element) return arrayText(data, type.element, dataText);
  const tagged = taggedValue(value);
  return tagged === undefined ? JSON.stringify(value) : tagged;
}

/** The array of `{"Json": […]}`: where an array is wanted its elements are data, and none of them a tag. */
function dataIn(value: Json): readonly Json[] | undefined {
  if (!isJsonObject(value) || !Array.isArray(value.Json)) return undefined;
  return Object.keys(value).length === 1 ? value.Json : undefined;
}

function dataText(value: Json): FieldValue {
  return isJsonObject(value) ? JSON.stringify(value) : encodeValue(value, undefined);
}

type Element = NonNullable<TypeInfo['element']>;

function arrayText(
  values: readonly Json[],
  element: Element,
  textOf: (value: Json) => FieldValue = (value) => encodeValue(value, undefined),
): string {
  const texts = values.map((value) => {
    if (value === null) return 'NULL';
    if (element.type.format === 'json') return quotedElement(JSON.stringify(value));
    if (Array.isArray(value)) return arrayText(value, element, textOf);
    const text = textOf(value);
    return text === null ? 'NULL' : quotedElement(text);
  });
  return `{${texts.join(element.delimiter)}}`;
}

function encodeTyped(value: Json, oid: number, index: number): FieldValue {
  if (value === null) return null;
  const tagged = isJsonObject(value) ? taggedValue(value) : undefined;
  if (tagged !== undefined) return tagged;
  if (JSON_TYPES.has(oid)) return JSON.stringify(value);
  if (isJsonObject(value)) throw badParameter(index, 'is an object where its type is not JSON');
  return encodeValue(value, undefined);
}

/** Reads the value of a tag; undefined when it is none of that tag's. */
type TagReader = (value: Json) => FieldValue | undefined;

const integer: TagReader = (value) => {
  const text = typeof value === 'number' || isRawJson(value) ? numberText(value) : value;
  return typeof text === 'string' && /^-?\d+$/.test(text) ? text : undefined;
};
const float: TagReader = (value) => {
  if (typeof value === 'number' || isRawJson(value)) return numberText(value);
  return typeof value === 'string' && /^(?:NaN|-?Infinity)$/.test(value) ? value : undefined;
};

/** Source: backends.md §1.1, "Param encoding". */
const TAGS: { readonly [tag: string]: TagReader } = {
  Null: () => null,
  Bool: (value) => (typeof value === 'boolean' ? String(value) : undefined),
  Int2: integer,
  Int4: integer,
  Int8: integer,
  Float4: float,
  Float8: float,
  Text: (value) => (typeof value === 'string' ? value : undefined),
  Bytes: (value) => (isByteList(value) ? hex(Uint8Array.from(value)) : undefined),
  Json: (value) => JSON.stringify(value),
  $bytes: (value) => (isBase64(value) ? hex(bytesOfBase64(value)) : undefined),
};

/** An object with exactly one tag and a value of that tag; undefined for any other object. */
function taggedValue(value: { [key: string]: Json }): FieldValue | undefined {
  const [[tag, inner] = [], ...others] = Object.entries(value);
  if (tag === undefined || inner === undefined || others.length > 0) return undefined;
  return Object.hasOwn(TAGS, tag) ? TAGS[tag]?.(inner) : undefined;
}

function isByteList(value: Json): value is number[] {
  return (
    Array.isArray(value) &&
    value.every(
      (byte) => typeof byte === 'number' && Number.isInteger(byte) && byte >= 0 && byte < 256,
    )
  );
}

function isBase64(value: Json): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value);
}

function hex(bytes: Uint8Array): string {
  return `\\x${hexOf(bytes)}`;
}

function badParameter(index: number, problem: string): GatewayError {
  return new GatewayError('BAD_REQUEST', `Parameter ${index + 1} ${problem}`, {
    details: [{ path: `params.${index}`, message: problem }],
  });
}
