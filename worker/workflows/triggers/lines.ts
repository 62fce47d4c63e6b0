/** Work for many triggers side by side, for each one thing after the other: one that fails is tried again later, and holds no other up. */
import { loggedFault } from '../../db/fault.ts';
import { log } from '../../log.ts';

/** Milliseconds after which what failed is tried again: doubled each time. */
const AGAIN = { first: 1_000, most: 60_000 };

/** What the lines work on. */
interface LineWork<Row> {
  /** Names the trigger that a row is of. */
  nameOf(row: Row): string;
  /** Triggers for which there is something to do now. */
  ready(): readonly Row[];
  /** Does a part of it. @throws what it may be tried again after */
  work(row: Row): Promise<void>;
}

export class Lines<Row> {
  readonly #of: LineWork<Row>;
  readonly #max: number;
  /** When what failed is tried again, and after how long. */
  readonly #failed = new Map<string, { readonly at: number; readonly ms: number }>();
  readonly #busy = new Map<string, Promise<void>>();
  #running: Promise<void> | undefined;

  /** @param max triggers that are worked for at a time */
  constructor(of: LineWork<Row>, max: number) {
    this.#of = of;
    this.#max = max;
  }

  /** Works until nothing is ready, or all that is has failed just now; what comes meanwhile is done, too. */
  run(): Promise<void> {
    if (this.#running !== undefined) this.#beginFree();
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** When the first of what is ready and has failed is tried again; undefined where nothing has. Unix epoch milliseconds. */
  get again(): number | undefined {
    const times = this.#of
      .ready()
      .flatMap((row) => this.#failed.get(this.#of.nameOf(row))?.at ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async #runAll(): Promise<void> {
    for (;;) {
      this.#beginFree();
      if (this.#busy.size === 0) return;
      await Promise.race(this.#busy.values());
    }
  }

  #beginFree(): void {
    const now = Date.now();
    for (const row of this.#of.ready()) {
      if (this.#busy.size >= this.#max) return;
      const name = this.#of.nameOf(row);
      const wait = (this.#failed.get(name)?.at ?? 0) - now;
      // Where the clock was put back, it would be longer than any.
      const isDue = wait <= 0 || wait > AGAIN.most;
      if (isDue && !this.#busy.has(name)) this.#begin(name, row);
    }
  }

  #begin(name: string, row: Row): void {
    const line = this.#of
      .work(row)
      .then(() => void this.#failed.delete(name))
      .catch((thrown: unknown) => {
        const before = this.#failed.get(name)?.ms;
        const ms = before === undefined ? AGAIN.first : Math.min(AGAIN.most, 2 * before);
        this.#failed.set(name, { at: Date.now() + ms, ms });
        log('warn', 'a trigger is tried again', {
          trigger: name,
          in_ms: ms,
          ...loggedFault(thrown),
        });
      })
      .finally(() => this.#busy.delete(name));
    this.#busy.set(name, line);
  }
}
