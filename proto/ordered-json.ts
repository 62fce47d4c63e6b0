/** Objects that know the order in which their members were written, where JavaScript has another. */

import { isRawJson, type Json, type JsonObject, parseJson } from './json.ts';

/** What begins like an index is moved before other names. Source: ECMA-262, OrdinaryOwnPropertyKeys. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;
const [ZERO, NINE] = [0x30, 0x39];
/** Names of an object's members in the order in which they were written, where JavaScript has another. */
const ORDER = Symbol('order');
/** Of arrays and objects: they are such an object, or have one within. */
const MOVED = Symbol('moved');

/** Names from which on an object is read once with them: each time it is asked for its names, JavaScript sorts them. */
export const MANY = 4_096;
/** Names of objects that have so many, and take no more. */
const known = new WeakMap<JsonObject, readonly string[]>();
/** What is as `MOVED` says, and takes no members. */
const movedAside = new WeakSet<object>();

/** The same object; of one with very many members `namesOf` then answers these at once, and no more can be put. */
export function withNames(object: JsonObject, names: readonly string[]): JsonObject {
  if (names.length < MANY) return object;
  known.set(object, names);
  return Object.preventExtensions(object);
}

/** An index so large that the engine keeps all indices of its object in a table from then on, also once it is gone. */
const FAR = String(2 ** 30);

/**
 * To be called now and then for an object that takes very many members whose names are indices: the engine would move all of them
 * into an array and back as their number grows, which took 680 ms for 350,000.
 */
export function keepSparse(object: JsonObject): void {
  if (Object.hasOwn(object, FAR)) return;
  object[FAR] = null;
  delete object[FAR];
}

/** Names of an object's members, in the order in which they were written; those that were put later follow. */
export function namesOf(object: JsonObject): readonly string[] {
  return known.get(object) ?? namesNow(object);
}

/** The name of an object's only member; undefined where it has none, or several. One of very many members is not asked for them all. */
export function onlyNameOf(object: JsonObject): string | undefined {
  const names = namesOf(object);
  return names.length === 1 ? names[0] : undefined;
}

function namesNow(object: JsonObject): readonly string[] {
  const order = (object as Ordered)[ORDER];
  const names = Object.keys(object);
  if (order === undefined || order.length === names.length) return order ?? names;
  const told = new Set(order);
  return [
    ...order.filter((name) => Object.hasOwn(object, name)),
    ...names.filter((name) => !told.has(name)),
  ];
}

/** The same object, whose members are then told in this order, which is that of their names. */
export function inOrder(object: JsonObject, names: readonly string[]): JsonObject {
  if (names.some((name) => INDEX.test(name)))
    Object.defineProperty(object, ORDER, { value: names, configurable: true });
  return object;
}

/** A copy, whose members are told in the order of those that it was made of. */
export function inOrderOf<Copy extends Json[] | JsonObject>(copy: Copy, original: Copy): Copy {
  const { [ORDER]: names, [MOVED]: moved } = original as Ordered;
  if (names !== undefined) {
    Object.defineProperty(copy, ORDER, { value: names, configurable: true });
  }
  if (moved !== undefined) Object.defineProperty(copy, MOVED, { value: moved });
  return copy;
}

/** JSON that is only written, and not looked into. */
class Unread {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Stands for JSON that is only written, as for what nests too deep to be read; nothing else may be asked of it. */
export function unread(text: string): Json {
  // Between its tokens alone: what is written has one line.
  return asMoved(new Unread(text.replace(/[\n\r]/g, ' ')) as unknown as JsonObject);
}

/** JSON text with members in the order that `namesOf` gives. No promise on what nests deeper than `DEPTH_MAX`. */
export function orderedText(value: Json): string {
  if (typeof value !== 'object' || value === null || isRawJson(value)) return JSON.stringify(value);
  if (value instanceof Unread) return value.text;
  if (Array.isArray(value)) return `[${value.map(orderedText).join()}]`;
  const members = namesOf(value).flatMap((name) => {
    const member = value[name];
    return member === undefined ? [] : [`${JSON.stringify(name)}:${orderedText(member)}`];
  });
  return `{${members.join()}}`;
}

/** The value as `parseJson` reads it: without the order, and with numbers as doubles where they fit. */
export function unordered(value: Json): Json {
  return parseJson(JSON.stringify(value));
}

/** Whether the names are in an order that JavaScript does not keep. */
export function isReordered(object: JsonObject): boolean {
  return (object as Ordered)[ORDER] !== undefined;
}

/** Whether a value that was read here, or registered by `asMoved`, is such an object or contains one. */
export function isMovedWithin(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (value as Ordered)[MOVED] === true || movedAside.has(value);
}

/** The same array or object, where `isMovedWithin` says so. */
export function asMoved<Value extends Json>(value: Value): Value {
  const isContainer = typeof value === 'object' && value !== null && !isRawJson(value);
  if (!isContainer || isMovedWithin(value)) return value;
  if (Object.isExtensible(value)) Object.defineProperty(value, MOVED, { value: true });
  else movedAside.add(value);
  return value;
}

/** A new array or object: where `isMovedWithin` says so of one of its members, it does so of it. */
export function withMoved<Value extends Json>(value: Value): Value {
  const isAny =
    typeof value === 'object' && value !== null && Object.values(value).some(isMovedWithin);
  return isAny ? asMoved(value) : value;
}

/** Whether JavaScript lists a member of that name ahead of others, wherever it was put. */
export function isMovedName(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= ZERO && first <= NINE && INDEX.test(name);
}

interface Ordered {
  readonly [ORDER]?: readonly string[];
  readonly [MOVED]?: true;
}
