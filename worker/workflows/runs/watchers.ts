/** Calls that wait for a change of a run, in memory alone: who waits asks again after a restart. */
export class Watchers {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Waits until `holds`, which is asked after each change, or until the time has passed. */
  async until(run: string, ms: number, holds: () => boolean): Promise<void> {
    if (holds() || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(run) ?? new Set();
      this.#waiting.set(run, waiting);
      const end = () => {
        clearTimeout(timer);
        waiting.delete(look);
        if (waiting.size === 0) this.#waiting.delete(run);
        resolve();
      };
      const look = () => {
        if (holds()) end();
      };
      const timer = setTimeout(end, ms);
      waiting.add(look);
    });
  }

  /** A run has changed. */
  changed(run: string): void {
    for (const look of [...(this.#waiting.get(run) ?? [])]) look();
  }
}
