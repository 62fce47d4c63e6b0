/**
 * Sums that an isolate keeps and writes after replies, at most once a second, so that no caller
 * waits for them. What an isolate has not written when it ends is lost.
 */
import type { BatchItem } from 'drizzle-orm/batch';
import type { Context, Database } from '../context.ts';
import { storageFault } from './fault.ts';

/** Milliseconds between two writes. */
const FLUSH_EVERY_MS = 1_000;
/** Milliseconds after which a planned write is given up: the request it waited in was ended. */
const PLAN_STALE_MS = 5_000;
/** Statements of one batch; D1 ends a batch that takes too long. */
const BATCH_MAX = 200;
/** Sums that wait for a storage that fails; more are lost. */
const UNWRITTEN_MAX = 10_000;

interface Sums<Counted> {
  counted: Map<string, Counted>;
  /** What a storage that failed did not take. */
  unwritten: Counted[];
  flushedAt: number;
  /** When the write that is planned was planned, if one is. */
  plannedAt: number | undefined;
}

/** Sums of one sort, by what they are of. */
export class Tally<Counted> {
  readonly #write: (db: Database, counted: Counted) => BatchItem<'sqlite'>;
  /** Per isolate and database. */
  readonly #sums = new WeakMap<Database, Sums<Counted>>();

  /** @param write the statement that adds a sum to what is stored */
  constructor(write: (db: Database, counted: Counted) => BatchItem<'sqlite'>) {
    this.#write = write;
  }

  /** Changes the sum of `key`, which begins as undefined after each write. */
  count(ctx: Context, key: string, add: (before: Counted | undefined) => Counted): void {
    const sums = this.#sumsOf(ctx.db);
    sums.counted.set(key, add(sums.counted.get(key)));
    this.#plan(ctx, sums);
  }

  #plan(ctx: Context, sums: Sums<Counted>): void {
    const now = ctx.now();
    if (sums.plannedAt !== undefined && Math.abs(now - sums.plannedAt) < PLAN_STALE_MS) return;
    sums.plannedAt = now;
    const wait = Math.min(Math.max(0, sums.flushedAt + FLUSH_EVERY_MS - now), FLUSH_EVERY_MS);
    ctx.afterReply(this.#flushIn(ctx, sums, wait));
  }

  async #flushIn(ctx: Context, sums: Sums<Counted>, waitMs: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const all = [...sums.unwritten, ...sums.counted.values()];
    sums.counted = new Map();
    sums.unwritten = [];
    sums.flushedAt = ctx.now();
    sums.plannedAt = undefined;
    for (let at = 0; at < all.length; at += BATCH_MAX) {
      const sent = all.slice(at, at + BATCH_MAX);
      const [first, ...rest] = sent.map((each) => this.#write(ctx.db, each));
      try {
        if (first) await ctx.db.batch([first, ...rest]);
      } catch (thrown) {
        if (storageFault(thrown) === undefined) throw thrown;
        // A batch is written whole or not at all. The next count tries again.
        sums.unwritten = [...sums.unwritten, ...sent].slice(-UNWRITTEN_MAX);
      }
    }
  }

  #sumsOf(db: Database): Sums<Counted> {
    const known = this.#sums.get(db);
    if (known) return known;
    const made: Sums<Counted> = {
      counted: new Map(),
      unwritten: [],
      flushedAt: Number.NEGATIVE_INFINITY,
      plannedAt: undefined,
    };
    this.#sums.set(db, made);
    return made;
  }
}
