/** Time that passes only when nothing else is left to do. */

interface Timer {
  readonly at: number;
  readonly ring: () => void;
}

/** A clock that jumps from one moment to the next at which something happens. */
export class Clock {
  now = 0;
  /** Two things happened at one moment, whose order nothing settles. */
  isTied = false;
  #timers: Timer[] = [];
  #rang = -1;
  #soon: (() => void)[] = [];

  /** Does something at this moment, after all that follows from what has happened. */
  soon(run: () => void): void {
    this.#soon.push(run);
  }

  /** Does something later; answers how to take that back. */
  later(ms: number, ring: () => void): () => void {
    const timer = { at: this.now + ms, ring };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.later(ms, resolve);
    });
  }

  /** Lets time pass until something is done. @throws Error when nothing more can happen */
  async until(isDone: () => boolean): Promise<void> {
    for (;;) {
      await settled();
      const soon = this.#soon.splice(0);
      for (const run of soon) run();
      if (soon.length > 0) continue;
      if (isDone()) return;
      const [first, ...others] = this.#timers.sort((one, other) => one.at - other.at);
      if (!first) throw new Error('Nothing more happens, and the model has not ended');
      this.#timers = others;
      // The first may take back another of its moment.
      this.isTied ||= first.at === this.#rang || first.at === others[0]?.at;
      this.#rang = first.at;
      this.now = first.at;
      first.ring();
    }
  }
}

/** All that follows from what has happened is done. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Says that what runs under it is to begin nothing more. */
export class Stop {
  isStopped = false;
  readonly #listeners = new Set<() => void>();

  /** One that stops with this one. */
  inner(): Stop {
    const inner = new Stop();
    this.listen(() => inner.stop());
    return inner;
  }

  listen(tell: () => void): () => void {
    if (this.isStopped) tell();
    else this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  }

  stop(): void {
    if (this.isStopped) return;
    this.isStopped = true;
    for (const tell of [...this.#listeners]) tell();
    this.#listeners.clear();
  }
}
