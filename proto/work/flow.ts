/** Shares one rate of bytes between those who send them, so that one sender does not delay the others. */
import type { Time } from './ticket.ts';

/** Milliseconds that an owner may be ahead of its share before it waits. */
const AHEAD_MS = 4;
/** Milliseconds after which an owner that took nothing has no share. */
const IDLE_MS = 100;
/** Owners that are remembered before those without a share are forgotten. */
const OWNERS_MAX = 100;

/** The owners that receive bytes, and their speed. */
export class Flow {
  readonly #time: Time;
  readonly #bytesPerMs: number;
  /** By owner, when what was taken so far has passed at the owner's share of the rate. */
  readonly #passedAt = new Map<string, number>();

  constructor(time: Time, bytesPerMs: number) {
    this.#time = time;
    this.#bytesPerMs = bytesPerMs;
  }

  /**
   * Counts bytes that have arrived, and waits as long as the next ones have to. All who take some
   * have the same share; an owner that waits for its sender uses up none.
   * @param isAlone nothing else is asked of the thread: then an owner that takes all by itself does not wait
   */
  async pass(owner: string, bytes: number, isAlone = false): Promise<void> {
    const now = this.#time.now();
    const before = Math.max(this.#passedAt.get(owner) ?? now, now);
    if (this.#passedAt.size >= OWNERS_MAX) this.#forget(now);
    this.#passedAt.set(owner, before);
    const sharing = this.#sharing(now);
    if (isAlone && sharing === 1) return;
    const passedAt = before + (bytes * sharing) / this.#bytesPerMs;
    this.#passedAt.set(owner, passedAt);
    if (passedAt - now > AHEAD_MS) await this.#time.wait(passedAt - now);
  }

  #sharing(now: number): number {
    let sharing = 0;
    for (const passedAt of this.#passedAt.values()) if (now - passedAt < IDLE_MS) sharing += 1;
    return sharing;
  }

  #forget(now: number): void {
    for (const [owner, passedAt] of this.#passedAt) {
      if (now - passedAt >= IDLE_MS) this.#passedAt.delete(owner);
    }
  }
}
