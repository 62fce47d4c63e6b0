/** The place of the one request that may be under way in a transaction, and the line of those behind it. */
export class Place {
  /** Of the request that has it. */
  readonly ticket = crypto.randomUUID();
  /** In the order in which they came, which is that in which they go on. */
  readonly #line = new Set<(isLeft: boolean) => void>();

  /** Waits until it is left. Answers false when the time is over before. @param until in milliseconds; for ever without it */
  isLeft(until?: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const go = (isLeft: boolean) => {
      clearTimeout(timer);
      this.#line.delete(go);
      resolve(isLeft);
    };
    const timer = until === undefined ? null : setTimeout(go, until - Date.now(), false);
    this.#line.add(go);
    return promise;
  }

  /** Lets those who wait look again. */
  leave(): void {
    for (const go of this.#line) go(true);
  }
}
