/** One word of a command out of a JSON value. */

import { isBase64 } from '../../proto/base64.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  numberText,
} from '../../proto/json.ts';
import { onlyNameOf } from '../../proto/ordered-json.ts';
import { plainNumber } from '../../proto/passed.ts';
import { writtenText } from '../../proto/written-json.ts';
import { aclRule } from './acl-rule.ts';
import type { Word } from './command.ts';
import type { Sort } from './grammar.ts';

/** What is wrong with a request, and where. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

const INTEGER = /^[-+]?\d+$/;

/** Says what is wrong with a value. */
export class WordFault extends Error {}

/**
 * The word that a value becomes.
 * @throws WordFault saying what it must be
 */
export function wordOf(value: Json, sort: Sort): Word {
  if (sort === 'v') return value === null ? 'null' : anyWord(value);
  return inUtf8(SORTS[sort](value));
}

/**
 * The word that stands for any value: text as it is, a number's digits, `true` and `false`,
 * bytes, everything else as its JSON text.
 * @throws WordFault for null, malformed bytes and halves of surrogate pairs
 */
export function anyWord(value: Json): Word {
  if (value === null) throw new WordFault('must not be null');
  return inUtf8(scalarOf(value) ?? writtenText(value));
}

/** Half of a surrogate pair has no UTF-8: another character would be sent in its place, and keys of two names be one. */
function inUtf8(word: Word): Word {
  if (typeof word !== 'string' || word.isWellFormed()) return word;
  throw new WordFault('must not hold half of a surrogate pair; {"$bytes": base64} is any bytes');
}

/** Whether an object stands for bytes: it has no member but `$bytes`. */
function isBytes(value: Json): value is { $bytes: string } {
  return isJsonObject(value) && typeof value.$bytes === 'string' && onlyNameOf(value) !== undefined;
}

/** What is no text and yet one word. */
function scalarOf(value: Json): Word | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || isRawJson(value)) return numberText(value);
  if (typeof value === 'boolean') return String(value);
  if (!isBytes(value)) return undefined;
  if (isBase64(value.$bytes)) return { $bytes: value.$bytes };
  throw new WordFault('must hold base64 in $bytes');
}

const SORTS: Readonly<Record<Exclude<Sort, 'v'>, (value: Json) => Word>> = {
  t: (value) => scalarOf(value) ?? refuse('must be text, a number or {"$bytes": base64}'),
  k(value) {
    if (Array.isArray(value)) return bytesOf(value) ?? refuse('must be a list of byte numbers');
    return scalarOf(value) ?? refuse('must be text, {"$bytes": base64} or a list of byte numbers');
  },
  i(value) {
    const text = typeof value === 'boolean' ? undefined : scalarOf(plainNumber(value));
    return typeof text === 'string' && INTEGER.test(text) ? text : refuse('must be an integer');
  },
  d(value) {
    const text = typeof value === 'boolean' ? undefined : scalarOf(value);
    return typeof text === 'string' && text !== '' ? text : refuse('must be a number');
  },
  y(value) {
    if (Array.isArray(value)) return bytesOf(value) ?? refuse('must be a list of byte numbers');
    return scalarOf(value) ?? refuse('must be {"$bytes": base64} or a list of byte numbers');
  },
  j: (value) => (isBytes(value) ? anyWord(value) : jsonText(value)),
  s(value) {
    if (typeof value === 'string') return STREAM_IDS.get(value.toLowerCase()) ?? value;
    const only = isJsonObject(value) ? onlyNameOf(value) : undefined;
    if (only !== undefined && /^(id|explicit)$/i.test(only)) {
      return SORTS.s((value as JsonObject)[only] ?? null); // It has that member.
    }
    return scalarOf(value) ?? refuse('must be an id, or {"ID": id}');
  },
  S: (value) => milliseconds(value) ?? refuse('must be a number of seconds'),
  A: (value) =>
    aclRule(value) ?? refuse('must be a rule: a text, or an object such as {"AddPass": password}'),
  f(value) {
    if (!Array.isArray(value)) return scalarOf(value) ?? refuse('must be a list of numbers');
    const numbers = value.map(plainNumber);
    return isNumbers(numbers) ? floats(numbers) : refuse('must be a list of numbers');
  },
};

/** What stands for the ids that a server makes or means. Source: backends.md §4.2. */
const STREAM_IDS = new Map([
  ['auto', '*'],
  ['new', '$'],
]);

function refuse(message: string): never {
  throw new WordFault(message);
}

/** A text is JSON already. */
function jsonText(value: Json): string {
  return typeof value === 'string' ? value : writtenText(value);
}

function isNumbers(values: readonly Json[]): values is number[] {
  return values.every((each) => typeof each === 'number');
}

function bytesOf(values: readonly Json[]): Word | undefined {
  const isByte = (each: Json) =>
    typeof each === 'number' && Number.isInteger(each) && each >= 0 && each < 256;
  const plain = values.map(plainNumber);
  return plain.every(isByte) ? base64Of(Uint8Array.from(plain as number[])) : undefined;
}

/** As the server reads them: 32 bits each, the least byte first. */
function floats(values: readonly number[]): Word {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (const [at, value] of values.entries()) view.setFloat32(at * 4, value, true);
  return base64Of(new Uint8Array(view.buffer));
}

function base64Of(bytes: Uint8Array): Word {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return { $bytes: btoa(text) };
}

/** Thousandths are kept; what is less is rounded. */
function milliseconds(value: Json): string | undefined {
  if (typeof value === 'boolean') return undefined;
  const text = scalarOf(plainNumber(value));
  if (typeof text !== 'string') return undefined;
  if (INTEGER.test(text)) return String(BigInt(text) * 1000n);
  const seconds = Number(text);
  return text.trim() !== '' && Number.isFinite(seconds)
    ? String(Math.round(seconds * 1000))
    : undefined;
}

/** Whether a value is an object with members, and not one that stands for bytes. */
export function isMembers(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && !isBytes(value);
}
