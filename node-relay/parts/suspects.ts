/** Owners whose calls may have ended parts: one that was present twice gets a part of its own for a while. Spec silent except for times. */

/** Deaths further apart say nothing. */
const WITHIN_MS = 600_000;
/** Deaths after which a key is taken out. */
const DEATHS = 2;
/** Milliseconds for which a key stays a suspect: a part that dies without calls may die of an idle connection. */
const SHORTLY_BEFORE_MS = 10_000;
/** Keys remembered at a time; the one seen longest ago is forgotten first. */
const KEYS_MAX = 10_000;

/** The owners in one part, and when they were there. */
export class Presence {
  readonly #busy = new Set<string>();
  /** Milliseconds of their last call's end. */
  readonly #left = new Map<string, number>();

  busy(key: string): void {
    this.#busy.add(key);
    this.#left.delete(key);
  }

  idle(key: string, now: number): void {
    this.#busy.delete(key);
    this.#left.delete(key);
    for (const [earliest] of this.#left) {
      if (this.#left.size < KEYS_MAX) break;
      this.#left.delete(earliest);
    }
    this.#left.set(key, now);
  }

  /** Owners that may have ended the part, had it died now. */
  suspects(now: number): string[] {
    if (this.#busy.size > 0) return [...this.#busy];
    return [...this.#left].flatMap(([key, at]) => (now - at < SHORTLY_BEFORE_MS ? [key] : []));
  }
}

/** Deaths by key. */
export class Deaths {
  readonly #times = new Map<string, number[]>();

  /** A part died with these keys present; answers those that are to be taken out, most often seen first. */
  note(keys: readonly string[], now: number): string[] {
    const counts = new Map(keys.map((key) => [key, this.#noteOne(key, now)]));
    return [...counts]
      .filter(([, count]) => count >= DEATHS)
      .sort(([, one], [, other]) => other - one)
      .map(([key]) => key);
  }

  #noteOne(key: string, now: number): number {
    const recent = (this.#times.get(key) ?? []).filter((time) => now - time < WITHIN_MS);
    const times = [...recent, now];
    this.#times.delete(key);
    for (const [earliest] of this.#times) {
      if (this.#times.size < KEYS_MAX) break;
      this.#times.delete(earliest);
    }
    this.#times.set(key, times);
    return times.length;
  }
}
