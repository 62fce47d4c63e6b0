/** A bounded memory: what was used longest ago is forgotten first. */

/** A bound on the weight of all entries together. */
interface Weights<Value> {
  readonly most: number;
  of(value: Value): number;
}

interface Entry<Value> {
  readonly value: Value;
  /** How many entries had been put behind all others when this one was. */
  placed: number;
}

/**
 * A map of at most `max` entries, that together weigh no more than `weights` allow. An entry that is
 * used goes behind all others, unless it is among the last quarter of them: in a large map of an
 * engine, a key that is removed and set again for each use costs twenty times as much.
 */
export class LruMap<Key, Value> {
  readonly #max: number;
  readonly #weights: Weights<Value>;
  readonly #entries = new Map<Key, Entry<Value>>();
  #weight = 0;
  #placed = 0;

  constructor(max: number, weights: Weights<Value> = { most: 0, of: () => 0 }) {
    this.#max = max;
    this.#weights = weights;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (this.#placed - entry.placed > this.#entries.size >> 2) {
      this.#entries.delete(key);
      this.#place(key, entry);
    }
    return entry.value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#place(key, { value, placed: 0 });
    this.#weight += this.#weights.of(value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#max && this.#weight <= this.#weights.most) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weights.of(entry.value);
  }

  /** Removes each entry that `matches`. */
  deleteWhere(matches: (value: Value) => boolean): void {
    for (const [key, { value }] of this.#entries) {
      if (matches(value)) this.delete(key);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  #place(key: Key, entry: Entry<Value>): void {
    this.#placed += 1;
    entry.placed = this.#placed;
    this.#entries.set(key, entry);
  }
}
