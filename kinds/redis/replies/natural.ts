/** Replies as JSON text, whichever command they answer. Contract §6, "Results never lose a value". */

import { ERRORS } from '../../../proto/errors.ts';
import { doubleText } from '../../json-forms.ts';
import { ReplyDouble, ReplyError, ReplyMap, ReplySet, ReplyStatus } from '../reply-value.ts';
import { withoutAddresses } from './addresses.ts';
import { Members, type Shaped } from './shaped.ts';

/** How numbers are written. */
export interface Form {
  /** Every integer as a string, whatever its value. Contract §6, `numbers=string`. */
  readonly numbersAsStrings: boolean;
}

// A mark of byte order is text like any other here.
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A reply as JSON: maps are objects, sets arrays, bytes text or `{"$bytes": base64}`; integers
 * beyond ±2^53, big numbers, NaN and infinities are strings. A map that an object would lose
 * something of, because a key is no text or is there twice, is an array of pairs.
 */
export function naturalJson(value: Shaped, form: Form): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Number.isInteger(value) ? integer(value, form) : doubleText(value);
    case 'bigint':
      return `"${value}"`;
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      return value === null ? 'null' : structured(value, form);
  }
}

/** Bytes as text where they are UTF-8. */
export function utf8Of(value: Shaped): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof ReplyStatus) return value.text;
  if (!(value instanceof Uint8Array)) return undefined;
  try {
    return UTF8.decode(value);
  } catch {
    return undefined;
  }
}

/** An error in its place among other replies: the server's message without addresses, and its first word. */
export function errorJson({ code, message }: ReplyError): string {
  const { error } = ERRORS.REQUEST_FAILED;
  return JSON.stringify({ error, message: withoutAddresses(message), code });
}

function structured(value: Exclude<Shaped, null | string | number | bigint | boolean>, form: Form) {
  if (value instanceof Uint8Array) return bytes(value);
  if (isList(value)) return list(value, form);
  if (value instanceof ReplyMap || value instanceof Members) return map(value.items, form);
  if (value instanceof ReplySet) return list(value.items, form);
  if (value instanceof ReplyStatus) return JSON.stringify(value.text);
  if (value instanceof ReplyDouble) return doubleText(value.value);
  if (value instanceof ReplyError) return errorJson(value);
  return value.text;
}

/** Whether a reply is an array; a set is not. */
export function isList(value: Shaped): value is readonly Shaped[] {
  return Array.isArray(value);
}

function integer(value: number, { numbersAsStrings }: Form): string {
  return numbersAsStrings || !Number.isSafeInteger(value) ? `"${value}"` : String(value);
}

function bytes(value: Uint8Array): string {
  const text = utf8Of(value);
  return text === undefined ? bytesJson(value) : JSON.stringify(text);
}

/** Bytes as `{"$bytes": base64}`, whatever they are. */
export function bytesJson(value: Uint8Array): string {
  return `{"$bytes":"${base64(value)}"}`;
}

const CHUNK = 0x8000;

function base64(value: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < value.length; at += CHUNK) {
    binary += String.fromCharCode(...value.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}

function list(items: readonly Shaped[], form: Form): string {
  // A list of millions of texts is written many times as fast as one by one.
  if (items.every((item) => typeof item === 'string')) return JSON.stringify(items);
  return `[${items.map((item) => naturalJson(item, form)).join(',')}]`;
}

function map(items: readonly Shaped[], form: Form): string {
  const names = new Set<string>();
  const members: string[] = [];
  for (let at = 0; at < items.length; at += 2) {
    const name = utf8Of(items[at] ?? null);
    if (name === undefined || names.has(name)) return pairs(items, form);
    names.add(name);
    const value = naturalJson(items[at + 1] ?? null, form);
    members.push(`${JSON.stringify(name)}:${value}`);
  }
  return `{${members.join(',')}}`;
}

function pairs(items: readonly Shaped[], form: Form): string {
  return list(pairsOf(items), form);
}

/** Two by two. */
export function pairsOf(items: readonly Shaped[]): Shaped[][] {
  const all: Shaped[][] = [];
  for (let at = 0; at < items.length; at += 2) all.push([items[at] ?? null, items[at + 1] ?? null]);
  return all;
}
