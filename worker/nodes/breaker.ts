/**
 * A circuit breaker. The libraries there are keep promises or timers of one request for the next,
 * which the edge runtime forbids: here is only what was counted, on a clock that is given.
 */

/** Failures one after another that open it. Spec silent. */
const FAILURES_MAX = 3;
/** Milliseconds that it stays open the first time; doubled each time after, up to the longest. Spec silent. */
const OPEN_MS = 1_000;
const OPEN_MAX_MS = 30_000;
/** A probe that has not ended after so many milliseconds leaves its turn to another. */
const PROBE_MAX_MS = 5_000;

/** Of one node and endpoint. Times are in Unix epoch milliseconds. */
export class Breaker {
  #failures = 0;
  #openUntil = 0;
  #openMs = OPEN_MS;
  #probedAt = Number.NEGATIVE_INFINITY;

  /** A call failed there. */
  failed(now: number): void {
    this.#failures += 1;
    if (this.#failures < FAILURES_MAX || now < this.#openUntil) return;
    this.#openUntil = now + this.#openMs;
    this.#openMs = Math.min(this.#openMs * 2, OPEN_MAX_MS);
    this.#probedAt = Number.NEGATIVE_INFINITY;
  }

  /** A call did well there. */
  succeeded(): void {
    this.#failures = 0;
    this.#openUntil = 0;
    this.#openMs = OPEN_MS;
  }

  /** Whether calls had better go elsewhere; when it was open for long enough, one call is let through. */
  isOpen(now: number): boolean {
    if (this.#failures < FAILURES_MAX) return false;
    if (now < this.#openUntil || now - this.#probedAt < PROBE_MAX_MS) return true;
    this.#probedAt = now;
    return false;
  }
}
