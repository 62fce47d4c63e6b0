/** Reports what the computation of a run cost, which is known only afterwards; then the organization's next one waits. */
import type { Context } from '../context.ts';
import { mayGoOn, tookMore, wentOn } from './heavy-work.ts';
import { threadTime } from './thread-time.ts';

/** Steps that are taken to hold the thread for a millisecond where no clock says: the dearest do. */
const STEPS_OF_A_MS = 240_000;

/** Milliseconds from which on it is looked at afterwards what they took. */
const LOOKED_AT_MS = 3;

/** Milliseconds that so many steps hold the thread for, at most. */
export function msOfSteps(steps: number): number {
  return steps / STEPS_OF_A_MS;
}

/** What is left of the steps of a run. */
interface Fuel {
  readonly fuel: number;
}

/** Of one run, or of one filter and mapping. */
export class Meter {
  readonly #ctx: Context;
  readonly #budget: Fuel;
  readonly #turn: (begun: boolean) => Promise<void>;
  #fuel: number;

  /** @param turn how it waits until the organization may go on, and whether what has begun is never refused */
  constructor(
    ctx: Context,
    budget: Fuel,
    turn: (begun: boolean) => Promise<void> = (begun) => mayGoOn(ctx, begun),
  ) {
    this.#ctx = ctx;
    this.#budget = budget;
    this.#turn = turn;
    this.#fuel = budget.fuel;
  }

  /**
   * Computes when the organization may, as far as that goes without waiting for anything.
   * @param begun whether a refusal would hide what was done already
   * @throws GatewayError SERVICE_UNAVAILABLE unless it has begun, and what the work throws
   */
  async compute<Result>(work: () => Result, begun = false): Promise<Result> {
    await this.#turn(begun);
    const started = performance.now();
    try {
      return work();
    } finally {
      this.#tell(performance.now() - started);
    }
  }

  /** Waits for something else, and then until the organization may go on computing. */
  async pause<Result>(until: () => Promise<Result>): Promise<Result> {
    this.#tell(0);
    const result = await until();
    await this.#turn(true);
    return result;
  }

  /** Counts what was computed since the last time. */
  end(): void {
    this.#tell(0);
  }

  #tell(measuredMs: number): void {
    const steps = this.#fuel - this.#budget.fuel;
    this.#fuel = this.#budget.fuel;
    if (measuredMs > 0) {
      wentOn(this.#ctx, measuredMs, measuredMs);
      return;
    }
    const toldMs = msOfSteps(steps);
    wentOn(this.#ctx, toldMs);
    if (toldMs > LOOKED_AT_MS) this.#ctx.afterReply(this.#lookAt(toldMs));
  }

  /** The clock stands still until something is waited for. */
  async #lookAt(toldMs: number): Promise<void> {
    const from = threadTime.now();
    await threadTime.wait(0);
    tookMore(this.#ctx, from, toldMs);
  }
}
