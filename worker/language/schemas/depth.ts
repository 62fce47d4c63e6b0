/** How deep a schema may be nested. */
import { badRequest } from '../../../proto/errors.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { DEEPEST } from './validation-budget.ts';

/**
 * Refuses what the runtime's own recursions could not walk.
 * @param at where it is in the request
 * @throws GatewayError BAD_REQUEST
 */
export function requireShallow(value: Json, at: string): void {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) {
      const message = `is nested more than ${DEEPEST} deep`;
      throw badRequest(at, message);
    }
    level = level.flatMap((each) => {
      if (Array.isArray(each)) return each;
      return isJsonObject(each) ? Object.values(each) : [];
    });
  }
}
