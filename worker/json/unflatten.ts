/** `/json/unflatten`: the value that was flattened. Contract §7. */
import { GatewayError } from '../../proto/errors.ts';
import { DEPTH_MAX, type Json, type JsonObject } from '../../proto/json.ts';
import { Builder } from '../paths/build.ts';
import { parseDotted } from '../paths/dotted.ts';
import { faultOf, PathFault } from '../paths/fault.ts';
import type { Key } from '../paths/step.ts';

/** Characters of a name that an error shows. */
const SHOWN = 100;

/**
 * The value whose leaves stand under their paths. A leaf may be any value, and stays as it is.
 * Without any leaf it is an empty object.
 * @throws GatewayError BAD_REQUEST for a name that is no path, or is in another's way
 */
export function unflatten(flat: JsonObject): Json {
  const builder = new Builder();
  for (const name of Object.keys(flat)) {
    const fault = builder.put(keysIn(name), flat[name] ?? null);
    if (fault !== undefined) throw badName(name, fault);
  }
  const built = builder.finish();
  return built === undefined ? {} : built;
}

function keysIn(name: string): Key[] {
  try {
    const keys = parseDotted(name);
    if (keys.length <= DEPTH_MAX) return keys;
  } catch (fault) {
    if (fault instanceof PathFault) throw badName(name, faultOf(name, fault));
    throw fault;
  }
  throw badName(name, `has more than ${DEPTH_MAX} steps`);
}

function badName(name: string, message: string): GatewayError {
  const path = name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name;
  return new GatewayError('BAD_REQUEST', `${path}: ${message}`, { details: [{ path, message }] });
}
