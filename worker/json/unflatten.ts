/** `/json/unflatten`: the value that was flattened. Contract §7. */
import { GatewayError } from '../../proto/errors.ts';
import { DEPTH_MAX, type Json, type JsonObject } from '../../proto/json.ts';
import { Builder } from '../paths/build.ts';
import { cutLast, parseDotted } from '../paths/dotted.ts';
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
  /** The path above the last name; names that follow each other mostly have the same. */
  let above = '';
  for (const name of Object.keys(flat)) {
    const value = flat[name] ?? null;
    const cut = cutLast(name);
    const isBeside = cut?.at === above.length && name.startsWith(above) && above !== '';
    const fault = isBeside ? builder.putBeside(cut.last, value) : builder.put(keysIn(name), value);
    if (fault !== undefined) throw badName(name, fault);
    if (!isBeside) above = cut ? name.slice(0, cut.at) : '';
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
