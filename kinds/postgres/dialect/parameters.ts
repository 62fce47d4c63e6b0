/** Turns JSON parameters into the server's text format. */

import { badRequest, type GatewayError } from '../../../proto/errors.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  numberText,
  type RawJson,
} from '../../../proto/json.ts';
import { textInPieces } from '../../../proto/json-bytes.ts';
import { onlyNameOf } from '../../../proto/ordered-json.ts';
import { Pace, type Pieces } from '../../../proto/work/pieces.ts';
import { writtenText } from '../../../proto/written-json.ts';
import type { PostgresRequest } from '../index.ts';
import { quotedElement } from './array-text.ts';
import type { FieldValue, TypeInfo } from './encode.ts';
import { integerText, NoBase64, taggedForm } from './tags.ts';

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

/** Parameters, or elements of arrays, that are written between two pauses. */
const VALUES_OF_A_PIECE = 4_096;

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

/** Whether a number is whole and not of digits alone, such as `1.0`: of no known type it is sent as digits. */
export function mayDependOnType({ values }: Parameters): boolean {
  return values.some((value) => isRawJson(value) && integerText(value) !== value.rawJSON);
}

const INTEGER_TYPES = new Set([20, 21, 23, 26]);

/** Answers the type that the statement gives a parameter. */
type TypeAt = (index: number) => TypeInfo | undefined;

/**
 * Values in text format.
 * @throws GatewayError BAD_REQUEST
 */
export function encodeParameters(parameters: Parameters, typeAt: TypeAt): FieldValue[] {
  return parameters.values.map((value, index) => {
    try {
      return wellFormed(parameterText(formOf(parameters, value, index, typeAt)), index);
    } catch (thrown) {
      throw ofParameter(thrown, index);
    }
  });
}

/**
 * As `encodeParameters`, in pieces.
 * @throws GatewayError BAD_REQUEST
 */
export function* parametersInPieces(parameters: Parameters, typeAt: TypeAt): Pieces<FieldValue[]> {
  const texts: FieldValue[] = [];
  const pace = new Pace(VALUES_OF_A_PIECE);
  for (const [index, value] of parameters.values.entries()) {
    try {
      const form = formOf(parameters, value, index, typeAt);
      texts.push(wellFormed(yield* formInPieces(form, pace), index));
    } catch (thrown) {
      throw ofParameter(thrown, index);
    }
    if (pace.isOver(1)) yield;
  }
  return texts;
}

function ofParameter(thrown: unknown, index: number): unknown {
  return thrown instanceof NoBase64
    ? badParameter(index, 'has $bytes that are not base64')
    : thrown;
}

/** Half of a surrogate pair has no UTF-8: another text would be sent in its place. */
function wellFormed(text: FieldValue, index: number): FieldValue {
  if (text?.isWellFormed() === false) throw badParameter(index, 'holds half of a surrogate pair');
  return text;
}

/** What a value is sent as: a text, the text of a JSON value, or that of an array. */
type Form = FieldValue | { readonly json: Json } | ArrayForm;

interface ArrayForm {
  readonly elements: readonly Json[];
  readonly element: NonNullable<TypeInfo['element']>;
  /** Elements that are neither null nor arrays. */
  formOf(value: Json, type: TypeInfo): Form;
}

function parameterText(form: Form): FieldValue {
  if (typeof form === 'string' || form === null) return form;
  return 'json' in form ? writtenText(form.json) : arrayText(form);
}

function* formInPieces(form: Form, pace: Pace): Pieces<FieldValue> {
  if (typeof form === 'string' || form === null) return form;
  return yield* 'json' in form ? textInPieces(form.json) : arrayInPieces(form, pace);
}

function formOf({ types }: Parameters, value: Json, index: number, typeAt: TypeAt): Form {
  return types === undefined || Array.isArray(value)
    ? valueForm(value, typeAt(index))
    : typedForm(value, types[index] ?? 0, index);
}

/** One value in text format. A plain object that is no tagged form is JSON; a text is always just that text. */
function valueForm(value: Json, type?: TypeInfo): Form {
  if (value === null) return null;
  if (typeof value === 'string') return value;
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'number' || isRawJson(value)) return numberForm(value, type);
  if (typeof value === 'boolean') return String(value);
  const element = type?.element;
  if (Array.isArray(value)) {
    return element ? { elements: value, element, formOf: elementForm } : { json: value };
  }
  const data = dataIn(value);
  if (data !== undefined && element) return { elements: data, element, formOf: dataForm };
  const tagged = taggedForm(value);
  return tagged === undefined ? { json: value } : tagged;
}

/** Of no known type it may be an integer. */
function numberForm(value: number | RawJson, type?: TypeInfo): Form {
  return type === undefined || isInteger(type) ? integerText(value) : numberText(value);
}

/** The array of `{"Json": […]}`: where an array is wanted its elements are data, and none of them a tag. */
function dataIn(value: Json): readonly Json[] | undefined {
  if (!isJsonObject(value) || !Array.isArray(value.Json)) return undefined;
  return onlyNameOf(value) === undefined ? undefined : value.Json;
}

function isInteger({ format }: TypeInfo): boolean {
  return format === 'integer' || format === 'bigint';
}

function elementForm(value: Json, type: TypeInfo): Form {
  return valueForm(value, type);
}

function dataForm(value: Json, type: TypeInfo): Form {
  return isJsonObject(value) ? { json: value } : valueForm(value, type);
}

function arrayText(form: ArrayForm): string {
  const texts = form.elements.map((value) =>
    quoted(parameterText(innerForm(form, value)), value, form),
  );
  return `{${texts.join(form.element.delimiter)}}`;
}

function* arrayInPieces(form: ArrayForm, pace: Pace): Pieces<string> {
  const texts: string[] = [];
  for (const value of form.elements) {
    texts.push(quoted(yield* formInPieces(innerForm(form, value), pace), value, form));
    if (pace.isOver(1)) yield;
  }
  return `{${texts.join(form.element.delimiter)}}`;
}

function innerForm(form: ArrayForm, value: Json): Form {
  if (value === null) return null;
  if (isOfJson(form)) return { json: value };
  return Array.isArray(value)
    ? { ...form, elements: value }
    : form.formOf(value, form.element.type);
}

/** Arrays within arrays are the only elements without quotes. */
function quoted(text: FieldValue, value: Json, form: ArrayForm): string {
  if (text === null) return 'NULL';
  return Array.isArray(value) && !isOfJson(form) ? text : quotedElement(text);
}

function isOfJson({ element }: ArrayForm): boolean {
  return element.type.format === 'json';
}

function typedForm(value: Json, oid: number, index: number): Form {
  if (value === null) return null;
  const tagged = isJsonObject(value) ? taggedForm(value) : undefined;
  if (tagged !== undefined) return tagged;
  if (JSON_TYPES.has(oid)) return { json: value };
  if (isJsonObject(value)) throw badParameter(index, 'is an object where its type is not JSON');
  if (isRawJson(value)) return INTEGER_TYPES.has(oid) ? integerText(value) : value.rawJSON;
  return valueForm(value);
}

function badParameter(index: number, problem: string): GatewayError {
  return badRequest(`params.${index}`, problem, `Parameter ${index + 1} ${problem}`);
}
