/** Names that rules give to results, as far as they are visible at one place. Contract §8, `as`. */

/** Visible names, each with the round before which its value is known; those around are seen, and not changed. */
export class ResultNames {
  readonly #around: ResultNames | undefined;
  readonly #own = new Map<string, number>();
  /** In the order in which they were given. */
  readonly #order: string[] = [];

  constructor(around?: ResultNames) {
    this.#around = around;
  }

  /** How many were given here. */
  get count(): number {
    return this.#order.length;
  }

  has(name: string): boolean {
    return this.#own.has(name) || this.#around?.has(name) === true;
  }

  get(name: string): number | undefined {
    return this.#own.get(name) ?? this.#around?.get(name);
  }

  set(name: string, round: number): void {
    if (!this.#own.has(name)) this.#order.push(name);
    this.#own.set(name, round);
  }

  /** Those that were given here after so many others. */
  since(count: number): readonly string[] {
    return this.#order.slice(count);
  }

  /** All that are visible. */
  *all(): Generator<string> {
    if (this.#around) yield* this.#around.all();
    yield* this.#order;
  }

  /** Takes in what was named within: of a name that is there already, the later round counts. */
  takeIn(within: ResultNames): void {
    for (const name of within.#order) {
      this.set(name, Math.max(within.#own.get(name) ?? 0, this.get(name) ?? 0));
    }
  }
}
