/** What JSON values mean as parameters of a statement, whichever way they travel. */

import { isBase64 } from '../../../proto/base64.ts';
import { bytesOfBase64 } from '../../../proto/bytes.ts';
import { isDay } from '../../../proto/day.ts';
import { plainDecimal } from '../../../proto/decimal.ts';
import { badRequest, type GatewayError } from '../../../proto/errors.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  numberText,
  type RawJson,
} from '../../../proto/json.ts';
import { namesOf, onlyNameOf } from '../../../proto/ordered-json.ts';
import { plainNumber } from '../../../proto/passed.ts';
import { writtenText } from '../../../proto/written-json.ts';
import type { MysqlRequest } from '../index.ts';
import type { Parsed } from './statement.ts';

/** Requests of one statement with rows. */
export type RowsRequest = Extract<MysqlRequest, { params?: unknown }>;

/** A parameter as servers take it; a decimal has the digits it was written with. */
export type Parameter =
  | { readonly sort: 'null' }
  | { readonly sort: 'text'; readonly text: string }
  | { readonly sort: 'boolean'; readonly value: boolean }
  | { readonly sort: 'integer'; readonly value: bigint; readonly signed: boolean }
  | { readonly sort: 'decimal'; readonly text: string }
  | { readonly sort: 'double'; readonly value: number }
  | { readonly sort: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> };

const LONG_MAX = 2n ** 63n;
const INTEGER = /^-?\d+$/;
/** Digits that a DECIMAL can have. */
const DECIMAL_MAX = 65;
const DECIMAL_END = 10n ** BigInt(DECIMAL_MAX);
/** Digits that an exponent may stand for: more than those of any double. */
const DIGITS_MAX = 500;
const PLAIN_DECIMAL = /^-?\d+\.\d+$/;

/**
 * The parameter that a value of a request means; objects that are no tagged form, and arrays, are JSON.
 * @throws GatewayError BAD_REQUEST
 */
export function parameterOf(value: Json, index: number): Parameter {
  if (value === null) return { sort: 'null' };
  if (typeof value === 'string') {
    // It has no UTF-8: another text would be sent in its place.
    if (!value.isWellFormed())
      throw badRequest(`params.${index}`, 'holds half of a surrogate pair');
    return { sort: 'text', text: value };
  }
  if (typeof value === 'boolean') return { sort: 'boolean', value };
  if (typeof value === 'number' || isRawJson(value)) return numberParameter(value, index);
  if (isJsonObject(value) && '$bytes' in value && onlyNameOf(value) !== undefined) {
    return { sort: 'bytes', bytes: bytesOf(value.$bytes, index) };
  }
  if (isJsonObject(value) && '$date' in value && onlyNameOf(value) !== undefined) {
    return { sort: 'text', text: utcText(value.$date, index) };
  }
  return { sort: 'text', text: writtenText(value) };
}

/** A moment of RFC 3339: its date and time, its fraction, its zone. */
const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$/;

/** As servers read it, in the session's zone, which is UTC: they take no `Z`. */
function utcText(value: Json | undefined, index: number): string {
  const text = typeof value === 'string' ? value : '';
  const [, date = '', time, fraction = '', zone] = MOMENT.exec(text) ?? [];
  const moment = new Date(`${date}T${time}${zone}`);
  if (!isDay(date) || Number.isNaN(moment.getTime())) {
    throw badRequest(`params.${index}.$date`, 'is not a date and time with a zone');
  }
  return moment.toISOString().replace('T', ' ').slice(0, 19) + fraction;
}

/**
 * Integers of 64 bits and decimals exactly; what neither holds as a double where it is one, else as a text of digits alone: no number in
 * the protocol has as many, and of a text with an exponent servers take nothing but what is before it for an integer, as in LIMIT.
 */
function numberParameter(value: number | RawJson, index: number): Parameter {
  const double = plainNumber(value);
  const digits = digitsOf(value, double);
  if (digits === undefined) {
    throw badRequest(`params.${index}`, `has more than ${DIGITS_MAX} digits without its exponent`);
  }
  if (INTEGER.test(digits) && digits.length <= DECIMAL_MAX + 1) {
    const value = BigInt(digits);
    const signed = value < LONG_MAX && value >= -LONG_MAX;
    if (signed || (value > 0n && value < 2n * LONG_MAX)) return { sort: 'integer', value, signed };
    if (value < DECIMAL_END && value > -DECIMAL_END) return { sort: 'decimal', text: digits };
  }
  if (PLAIN_DECIMAL.test(digits) && digits.length <= DECIMAL_MAX + 2) {
    return { sort: 'decimal', text: digits };
  }
  return typeof double === 'number'
    ? { sort: 'double', value: double }
    : { sort: 'text', text: digits };
}

/** A number's digits as they are written, or without an exponent; with one where a double has it. */
function digitsOf(value: number | RawJson, double: number | RawJson): string | undefined {
  const written = numberText(value);
  if (!/e/i.test(written)) return written;
  return typeof double === 'number' ? numberText(double) : plainDecimal(written, DIGITS_MAX);
}

function bytesOf(value: Json | undefined, index: number): Uint8Array<ArrayBuffer> {
  if (typeof value !== 'string' || !isBase64(value)) {
    throw badRequest(`params.${index}.$bytes`, 'is not base64');
  }
  return bytesOfBase64(value);
}

/** @throws GatewayError BAD_REQUEST for a number of values other than the statement's parameters */
export function checkValues(parameters: number, values: number): void {
  if (values === parameters) return;
  const message = `The statement has ${parameters} parameters, and ${values} values were given`;
  throw badRequest('params', message, message);
}

/** Whether the statement's parameters have names. */
export function hasNames({ params }: RowsRequest): boolean {
  return isJsonObject(params);
}

/** The parameters in the order of the statement's marks. @throws GatewayError BAD_REQUEST */
export function valuesOf({ params }: RowsRequest, { names }: Parsed): readonly Json[] {
  return isJsonObject(params) ? namedValues(names, params) : (params ?? []);
}

/**
 * The values in the order of a statement's names.
 * @throws GatewayError BAD_REQUEST naming a value that is missing or that no name asks for
 */
function namedValues(
  names: readonly string[],
  params: { readonly [name: string]: Json },
): readonly Json[] {
  const asked = new Set(names);
  const unknown = namesOf(params).find((name) => !asked.has(name));
  if (unknown !== undefined) throw badName(unknown, 'the statement has no parameter of that name');
  return names.map((name) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value === undefined) throw badName(name, 'is required by the statement');
    return value;
  });
}

function badName(name: string, problem: string): GatewayError {
  return badRequest(`params.${name.slice(0, 64)}`, problem);
}
