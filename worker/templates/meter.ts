/** Tells what the computation of a run cost, which is known only afterwards; then the organization's next one waits. */
import type { Context } from '../context.ts';
import type { Budget } from '../language/expressions/index.ts';
import { mayGoOn, wentOn } from '../limits/heavy-work.ts';

/** Steps that are taken to hold the thread for a millisecond where no clock tells: the dearest do. */
const STEPS_OF_A_MS = 240_000;

/** Of one run. */
export class Meter {
  readonly #ctx: Context;
  readonly #budget: Pick<Budget, 'fuel'>;
  #fuel: number;

  constructor(ctx: Context, budget: Pick<Budget, 'fuel'>) {
    this.#ctx = ctx;
    this.#budget = budget;
    this.#fuel = budget.fuel;
  }

  /**
   * Computes when the organization may, as far as that goes without waiting for anything.
   * @throws GatewayError SERVICE_UNAVAILABLE, and what the work throws
   */
  async compute<Result>(work: () => Result): Promise<Result> {
    await mayGoOn(this.#ctx, false);
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
    await mayGoOn(this.#ctx, true);
    return result;
  }

  /** Counts what was computed since the last time. */
  end(): void {
    this.#tell(0);
  }

  #tell(measuredMs: number): void {
    const steps = this.#fuel - this.#budget.fuel;
    this.#fuel = this.#budget.fuel;
    wentOn(this.#ctx, measuredMs > 0 ? measuredMs : steps / STEPS_OF_A_MS);
  }
}
