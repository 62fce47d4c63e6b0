/** Parameters that name the type of their value: `{"Int8": 1}`. Source: backends.md §1.1, "Param encoding". */
import { bytesOfBase64, hexOf } from '../../../proto/bytes.ts';
import { wholeText } from '../../../proto/decimal.ts';
import {
  isRawJson,
  type Json,
  type JsonObject,
  numberText,
  type RawJson,
} from '../../../proto/json.ts';
import { onlyNameOf } from '../../../proto/ordered-json.ts';
import { plainNumber } from '../../../proto/passed.ts';
import { isBase64, isByteList } from './byte-forms.ts';
import type { FieldValue } from './encode.ts';

/** What a value is sent as: a text, or the text of a JSON value. */
type TaggedForm = FieldValue | { readonly json: Json };

/** What is no base64, somewhere in a parameter. */
export class NoBase64 extends Error {}

/** Digits of the largest `bigint`. */
const INTEGER_DIGITS = 19;

/** Digits alone, where a number is whole: servers take `1.0` for no integer. */
export function integerText(value: number | RawJson): string {
  return wholeText(numberText(value), INTEGER_DIGITS);
}

/** Reads the value of a tag; undefined when it does not belong to that tag. */
type TagReader = (value: Json) => TaggedForm | undefined;

const integer: TagReader = (value) => {
  const text = typeof value === 'number' || isRawJson(value) ? integerText(value) : value;
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
  Bytes(value) {
    const bytes = Array.isArray(value) ? value.map(plainNumber) : value;
    return isByteList(bytes) ? hex(Uint8Array.from(bytes)) : undefined;
  },
  Json: (value) => ({ json: value }),
  $bytes(value) {
    if (!isBase64(value)) throw new NoBase64();
    return hex(bytesOfBase64(value));
  },
};

/**
 * An object with exactly one tag and a value of that tag; undefined for any other object.
 * @throws NoBase64
 */
export function taggedForm(value: JsonObject): TaggedForm | undefined {
  const tag = onlyNameOf(value);
  const inner = tag === undefined ? undefined : value[tag];
  if (tag === undefined || inner === undefined) return undefined;
  return Object.hasOwn(TAGS, tag) ? TAGS[tag]?.(inner) : undefined;
}

function hex(bytes: Uint8Array): string {
  return `\\x${hexOf(bytes)}`;
}
