/** What values come to as JSON, and values of expressions as JSON. */
import {
  isRawJson,
  type Json,
  type JsonObject,
  type RawJson,
  setMember,
} from '../../../proto/json.ts';
import { inOrderOf, isMovedWithin } from '../../../proto/ordered-json.ts';
import { Callable, type Value } from '../../language/expressions/index.ts';
import type { Execution } from './execution.ts';
import { RuleFault, RunOver } from './failure.ts';

/** Most arrays and objects within each other that an output may have; as many as an input. Spec silent. */
const DEPTH_MAX = 1000;
/** Bytes that an array or object takes besides its members, and that one of these takes. */
export const CONTAINER_BYTES = 28;
export const ELEMENT_BYTES = 4;
/** Bytes of JSON that a value takes which is no text, array or object. */
export const SCALAR_BYTES = 8;
const NUMBER_BYTES = 12;

/** Counts a value that only moves from where it was. @throws RunOver */
export function tellMoved(value: Json, x: Execution): void {
  if (typeof value === 'string') x.tell(value.length + 3);
  else if (typeof value !== 'object' || value === null) x.tell(SCALAR_BYTES);
  else {
    x.isMoved ||= isMovedWithin(value);
    x.tell(bytesOf(value, x, 0));
  }
}

/** Bytes of JSON, roughly; ends as soon as there is no room for them. */
function bytesOf(value: Json[] | JsonObject | RawJson, x: Execution, depth: number): number {
  if (isRawJson(value)) return value.rawJSON.length + 1;
  if (depth > DEPTH_MAX) throw new RunOver('depth');
  return Array.isArray(value) ? elementBytes(value, x, depth) : memberBytes(value, x, depth);
}

function elementBytes(array: readonly Json[], x: Execution, depth: number): number {
  let bytes = 2;
  x.spend(1 + (array.length >> 2));
  for (const each of array) {
    bytes += partBytes(each, x, depth);
    if (bytes > x.bytes) throw new RunOver('memory');
  }
  return bytes;
}

function memberBytes(object: JsonObject, x: Execution, depth: number): number {
  let bytes = 2;
  x.spend(1);
  // A loop of the engine's fastest sort: values are of JSON, nothing is inherited.
  for (const name in object) {
    bytes += name.length + 3 + partBytes(object[name] ?? null, x, depth);
    if (bytes > x.bytes) throw new RunOver('memory');
  }
  return bytes;
}

function partBytes(value: Json, x: Execution, depth: number): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return SCALAR_BYTES;
  return bytesOf(value, x, depth + 1);
}

/**
 * A value that an expression, a function or a transformer made, as JSON: members that are
 * undefined are left out, such elements are null.
 * @throws RuleFault for what JSON does not have
 */
export function jsonOf(value: Exclude<Value, undefined>, x: Execution): Json {
  if (typeof value === 'string') {
    x.take(16 + value.length);
    return value;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw notJson(`the number ${value}`);
    if (value !== (value | 0)) x.take(NUMBER_BYTES);
    return value;
  }
  if (typeof value !== 'object' || value === null) return value;
  return containerOf(value, x, 0);
}

function containerOf(value: object, x: Execution, depth: number): Json {
  if (isRawJson(value)) return value;
  if (depth > DEPTH_MAX) throw new RunOver('depth');
  x.spend(1);
  if (Array.isArray(value)) return arrayOf(value, x, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw notJson(value instanceof Callable ? 'a function' : 'a regular expression');
  }
  // Of the language's objects only functions and regular expressions have another prototype.
  return objectOf(value as { readonly [name: string]: Value }, x, depth);
}

function arrayOf(array: readonly Value[], x: Execution, depth: number): Json {
  x.take(CONTAINER_BYTES + ELEMENT_BYTES * array.length);
  x.spend(array.length >> 1);
  let copy: Json[] | undefined;
  for (let at = 0; at < array.length; at += 1) {
    const each = array[at];
    const json = each === undefined ? null : partOf(each, x, depth);
    if (copy === undefined && json !== each) copy = array.slice(0, at) as Json[]; // Those were JSON.
    copy?.push(json);
  }
  return copy ?? (array as Json[]); // Every element was found to be JSON.
}

function objectOf(object: { readonly [name: string]: Value }, x: Execution, depth: number): Json {
  const names = Object.keys(object);
  x.take(CONTAINER_BYTES + SCALAR_BYTES * names.length);
  x.spend(names.length >> 1);
  let copy: JsonObject | undefined;
  for (const [at, name] of names.entries()) {
    const each = object[name];
    const json = each === undefined ? undefined : partOf(each, x, depth);
    if (copy === undefined && (json !== each || json === undefined)) {
      copy = {};
      // Those were JSON.
      for (const known of names.slice(0, at)) setMember(copy, known, object[known] as Json);
    }
    if (copy !== undefined && json !== undefined) setMember(copy, name, json);
  }
  return copy ?? (object as JsonObject); // Every member was found to be JSON.
}

function partOf(value: Exclude<Value, undefined>, x: Execution, depth: number): Json {
  return typeof value === 'object' && value !== null
    ? containerOf(value, x, depth + 1)
    : jsonOf(value, x);
}

/** Why it is not a number, most often. */
const NO_NUMBER =
  ': it computes with what is no number, such as a text or what is not there; + joins texts, and Number(x) makes a number of one';

function notJson(what: string): RuleFault {
  const why = what.endsWith(' NaN') ? NO_NUMBER : '';
  return new RuleFault(`gives ${what}, which JSON does not have${why}`);
}

/** A copy of the first levels of a value, charged: rules write below it. @throws RunOver */
export function copied(value: Json, depth: number, x: Execution): Json {
  if (depth <= 0 || typeof value !== 'object' || value === null || isRawJson(value)) return value;
  if (Array.isArray(value)) {
    x.spend(value.length);
    x.take(CONTAINER_BYTES + ELEMENT_BYTES * value.length);
    const own = value.map((each) => copied(each, depth - 1, x));
    return inOrderOf(own, value);
  }
  const names = Object.keys(value);
  x.spend(names.length);
  x.take(CONTAINER_BYTES + SCALAR_BYTES * names.length);
  const copy: JsonObject = {};
  for (const name of names) setMember(copy, name, copied(value[name] ?? null, depth - 1, x));
  return inOrderOf(copy, value);
}
