/** A clock of tests, for what waits. */

/** Goes on to the next wait that ends, once nothing else is left to do. */
export class Clock {
  /** Milliseconds that each wait takes longer than it should. */
  lateMs = 0;
  #at = 0;
  readonly #waits: { readonly until: number; readonly end: () => void }[] = [];

  now = (): number => this.#at;

  wait = (ms: number): Promise<void> =>
    new Promise((end) => {
      this.#waits.push({ until: this.#at + ms + this.lateMs, end });
      setTimeout(() => this.#goOn());
    });

  #goOn(): void {
    const first = this.#waits.toSorted((a, b) => a.until - b.until).at(0);
    if (!first) return;
    this.#waits.splice(this.#waits.indexOf(first), 1);
    this.#at = Math.max(this.#at, first.until);
    first.end();
  }
}
