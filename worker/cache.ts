/** A bounded memory of an isolate: the least recently used entry goes first. */

/** A bound on the weight of all entries together. */
export interface Weights<Value> {
  readonly most: number;
  of(value: Value): number;
}

/** A map of at most `capacity` entries, that together weigh no more than `weights` allow. */
export class Lru<Value> {
  readonly #capacity: number;
  readonly #weights: Weights<Value>;
  readonly #entries = new Map<string, Value>();
  #weight = 0;

  constructor(capacity: number, weights: Weights<Value> = { most: 0, of: () => 0 }) {
    this.#capacity = capacity;
    this.#weights = weights;
  }

  /** The entry, which is then the most recently used. */
  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#weight += this.#weights.of(value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity && this.#weight <= this.#weights.most) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weights.of(value);
  }

  /** Removes each entry that `matches`. */
  deleteWhere(matches: (value: Value) => boolean): void {
    for (const [key, value] of this.#entries) {
      if (matches(value)) this.delete(key);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }
}
