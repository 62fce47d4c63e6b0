/** Remembers when requests came, so that one knows whether others are about. */

/** Milliseconds after which a request that came says nothing any more about whether others come. */
const QUIET_MS = 250;

/**
 * When requests, or organizations, were heard of last on one thread. Requests are known by objects of their own: a name could be
 * a client's.
 */
export class Arrivals {
  #last: { readonly who: object | string | undefined; at: number } = {
    who: undefined,
    at: Number.NEGATIVE_INFINITY,
  };
  /** When another one than the last was heard of. */
  #otherAt = Number.NEGATIVE_INFINITY;

  /** A request has come, or goes on with another part. @param now milliseconds on any clock */
  note(who: object | string, now: number): void {
    if (who === this.#last.who) this.#last.at = now;
    else {
      this.#otherAt = this.#last.at;
      this.#last = { who, at: now };
    }
  }

  /** Whether no other request was heard of for 250 ms. */
  isAlone(who: object | string, now: number): boolean {
    const otherAt = who === this.#last.who ? this.#otherAt : this.#last.at;
    return now - otherAt > QUIET_MS;
  }
}
