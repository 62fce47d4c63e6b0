/** `/json/unflatten`: the value that was flattened. Contract §7. */
import { badRequest, type GatewayError } from '../../proto/errors.ts';
import { DEPTH_MAX, type Json, type JsonObject } from '../../proto/json.ts';
import { namesOf } from '../../proto/ordered-json.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import { Builder } from '../language/paths/build.ts';
import { cutLast, parseDotted } from '../language/paths/dotted.ts';
import { faultOf, PathFault } from '../language/paths/fault.ts';
import type { Segment } from '../language/paths/step.ts';
import { leafCost, paceOfLeaves } from './limits.ts';

/** Characters of a name that an error shows. */
const SHOWN = 100;

/**
 * The value whose leaves are under their paths. A leaf may be any value, and stays as it is.
 * Without any leaf it is an empty object.
 * @throws GatewayError BAD_REQUEST for a name that is no path, or is in another's way
 */
export function* unflatten(flat: JsonObject): Pieces<Json> {
  const builder = new Builder();
  /** The path above the last name; names that follow each other mostly have the same. */
  let above = '';
  const pace = paceOfLeaves();
  for (const name of namesOf(flat)) {
    if (pace.isOver(leafCost(name))) yield;
    const cut = cutLast(name);
    const isBeside = cut?.at === above.length && name.startsWith(above) && above !== '';
    put(builder, name, flat[name] ?? null, isBeside ? cut.last : undefined);
    if (!isBeside) above = cut ? name.slice(0, cut.at) : '';
  }
  const built = builder.finish();
  return built === undefined ? {} : built;
}

/** @param beside the last key, where the one before has all others */
function put(builder: Builder, name: string, value: Json, beside: Segment | undefined): void {
  const fault =
    beside === undefined ? builder.put(keysIn(name), value) : builder.putBeside(beside, value);
  if (fault !== undefined) throw badName(name, fault);
}

function keysIn(name: string): Segment[] {
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
  return badRequest(path, message);
}
