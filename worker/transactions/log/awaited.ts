/** Those who wait for the next decision on a transaction, or for its end. */
export class Awaited {
  readonly #promises = new Map<string, PromiseWithResolvers<void>>();

  /** Waits for it, so many milliseconds at most. */
  async next(id: string, ms: number): Promise<void> {
    const awaited = this.#promises.get(id) ?? Promise.withResolvers<void>();
    this.#promises.set(id, awaited);
    const timer = setTimeout(() => this.wake(id), ms);
    await awaited.promise;
    clearTimeout(timer);
  }

  wake(id: string): void {
    const awaited = this.#promises.get(id);
    this.#promises.delete(id);
    awaited?.resolve();
  }
}
