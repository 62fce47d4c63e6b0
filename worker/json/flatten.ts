/** `/json/flatten`: a value as one object from path to leaf. Contract §7. */
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import type { Context } from '../context.ts';
import type { JsonBytes } from '../http/route.ts';
import { dotted } from '../paths/dotted.ts';
import { resultMaxBytes } from './limits.ts';
import { ObjectWriter } from './object-writer.ts';

/** @throws GatewayError RESULT_TOO_LARGE */
export async function flattenValue(
  { settings }: Context,
  { body: { json, prefix } }: { body: { json: Json; prefix: string } },
): Promise<JsonBytes> {
  const writer = new ObjectWriter(resultMaxBytes(settings));
  // Spec silent: an empty object without a prefix has no name to stand under.
  const isNothing = prefix === '' && isJsonObject(json) && Object.keys(json).length === 0;
  if (!isNothing) flatten(json, prefix, (path, leaf) => writer.put(path, leaf));
  return writer.finish();
}

/**
 * Hands over each leaf with its path, in order; no path comes twice. The depth of a body is
 * bounded, so this may recurse.
 * @param path of the value, in the dotted notation
 */
export function flatten(value: Json, path: string, put: (path: string, leaf: Json) => void): void {
  if (Array.isArray(value) && value.length > 0) {
    for (let at = 0; at < value.length; at += 1) {
      flatten(value[at] ?? null, dotted.child(path, at), put);
    }
  } else if (isJsonObject(value) && hasMembers(value)) {
    for (const name of Object.keys(value)) {
      flatten(value[name] ?? null, dotted.child(path, name), put);
    }
  } else put(path, value);
}

function hasMembers(value: JsonObject): boolean {
  for (const name in value) if (Object.hasOwn(value, name)) return true;
  return false;
}
