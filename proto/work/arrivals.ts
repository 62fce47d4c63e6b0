/** Remembers when requests came, so that one knows whether others are about. */

/** Milliseconds after which a request that came says nothing any more about whether others come. */
const QUIET_MS = 250;

/** The last two requests on one thread. */
export class Arrivals {
  #last = { id: '', at: Number.NEGATIVE_INFINITY };
  /** When the last one before that came. */
  #beforeAt = Number.NEGATIVE_INFINITY;

  /** A request has come, or goes on with another part. @param now milliseconds on any clock */
  note(id: string, now: number): void {
    if (id === this.#last.id) return;
    this.#beforeAt = this.#last.at;
    this.#last = { id, at: now };
  }

  /** Whether no other request has come for 250 ms. */
  isAlone(id: string, now: number): boolean {
    const otherAt = id === this.#last.id ? this.#beforeAt : this.#last.at;
    return now - otherAt > QUIET_MS;
  }
}
