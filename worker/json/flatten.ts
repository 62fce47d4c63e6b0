/** `/json/flatten`: a value as one object from path to leaf. Contract §7. */
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import { namesOf } from '../../proto/ordered-json.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import { dotted } from '../language/paths/dotted.ts';
import { leafCost, paceOfLeaves, type ResultLimits, resultMaxBytes } from './limits.ts';
import { ObjectWriter } from './object-writer.ts';

/**
 * The object, written.
 * @throws GatewayError RESULT_TOO_LARGE
 */
export function* flattened(
  { json, prefix }: { readonly json: Json; readonly prefix: string },
  limits: ResultLimits,
): Pieces<Uint8Array> {
  const writer = new ObjectWriter(resultMaxBytes(limits));
  yield* flatten(json, prefix, (path, leaf) => {
    // Spec silent: an empty object without a prefix has no name to be under.
    if (path !== '' || leaf !== json || !isJsonObject(json)) writer.put(path, leaf);
  });
  return writer.finish();
}

/** What of an array or object is still to be flattened. */
interface Open {
  readonly path: string;
  readonly array: Json[] | undefined;
  readonly object: JsonObject | undefined;
  readonly names: readonly string[];
  at: number;
}

/**
 * Hands over each leaf with its path, in order; no path comes twice.
 * @param path of the value, in the dotted notation
 */
export function* flatten(
  value: Json,
  path: string,
  put: (path: string, leaf: Json) => void,
): Pieces<void> {
  const open: Open[] = [];
  const enter = (own: Json, at: string) => {
    const opened = openedOf(own, at);
    if (opened) open.push(opened);
    else put(at, own);
  };
  enter(value, path);
  const pace = paceOfLeaves();
  for (let innermost = open.at(-1); innermost !== undefined; innermost = open.at(-1)) {
    const child = next(innermost);
    if (child === undefined) open.pop();
    else {
      enter(child.value, child.path);
      if (pace.isOver(leafCost(child.path))) yield;
    }
  }
}

function next(open: Open): { readonly value: Json; readonly path: string } | undefined {
  const { array, object, names, at } = open;
  if (at >= (array ?? names).length) return undefined;
  open.at += 1;
  const key = array ? at : (names[at] ?? '');
  const value = (array ? array[at] : object?.[key]) ?? null;
  return { value, path: dotted.child(open.path, key) };
}

function openedOf(value: Json, path: string): Open | undefined {
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    return { path, array: value, object: undefined, names: [], at: 0 };
  }
  if (!isJsonObject(value)) return undefined;
  const names = namesOf(value);
  return names.length === 0 ? undefined : { path, array: undefined, object: value, names, at: 0 };
}
