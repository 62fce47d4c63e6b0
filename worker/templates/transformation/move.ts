/** A function that reads one member and writes it as another. */
import type { Json, JsonObject } from '../../../proto/json.ts';

/** Reads a member and, where it is there, writes it as another; both have plain names. */
type Move = (source: JsonObject, object: JsonObject) => Json | undefined;

/** Moves one member to another. */
export function moveOf(from: string, to: string): Move {
  return (source, object) => {
    const value = source[from];
    if (value !== undefined) object[to] = value;
    return value;
  };
}
