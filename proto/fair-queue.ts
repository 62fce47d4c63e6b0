/** A queue for work that is bounded: only so much runs at once, fair between its owners. */

/** How long the line may be. */
interface FairQueueOptions {
  /** Pieces of work that are done at the same time. */
  readonly atOnce: number;
  /** Of those, pieces of one owner's; as many as of all when left out. */
  readonly ofOneOwner?: number;
  /** Pieces of work that may wait. */
  readonly waiting: number;
  /** Lets others have their time before the next piece of work begins. */
  rest?(): Promise<void>;
}

/** Why work is not done: the queue is full. */
export class QueueFull extends Error {
  constructor() {
    super('Too much waits already');
  }
}

interface QueuedCall {
  start(): void;
  refuse(reason: unknown): void;
}

/** Owners take turns; each turn runs the oldest work of its owner. */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** Waiting work by owner; the owner whose turn is next comes first. An owner without waiting work is not in the map. */
  readonly #lines = new Map<string, QueuedCall[]>();
  #waiting = 0;
  #running = 0;
  /** By owner; those without running work are not in the map. */
  readonly #runningOf = new Map<string, number>();

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /**
   * Does the work when its turn has come. Where the queue is full, the owner with most work in it loses
   * its newest to an owner that has clearly less: no owner can fill the queue for all others.
   * @param signal takes the work out of the queue; what has begun goes on
   * @throws LineFull, or the reason of `signal`, without doing the work
   */
  async do<Result>(who: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    if (this.#running < this.#options.atOnce && this.#mayStart(who)) this.#count(who, 1);
    else await this.#wait(who, signal);
    try {
      return await work();
    } finally {
      void this.#goOn(who);
    }
  }

  #mayStart(who: string): boolean {
    const { ofOneOwner = Number.POSITIVE_INFINITY } = this.#options;
    return (this.#runningOf.get(who) ?? 0) < ofOneOwner;
  }

  #count(who: string, change: 1 | -1): void {
    this.#running += change;
    const own = (this.#runningOf.get(who) ?? 0) + change;
    if (own > 0) this.#runningOf.set(who, own);
    else this.#runningOf.delete(who);
  }

  async #wait(who: string, signal: AbortSignal): Promise<void> {
    if (this.#waiting >= this.#options.waiting) this.#makeRoomFor(who);
    const { promise, resolve: start, reject: refuse } = Promise.withResolvers<void>();
    const entry: QueuedCall = { start, refuse };
    const leave = (): void => {
      if (this.#remove(who, entry)) refuse(signal.reason);
    };
    const line = this.#lines.get(who);
    if (line) line.push(entry);
    else this.#lines.set(who, [entry]);
    this.#waiting += 1;
    signal.addEventListener('abort', leave);
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Where both would have as many afterwards, nothing is gained. */
  #makeRoomFor(who: string): void {
    const own = this.#lines.get(who)?.length ?? 0;
    const [longest] = [...this.#lines].toSorted(([, a], [, b]) => b.length - a.length);
    const last = longest?.[1].at(-1);
    if (!longest || !last || longest[1].length <= own + 1) throw new QueueFull();
    this.#remove(longest[0], last);
    last.refuse(new QueueFull());
  }

  #remove(who: string, entry: QueuedCall): boolean {
    const line = this.#lines.get(who) ?? [];
    const at = line.indexOf(entry);
    if (at < 0) return false;
    line.splice(at, 1);
    if (line.length === 0) this.#lines.delete(who);
    this.#waiting -= 1;
    return true;
  }

  async #goOn(ended: string): Promise<void> {
    await this.#options.rest?.();
    this.#count(ended, -1);
    const next = [...this.#lines].find(([who]) => this.#mayStart(who));
    const first = next?.[1][0];
    if (!next || !first) return;
    const [who, line] = next;
    this.#remove(who, first);
    // This owner's next turn is after all others'.
    if (this.#lines.delete(who)) this.#lines.set(who, line);
    this.#count(who, 1);
    first.start();
  }
}
