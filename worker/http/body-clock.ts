/** How long a client may take to send a request's body. */
import { GatewayError } from '../../proto/errors.ts';

/** Times of a body, in milliseconds. */
export interface BodyTimes {
  /** Within which some of it arrives. */
  readonly idleMs: number;
  /** Within which all of it arrives. */
  readonly totalMs: number;
}

/** Counts while the client is waited for, and stands still while its body waits for others. */
export class BodyClock {
  readonly #times: BodyTimes;
  #leftMs: number;

  constructor(times: BodyTimes) {
    this.#times = times;
    this.#leftMs = times.totalMs;
  }

  /** What arrives next. @throws GatewayError REQUEST_TIMEOUT, and whatever it rejects with */
  async next<Arriving>(arriving: Promise<Arriving>): Promise<Arriving> {
    const { idleMs, totalMs } = this.#times;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const isIdle = idleMs < this.#leftMs;
    const timer = setTimeout(
      () => reject(isIdle ? idle(idleMs) : unfinished(totalMs)),
      isIdle ? idleMs : Math.max(0, this.#leftMs),
    );
    const begun = performance.now();
    try {
      return await Promise.race([arriving, late]);
    } finally {
      clearTimeout(timer);
      this.#leftMs -= performance.now() - begun;
    }
  }
}

function idle(ms: number): GatewayError {
  return new GatewayError('REQUEST_TIMEOUT', `Nothing of the body arrived for ${ms / 1000} s`);
}

function unfinished(ms: number): GatewayError {
  return new GatewayError('REQUEST_TIMEOUT', `The body did not arrive within ${ms / 1000} s`);
}
