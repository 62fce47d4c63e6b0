/** Time as it passes for this process: while others have the processor, none does. */

const TICK_MS = 20;

/** Counts from when it is made. */
export class OwnTime implements Disposable {
  ms = 0;
  #seen = performance.now();
  #used = process.threadCpuUsage();
  readonly #timer = setInterval(() => this.#tick(), TICK_MS);

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** A tick that is late counts for as long as this thread worked meanwhile. */
  #tick(): void {
    const now = performance.now();
    const { user, system } = process.threadCpuUsage(this.#used);
    this.ms += Math.min(now - this.#seen, Math.max(TICK_MS, (user + system) / 1000));
    this.#seen = now;
    this.#used = process.threadCpuUsage();
  }
}
