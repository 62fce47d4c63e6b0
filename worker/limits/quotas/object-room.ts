/** What the database of a durable object takes of its organization's storage: room is taken in D1 before much is written. Contract §5, "Quotas". */
import { type Bindings, databaseOf } from '../../context.ts';
import type { StorageHolding } from '../../db/storage.ts';
import { settingsOf } from '../../settings.ts';
import { roundedUp } from './share.ts';
import { giveBack, holdBytes } from './store.ts';

/** Whose room it is, and what takes it. */
interface Taker {
  /** Bytes of the object's database now. */
  size(): number;
  /** Bytes that it takes before anything is in it. */
  readonly emptyBytes: number;
  /** In whose name the room is held: for the organization as a whole. Spec silent. */
  holding(): Omit<StorageHolding, 'bytes'>;
}

/** The room of one object. */
export class ObjectRoom {
  readonly #env: Bindings;
  readonly #taker: Taker;
  /** Bytes that D1 knows about; undefined until it was asked. */
  #held: number | undefined;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(env: Bindings, taker: Taker) {
    this.#env = env;
    this.#taker = taker;
  }

  /** Whether there is room for so many bytes more than there are. @throws what D1 fails with */
  async has(bytes: number): Promise<boolean> {
    if (this.#used() + bytes <= (this.#held ?? 0)) return true;
    const asked = this.#asking.then(
      () => this.#take(bytes),
      () => this.#take(bytes),
    );
    this.#asking = asked.catch(() => undefined);
    return asked;
  }

  /** Gives back what is not needed any more. */
  async giveBack(): Promise<void> {
    const used = this.#used();
    const needed = used === 0 ? 0 : roundedUp(used, this.#quota());
    if (this.#held !== undefined && needed >= this.#held) return;
    await giveBack(databaseOf(this.#env), { ...this.#taker.holding(), bytes: needed });
    this.#held = needed;
  }

  async #take(bytes: number): Promise<boolean> {
    const needed = this.#used() + bytes;
    if (needed <= (this.#held ?? 0)) return true;
    const quota = this.#quota();
    const limits = { organization: quota, caller: quota };
    // Near the limit the last bytes count.
    for (const wanted of [roundedUp(needed, quota), needed]) {
      const holding = { ...this.#taker.holding(), bytes: wanted };
      const [row] = await holdBytes(databaseOf(this.#env), holding, limits);
      if (!row) continue;
      this.#held = row.bytes;
      return true;
    }
    return false;
  }

  #used(): number {
    return Math.max(0, this.#taker.size() - this.#taker.emptyBytes);
  }

  #quota(): number {
    return settingsOf(this.#env).QUOTAS.storage;
  }
}
