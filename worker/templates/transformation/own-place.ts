/** Places one or two names below an output that is an object: where most rules write. */
import { isJsonObject, type JsonObject } from '../../../proto/json.ts';
import type { Execution } from './execution.ts';
import { RuleFault } from './failure.ts';
import { CONTAINER_BYTES, ELEMENT_BYTES } from './measure.ts';
import type { Target } from './target.ts';

/** How such a place is written to. */
export interface OwnPlace {
  /**
   * The object that the value goes into, which is made where it is missing. Left out where that
   * is the output itself.
   * @throws RunOver, RuleFault where something else is there: it may be an array, which is no fault
   */
  readonly open?: (object: JsonObject, x: Execution) => JsonObject;
  /** The name in that object. */
  readonly name: string;
}

/** Undefined of places that are further below, and of names that mean something to every object. */
export function ownPlaceOf({ name, steps }: Target): OwnPlace | undefined {
  if (name !== undefined) return { name };
  const [first, second, ...others] = steps;
  if (others.length > 0 || !isPlain(first) || !isPlain(second)) return undefined;
  return {
    open(object, x) {
      const found = object[first];
      // As any write makes its way and takes its room.
      x.take(2 * ELEMENT_BYTES);
      if (isJsonObject(found)) return found;
      if (found !== undefined) throw new RuleFault('there is no object on the way to its target');
      x.take(CONTAINER_BYTES + 2 * ELEMENT_BYTES);
      const made: JsonObject = {};
      object[first] = made;
      return made;
    },
    name: second,
  };
}

function isPlain(step: unknown): step is string {
  return typeof step === 'string' && step !== '' && !(step in Object.prototype);
}
