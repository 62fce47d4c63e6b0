/** The line to the owner: what is asked waits while the owner starts again, and fails where it may have happened. */
import { GatewayError } from '../../proto/errors.ts';
import type { OwnerService } from './service.ts';

/** Milliseconds that the owner is taken to run after it has answered. */
const FRESH_MS = 100;
/** Milliseconds that a question waits for an owner that starts. */
const START_MAX_MS = 5_000;
/** Milliseconds between two looks. */
const AGAIN_MS = 25;
/** So many times a question is asked that may be asked again. */
const TRIES = 3;

/** What the world outside is made of; tests pass their own. */
export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

const MACHINE: Clock = {
  now: Date.now,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Of one isolate. */
export class OwnerLine {
  readonly #owner: OwnerService;
  readonly #clock: Clock;
  #heardAt = Number.NEGATIVE_INFINITY;

  constructor(owner: OwnerService, clock = MACHINE) {
    this.#owner = owner;
    this.#clock = clock;
  }

  /**
   * Asks once the owner runs. One that was lost on its way is asked again where that changes nothing.
   * @throws GatewayError SERVICE_UNAVAILABLE when the owner does not answer, or may have done what it was asked
   */
  async ask<Answer>(
    question: (owner: OwnerService) => Promise<Answer>,
    changes: 'nothing' | 'something',
  ): Promise<Answer> {
    for (let tried = 1; ; tried += 1) {
      await this.#reach();
      try {
        const answer = await question(this.#owner);
        this.#heardAt = this.#clock.now();
        return answer;
      } catch (thrown) {
        if (!isLost(thrown)) throw thrown;
        this.#heardAt = Number.NEGATIVE_INFINITY;
        if (changes === 'something' || tried === TRIES) throw unreachable(thrown);
      }
    }
  }

  /** Passes a request on as it is: who sent it knows what its loss means. */
  pass(input: string | Request, init: RequestInit): Promise<Response> {
    return this.#owner.fetch(input, init);
  }

  /** What has begun on a line that is gone may have happened, so it is made sure before that there is one. */
  async #reach(): Promise<void> {
    const { now, sleep } = this.#clock;
    if (now() - this.#heardAt < FRESH_MS) return;
    const until = now() + START_MAX_MS;
    for (;;) {
      try {
        await this.#owner.ping();
        this.#heardAt = now();
        return;
      } catch (thrown) {
        if (!isLost(thrown) || now() >= until) throw unreachable(thrown);
      }
      await sleep(AGAIN_MS);
    }
  }
}

/** Whether the line broke, as the runtime says it; what the owner itself threw comes from afar. */
function isLost(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { retryable = false, remote = false } = thrown as { retryable?: boolean; remote?: boolean };
  return retryable && !remote;
}

function unreachable(cause: unknown): GatewayError {
  const message = 'The gateway is not ready';
  return new GatewayError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: 1 });
}
