/** When the next sweep of a log is due. */
import { SWEEP_EVERY_MS, SWEEP_SOON_MS, UNSURE_FOR_MS } from './sweep.ts';

/** Sweeps are close to each other as long as an earlier instance may have left something. */
export class SweepTimes {
  #sweptAt = 0;
  #unsureUntil = Date.now() + UNSURE_FOR_MS;

  /** Of a new log nothing can be left anywhere. */
  startNew(): void {
    [this.#sweptAt, this.#unsureUntil] = [Date.now(), 0];
  }

  /** Something may have been left now. */
  unsure(): void {
    this.#unsureUntil = Date.now() + UNSURE_FOR_MS;
  }

  /** A sweep begins. */
  swept(now: number): void {
    this.#sweptAt = now;
  }

  /** Unix epoch milliseconds. */
  get next(): number {
    const isUnsure = this.#sweptAt < this.#unsureUntil;
    return this.#sweptAt + (isUnsure ? SWEEP_SOON_MS : SWEEP_EVERY_MS);
  }
}
