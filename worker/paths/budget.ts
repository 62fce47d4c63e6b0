/** Bounds work by counting it: a clock stands still while an isolate computes. */

/** Steps that may still be taken. A step takes some 12 nanoseconds at most, whatever it is of. */
export class Budget {
  #left: number;
  readonly #exhausted: () => Error;

  /** @param exhausted makes what is thrown when no step is left */
  constructor(steps: number, exhausted: () => Error) {
    this.#left = steps;
    this.#exhausted = exhausted;
  }

  /** @throws what the constructor was given */
  charge(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw this.#exhausted();
  }
}
