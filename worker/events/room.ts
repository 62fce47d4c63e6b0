/** What an organization's events take of its storage. Contract §5, "Quotas". */
import { type Bindings, databaseOf } from '../context.ts';
import { roundedUp } from '../limits/quotas/share.ts';
import { giveBack, holdBytes } from '../limits/quotas/store.ts';
import { settingsOf } from '../settings.ts';
import type { EventStore } from './store.ts';

/** Bytes that the object's database takes before anything is in it. */
const EMPTY_BYTES = 128 * 1024;

export class EventRoom {
  readonly #env: Bindings;
  readonly #store: EventStore;
  /** Bytes of which D1 knows. */
  #held = 0;

  constructor(env: Bindings, store: EventStore) {
    this.#env = env;
    this.#store = store;
  }

  /** Whether there is room for so many bytes more than there are. @throws what D1 fails with */
  async has(bytes: number): Promise<boolean> {
    const needed = this.#used() + bytes;
    if (needed <= this.#held) return true;
    const quota = settingsOf(this.#env).QUOTAS.storage;
    for (const wanted of [roundedUp(needed, quota), needed]) {
      const limits = { organization: quota, caller: quota };
      const [row] = await holdBytes(databaseOf(this.#env), this.#holding(wanted), limits);
      if (!row) continue;
      this.#held = row.bytes;
      return true;
    }
    return false;
  }

  #used(): number {
    return Math.max(0, this.#store.size - EMPTY_BYTES);
  }

  /** Gives back what is not needed any more. */
  async giveBack(): Promise<void> {
    const used = this.#used();
    const needed = used === 0 ? 0 : roundedUp(used, settingsOf(this.#env).QUOTAS.storage);
    if (needed >= this.#held && this.#held !== 0) return;
    await giveBack(databaseOf(this.#env), this.#holding(needed));
    this.#held = needed;
  }

  #holding(bytes: number) {
    return { orgUuid: this.#store.owner().orgUuid, holder: 'events', caller: 'events', bytes };
  }
}
