/** Which places of a document were found already: told by where they hang, without writing their paths down. */
import type { Json } from '../../proto/json.ts';
import type { Budget } from '../language/paths/budget.ts';
import type { Match } from '../language/paths/match.ts';

/** What remembering a place costs. */
const STEPS_PER_PLACE = 8;

/** Places of one document, whose arrays and objects are each in one place only. */
export class Places {
  readonly #children = new Map<Json, Set<string | number>>();
  #hasTop = false;

  /** Adds a place; whether it was new. */
  add({ parent, key }: Match, budget: Budget): boolean {
    budget.charge(STEPS_PER_PLACE);
    if (parent === undefined) {
      const isNew = !this.#hasTop;
      this.#hasTop = true;
      return isNew;
    }
    const keys = this.#children.get(parent.value);
    if (keys === undefined) this.#children.set(parent.value, new Set([key]));
    else if (keys.has(key)) return false;
    else keys.add(key);
    return true;
  }
}
