/** Bounds work by counting it: a clock stands still while an isolate computes. */

/** Steps of a filter that looks at one value, which cannot be interrupted. Spec silent. */
export const FILTER_STEPS_MAX = 2_000_000;

/** What takes too many steps. */
type Scale = 'all' | 'filter';

/** Steps that may still be taken. A step takes some 12 nanoseconds at most, whatever it is of. */
export class Budget {
  #spent = 0;
  readonly #limit: number;
  readonly #exhausted: (scale: Scale) => Error;
  /** Where the filter that is at work has to end, if one is. */
  #fence = Number.POSITIVE_INFINITY;
  /** The lower of both. */
  #most: number;

  /** @param exhausted makes what is thrown when no step is left */
  constructor(steps: number, exhausted: (scale: Scale) => Error) {
    this.#limit = steps;
    this.#most = steps;
    this.#exhausted = exhausted;
  }

  /** Steps that were taken. */
  get spent(): number {
    return this.#spent;
  }

  /** @throws what the constructor was given */
  charge(steps: number): void {
    this.#spent += steps;
    if (this.#spent <= this.#most) return;
    throw this.#exhausted(this.#spent > this.#limit ? 'all' : 'filter');
  }

  /** Begins a filter of one value; one within another changes nothing. Answers what `leave` takes. */
  enter(): number {
    const before = this.#fence;
    if (before === Number.POSITIVE_INFINITY) this.leave(this.#spent + FILTER_STEPS_MAX);
    return before;
  }

  /** Ends it. */
  leave(fence: number): void {
    this.#fence = fence;
    this.#most = Math.min(this.#limit, fence);
  }
}
