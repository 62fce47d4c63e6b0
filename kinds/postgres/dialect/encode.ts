/** Turns the server's text of a value into JSON text, by the value's type. */
import {
  integerText,
  isJsonInteger,
  isJsonNumber,
  jsonOrString,
  plainString,
} from '../../json-forms.ts';
import {
  type LongEncoder,
  longJson,
  longPlain,
  longString,
  undividedLong,
} from '../../long-values.ts';
import { arrayToJson, type ElementForm, longArray } from './array-text.ts';
import { byteaToJson, longBytea } from './bytea-text.ts';

/** A field as it travels in text format; null is SQL's NULL. */
export type FieldValue = string | null;

/** Writes the server's text of one value as JSON text. */
export type Encoder = (text: string) => string;

/** How values of a type are written; types of other formats are strings of the server's text. */
export type Format =
  | 'text'
  | 'bare'
  | 'boolean'
  | 'integer'
  | 'bigint'
  | 'float'
  | 'bytes'
  | 'json'
  | 'timestamp'
  | 'timestamptz';

/** What is no number is a string: a server's word for it is not enough. */
function integerToJson(text: string): string {
  return isJsonInteger(text) ? text : JSON.stringify(text);
}

/** NaN and the infinities are strings. */
function floatToJson(text: string): string {
  return isJsonNumber(text) ? text : JSON.stringify(text);
}

/** A year of four digits in this era; anything else, infinity too, stays as the server writes it. */
const ISO_LIKE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?:\+00)?$/;

function timestampToJson(text: string): string {
  return ISO_LIKE.test(text) ? `"${text.slice(0, 10)}T${text.slice(11)}"` : JSON.stringify(text);
}

function timestamptzToJson(text: string): string {
  return ISO_LIKE.test(text) && text.endsWith('+00')
    ? `"${text.slice(0, 10)}T${text.slice(11, -3)}Z"`
    : JSON.stringify(text);
}

const ENCODERS: { readonly [format in Format]: Encoder } = {
  text: JSON.stringify,
  bare: plainString,
  boolean: (text) => (text === 't' ? 'true' : 'false'),
  integer: integerToJson,
  bigint: integerText,
  float: floatToJson,
  bytes: byteaToJson,
  json: jsonOrString,
  timestamp: timestampToJson,
  timestamptz: timestamptzToJson,
};

/** A type as results name it, and how its values are written. */
export interface TypeInfo {
  /** As the server's `format_type` writes it. */
  readonly name: string;
  readonly format: Format;
  /** Of an array: the type of its elements and what is between them. */
  readonly element?: { readonly type: TypeInfo; readonly delimiter: string };
}

/** The encoder of a type; with `numbersAsStrings` 64-bit integers are strings whatever their value. */
export function encoderOf(type: TypeInfo, numbersAsStrings: boolean): Encoder {
  if (type.element) {
    const form = elementForm(type.element, numbersAsStrings);
    return (text) => arrayToJson(text, form);
  }
  return numbersAsStrings && type.format === 'bigint' ? plainString : ENCODERS[type.format];
}

/** Formats whose values may be very long; others come to an end soon. */
const LONG: { readonly [format in Format]?: LongEncoder } = {
  text: longString,
  bare: longPlain,
  bytes: longBytea,
  json: longJson,
};

/** The same for long values. */
export function longEncoderOf(type: TypeInfo, numbersAsStrings: boolean): LongEncoder {
  if (type.element) {
    const form = elementForm(type.element, numbersAsStrings);
    return (text, out) => longArray(text, form, out);
  }
  return LONG[type.format] ?? undividedLong(encoderOf(type, numbersAsStrings));
}

/** Formats of numbers that are their own JSON text where they are small integers. */
const NUMBERS: ReadonlySet<Format> = new Set(['integer', 'bigint', 'float']);

function elementForm(
  { type, delimiter }: NonNullable<TypeInfo['element']>,
  numbersAsStrings: boolean,
): ElementForm {
  const isString = numbersAsStrings && type.format === 'bigint';
  return {
    delimiter,
    encode: encoderOf(type, numbersAsStrings),
    encodeLong: longEncoderOf(type, numbersAsStrings),
    keepsIntegers: NUMBERS.has(type.format) && !type.element && !isString,
  };
}
