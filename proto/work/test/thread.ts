/** A thread by a clock that only the test moves. */
import type { Pieces } from '../pieces.ts';
import { WorkQueue } from '../queue.ts';

/** A thread on which work takes the time that it says, and nothing else any. */
export class Thread {
  at = 0;
  readonly worked: { readonly owner: string; readonly from: number; readonly to: number }[] = [];
  readonly line = new WorkQueue({ now: () => this.at, wait: (ms) => this.wait(ms) });
  readonly #sleeping: { readonly until: number; readonly wake: () => void }[] = [];

  wait(ms: number): Promise<void> {
    return new Promise((wake) => this.#sleeping.push({ until: this.at + ms, wake }));
  }

  *pieces(owner: string, count: number, ms: number): Pieces<string> {
    for (let each = 0; each < count; each += 1) {
      const from = this.at;
      this.at += ms;
      this.worked.push({ owner, from, to: this.at });
      yield;
    }
    return owner;
  }

  do(owner: string, count: number, ms: number, isLarge = true): Promise<string> {
    return this.line.work(owner, this.pieces(owner, count, ms), { isLarge });
  }

  /** Lets time pass until all have ended. */
  async run<Result>(all: readonly Promise<Result>[]): Promise<PromiseSettledResult<Result>[]> {
    let ended = false;
    const settled = Promise.allSettled(all).finally(() => {
      ended = true;
    });
    for (;;) {
      for (let turn = 0; turn < 50; turn += 1) await undefined;
      if (ended) return settled;
      this.#sleeping.sort((one, other) => one.until - other.until);
      const next = this.#sleeping.shift();
      if (!next) throw new Error('All wait for nothing');
      this.at = Math.max(this.at, next.until);
      next.wake();
    }
  }

  /** Milliseconds that an owner has worked by a moment. */
  done(owner: string, by: number): number {
    const own = this.worked.filter((each) => each.owner === owner && each.to <= by);
    return own.reduce((sum, { from, to }) => sum + to - from, 0);
  }
}
