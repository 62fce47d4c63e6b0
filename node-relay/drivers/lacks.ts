/** What a server lacks to prepare: asked once, and again when preparing fails. Spec: transactions.md §2. */
import type { Lack } from '../../proto/prepares.ts';

/** Milliseconds after which the driver asks again what the server lacks: it may be mended at any time. Spec silent. */
const MENDED_MS = 10_000;

/** Remembers the answer of one pool's server. */
export class Lacks {
  #known: { readonly lacks: readonly Lack[]; readonly until: number } | undefined;

  /** As it was told last, or as `ask` answers. @throws what `ask` throws */
  async get(ask: () => Promise<readonly Lack[]>): Promise<readonly Lack[]> {
    if (this.#known !== undefined && this.#known.until > performance.now()) {
      return this.#known.lacks;
    }
    const lacks = await ask();
    const forMs = lacks.length > 0 ? MENDED_MS : Number.POSITIVE_INFINITY;
    this.#known = { lacks, until: performance.now() + forMs };
    return lacks;
  }

  /** Preparing has failed: what was known may no longer be so. */
  forget(): void {
    this.#known = undefined;
  }

  /** Does work that prepares, after whose failure the server is asked again. */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      this.forget();
      throw error;
    }
  }
}
