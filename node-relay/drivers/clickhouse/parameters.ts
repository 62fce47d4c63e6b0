/** Values of `{name:Type}` as the server reads them. Source: ClickHouse manual, "HTTP interface", "Queries with parameters". */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, isRawJson, type Json, numberText } from '../../../proto/json.ts';
import { bytesOf, latin1 } from './binary.ts';
import type { Placeholder } from './statement.ts';
import { type TypeTree, typeTree } from './type-tree.ts';

/** Longest of all parameters together, percent-encoded: servers take URLs of 1 MiB. */
const PARAMETERS_MAX = 786_432;

/** Types whose values are written without quotes within others. */
const BARE =
  /^(?:U?Int\d+|B?Float\d+|Decimal\d*|Bool|Interval\w+|TINYINT|SMALLINT|INT|INTEGER|BIGINT|FLOAT|DOUBLE|REAL|DEC|NUMERIC)$/i;
const NUMBER = /^[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|nan|inf(?:inity)?)$/i;
const DOCUMENTS = new Set(['JSON', 'Object', 'Dynamic', 'Variant']);

/**
 * Members `param_…` of a request's URL, percent-encoded.
 * @throws GatewayError BAD_REQUEST naming what is missing, unknown or unlike its type; PAYLOAD_TOO_LARGE
 */
export function parametersOf(
  placeholders: readonly Placeholder[],
  params: { readonly [name: string]: Json } = {},
): string {
  const wanted = new Map(placeholders.map((each) => [each.name, each]));
  for (const name of Object.keys(params)) {
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
  if (value === null) return '\\N';
  const text = textOf(value, type);
  if (text !== undefined) return escaped(text);
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
  if (value === null) return 'NULL';
  if (value === true || value === false) return value ? 'true' : 'false';
  const text = textOf(value, type);
  if (text !== undefined) return BARE.test(type.name) && NUMBER.test(text) ? text : quoted(text);
  if (typeof value === 'number' || isRawJson(value)) return numberOf(numberText(value), type);
  if (Array.isArray(value)) return listOf(value, type, path);
  if (isJsonObject(value)) return membersOf(value, type, path);
  throw bad(path, `is not a value of ${type.name}`);
}

function numberOf(text: string, { name }: TypeTree): string {
  return name === 'String' || name === 'FixedString' ? quoted(text) : text;
}

function listOf(values: readonly Json[], type: TypeTree, path: string): string {
  if (type.name === 'Tuple') {
    if (values.length !== type.parts.length) throw bad(path, `has ${type.parts.length} elements`);
    const parts = type.parts.map((part, at) => nested(values[at] ?? null, part, `${path}.${at}`));
    return `(${parts.join(',')})`;
  }
  if (type.name === 'Point') {
    return `(${values.map((each, at) => nested(each, NUMBER_TYPE, `${path}.${at}`)).join(',')})`;
  }
  if (DOCUMENTS.has(type.name)) return latin1(JSON.stringify(values));
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
      if (member === undefined) throw bad(path, `has the members of ${type.name}`);
      return nested(member, part, `${path}.${part.label}`);
    });
    return `(${parts.join(',')})`;
  }
  const [key, inner] = type.parts;
  if (type.name !== 'Map' || !key || !inner) return latin1(JSON.stringify(value));
  const entries = Object.entries(value).map(
    ([name, each]) => `${nested(name, key, path)}:${nested(each, inner, `${path}.${name}`)}`,
  );
  return `{${entries.join(',')}}`;
}

function textOf(value: Json, { name }: TypeTree): string | undefined {
  if (typeof value !== 'string') return bytesOf(value)?.toString('latin1');
  return latin1(name.startsWith('DateTime') ? instantOf(value) : value);
}

const INSTANT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?(Z|[+-]\d\d:?\d\d)$/i;

/**
 * Seconds since 1970 of a time that names its offset: the server reads parameters by the rules
 * of its own zone and takes no offset. Other texts stay as they are.
 */
function instantOf(text: string): string {
  const [, date, time, fraction = '', offset = ''] = INSTANT.exec(text) ?? [];
  if (date === undefined) return text;
  const zone = offset.replace(/(\d\d):?(\d\d)$/, '$1:$2').toUpperCase();
  const milliseconds = Date.parse(`${date}T${time}${zone}`);
  // Below ten digits the server takes a number for something else.
  return milliseconds >= 1e12 ? `${milliseconds / 1000}${fraction}` : text;
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
  return new GatewayError('BAD_REQUEST', `${path}: ${message}`, { details: [{ path, message }] });
}
