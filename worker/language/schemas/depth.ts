/** How deep a schema may be nested. */
import { badRequest } from '../../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { namesOf } from '../../../proto/ordered-json.ts';
import { Pace, type Pieces } from '../../../proto/work/pieces.ts';
import { DEEPEST } from './validation-budget.ts';

/** Values that are looked at between two pauses. */
const VALUES_OF_A_PIECE = 4_096;

/**
 * Refuses what the runtime's own recursions could not walk.
 * @param at where it is in the request
 * @throws GatewayError BAD_REQUEST
 */
export function* requireShallow(value: Json, at: string): Pieces<void> {
  const pace = new Pace(VALUES_OF_A_PIECE);
  let level: Json[] = [value];
  let isAny = true;
  for (let depth = 0; isAny; depth += 1) {
    if (depth > DEEPEST) {
      const message = `is nested more than ${DEEPEST} deep`;
      throw badRequest(at, message);
    }
    const below: Json[] = [];
    isAny = false;
    for (const each of level) {
      const count = addContainers(each, below);
      isAny ||= count > 0;
      if (pace.isOver(1 + count)) yield;
    }
    level = below;
  }
}

/** Adds those values of an array or object that may hold others; answers how many values it has. */
function addContainers(value: Json, to: Json[]): number {
  if (Array.isArray(value)) {
    for (const item of value) if (isContainer(item)) to.push(item);
    return value.length;
  }
  if (!isJsonObject(value)) return 0;
  const names = namesOf(value);
  for (const name of names) {
    const member = value[name];
    if (isContainer(member)) to.push(member);
  }
  return names.length;
}

function isContainer(value: Json | undefined): value is Json[] | JsonObject {
  return typeof value === 'object' && value !== null;
}
