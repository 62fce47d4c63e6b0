/**
 * Functions that read and write one member each. An engine remembers at each place of a source
 * which names and objects it has seen there, and is twice as fast where there are few of them:
 * hence many places that are the same, handed out in turn.
 */
import type { Json, JsonObject } from '../../../proto/json.ts';

/** Reads a member that has a plain name. */
export type Load = (object: JsonObject) => Json | undefined;
/** Writes a member that has a plain name. */
export type Store = (object: JsonObject, value: Json) => void;

/** Reads a member and, where it is there, writes it as another; both have plain names. */
export type Move = (source: JsonObject, object: JsonObject) => Json | undefined;
type MoveSite = (from: string, to: string) => Move;

const LOADS: readonly ((name: string) => Load)[] = [
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
  (name) => (object) => object[name],
];
const STORES: readonly ((name: string) => Store)[] = [
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
  (name) => (object, value) => {
    object[name] = value;
  },
];
const MOVES: readonly [MoveSite, ...MoveSite[]] = [
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
  (from, to) => (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  },
];
let loads = 0;
let stores = 0;
let moves = 0;

/** A place that reads that member. */
export function loadOf(name: string): Load {
  loads = (loads + 1) % LOADS.length;
  return LOADS[loads]?.(name) ?? ((object) => object[name]);
}

/** A place that writes that member. */
export function storeOf(name: string): Store {
  stores = (stores + 1) % STORES.length;
  return (
    STORES[stores]?.(name) ??
    ((object, value) => {
      object[name] = value;
    })
  );
}

/** A place that moves one member to another. */
export function moveOf(from: string, to: string): Move {
  moves = (moves + 1) % MOVES.length;
  return (MOVES[moves] ?? MOVES[0])(from, to);
}
