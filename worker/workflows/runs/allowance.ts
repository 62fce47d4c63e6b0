/** What an object's runs take of their organization's storage: room is taken in D1 before much is written. Contract §5, "Quotas". */
import { type Bindings, databaseOf } from '../../context.ts';
import { roundedUp } from '../../limits/quotas/share.ts';
import { giveBack, holdBytes } from '../../limits/quotas/store.ts';
import { settingsOf } from '../../settings.ts';
import type { Keeper } from './keeper.ts';

/** For whom they are kept: for the organization as a whole. Spec silent. */
const CALLER = 'workflows';
/** Bytes that an object's database takes before anything is in it. */
const EMPTY_BYTES = 256 * 1024;

/** The room of one object. */
export class Allowance {
  readonly #keeper: Keeper;
  readonly #env: Bindings;
  /** Bytes of which D1 knows. */
  #held = 0;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(keeper: Keeper, env: Bindings) {
    this.#keeper = keeper;
    this.#env = env;
  }

  /** Whether there is room for so many bytes more than there are. @throws what D1 fails with */
  async has(bytes: number): Promise<boolean> {
    if (this.#used() + bytes <= this.#held) return true;
    const asked = this.#asking.then(
      () => this.#take(bytes),
      () => this.#take(bytes),
    );
    this.#asking = asked.catch(() => undefined);
    return asked;
  }

  #used(): number {
    return Math.max(0, this.#keeper.sql.databaseSize - EMPTY_BYTES);
  }

  async #take(bytes: number): Promise<boolean> {
    const needed = this.#used() + bytes;
    if (needed <= this.#held) return true;
    const quota = settingsOf(this.#env).QUOTAS.storage;
    // Near the limit the last bytes count.
    for (const wanted of [roundedUp(needed, quota), needed]) {
      const limits = { organization: quota, caller: quota };
      const [row] = await holdBytes(databaseOf(this.#env), this.#holding(wanted), limits);
      if (!row) continue;
      this.#held = row.bytes;
      return true;
    }
    return false;
  }

  /** Gives back what is not needed any more. */
  async giveBack(): Promise<void> {
    const quota = settingsOf(this.#env).QUOTAS.storage;
    const used = this.#used();
    const needed = used === 0 ? 0 : roundedUp(used, quota);
    if (needed >= this.#held && this.#held !== 0) return;
    await giveBack(databaseOf(this.#env), this.#holding(needed));
    this.#held = needed;
  }

  #holding(bytes: number) {
    const { orgUuid } = this.#keeper.owner;
    const shard = this.#keeper.name.slice(-1);
    return { orgUuid, holder: `workflow-runs:${shard}`, caller: CALLER, bytes };
  }
}
