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

/** Whether calls go through. */
type BreakerState = 'closed' | 'open' | 'half-open';

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

  /**
   * How calls are to take it. Half open, the one call that asks is to try it, and others are not.
   * @param tries whether the call that asks would try it now
   */
  state(now: number, tries = true): BreakerState {
    if (this.#failures < FAILURES_MAX) return 'closed';
    if (!tries || now < this.#openUntil || now - this.#probedAt < PROBE_MAX_MS) return 'open';
    this.#probedAt = now;
    return 'half-open';
  }
}
