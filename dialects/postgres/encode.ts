/** Turns the server's text of a value into JSON text, by the value's type. */
import { base64Of, bytesOfHex } from '../bytes.ts';
import { arrayToJson } from './array-text.ts';

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

const SAFE_DIGITS = 15;

/** Letters, digits and signs only, so no escaping. */
function quoted(text: string): string {
  return `"${text}"`;
}

function asIs(text: string): string {
  return text;
}

/** A number when a double holds it, else a string. Contract: "Results never lose a value". */
function bigintToJson(text: string): string {
  return text.length <= SAFE_DIGITS || Number.isSafeInteger(Number(text)) ? text : quoted(text);
}

function floatToJson(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  // NaN, Infinity and -Infinity are the only texts that end in a letter.
  return last > 57 ? quoted(text) : text;
}

function bytesToJson(text: string): string {
  return quoted(base64Of(bytesOfHex(text.slice(2))));
}

/** Line ends stand only between the tokens of JSON text; without them a row stays on one line. */
function jsonToJson(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text;
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
  bare: quoted,
  boolean: (text) => (text === 't' ? 'true' : 'false'),
  integer: asIs,
  bigint: bigintToJson,
  float: floatToJson,
  bytes: bytesToJson,
  json: jsonToJson,
  timestamp: timestampToJson,
  timestamptz: timestamptzToJson,
};

/** A type as results name it, and how its values are written. */
export interface TypeInfo {
  /** As the server's `format_type` writes it. */
  readonly name: string;
  readonly format: Format;
  /** Of an array: the type of its elements and what stands between them. */
  readonly element?: { readonly type: TypeInfo; readonly delimiter: string };
}

/** The encoder of a type; with `numbersAsStrings` 64-bit integers are strings whatever their value. */
export function encoderOf(type: TypeInfo, numbersAsStrings: boolean): Encoder {
  if (type.element) {
    const encodeElement = encoderOf(type.element.type, numbersAsStrings);
    const { delimiter } = type.element;
    return (text) => arrayToJson(text, delimiter, encodeElement);
  }
  return numbersAsStrings && type.format === 'bigint' ? quoted : ENCODERS[type.format];
}
