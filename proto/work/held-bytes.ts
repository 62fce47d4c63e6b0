/**
 * What is held of replies that are still coming in. They come in one after another, but one that comes no
 * further makes room for the next and goes on holding what it has: together they are bounded by owner.
 */

/** Bytes that one owner may hold. */
const OWNER_MAX = 64 * 1024 * 1024;

/** One reply. */
export interface Held {
  /** So many bytes are held of it now; answers whether they may be. */
  set(bytes: number): boolean;
  /** None of it is held any more. */
  end(): void;
}

/** The replies that share one memory. */
export class HeldBytes {
  readonly #max: number;
  readonly #owners = new Map<string, number>();

  /** @param max bytes of one owner, beyond which it may hold no second reply */
  constructor(max = OWNER_MAX) {
    this.#max = max;
  }

  /** A reply. */
  begin(owner: string): Held {
    let own = 0;
    const change = (bytes: number): number => {
      const all = (this.#owners.get(owner) ?? 0) - own + bytes;
      own = bytes;
      if (all === 0) this.#owners.delete(owner);
      else this.#owners.set(owner, all);
      return all;
    };
    return {
      set: (bytes) => {
        const all = change(bytes);
        return all <= this.#max || all === bytes;
      },
      end: () => void change(0),
    };
  }
}
