/** A world of pools that share one endpoint's slots, where a test decides what opens, fails, leaves and returns. */
import { expect, vi } from 'vitest';
import type { Caps, Profile } from '../../proto/driver.ts';
import { SlottedPool } from '../connection-pool.ts';
import { CLOSING_MAX_MS, MOVE_EVERY_MS, Slots } from '../slots.ts';

/** A connection that knows its pool. */
interface Fake {
  readonly pool: number;
  readonly name: number;
}

interface Opening {
  readonly pool: number;
  readonly settle: (outcome: 'open' | 'fail') => void;
}

interface Asked {
  readonly pool: number;
  readonly client: AbortController;
  outcome: 'waits' | 'served' | 'failed' | 'left';
}

/** What a step may do; `pick` chooses among what there is. */
export type Step =
  | { readonly does: 'acquire'; readonly pick: number }
  | {
      readonly does: 'open' | 'fail' | 'release' | 'discard' | 'leave' | 'closed';
      readonly pick: number;
    }
  | { readonly does: 'wait'; readonly pick: number };

const PROFILES: readonly Profile[] = ['production', 'production', 'development'];

/** Three pools of one endpoint: two of production, one of development. */
export class PoolModel {
  readonly slots = new Slots();
  readonly pools: readonly SlottedPool<Fake>[];
  readonly asked: Asked[] = [];
  readonly held: Fake[] = [];
  readonly openings: Opening[] = [];
  /** Told to close, and not yet let go by the backend. */
  readonly closings: { readonly connection: Fake; readonly done: () => void }[] = [];
  /** Made and not yet told to close. */
  readonly alive = new Set<Fake>();
  made = 0;
  readonly #caps: Caps;
  readonly #slowToClose: boolean;

  constructor(caps: Caps, slowToClose = false) {
    this.#caps = caps;
    this.#slowToClose = slowToClose;
    this.slots.caps = caps;
    this.pools = PROFILES.map((profile, pool) => this.#pool(profile, pool));
  }

  async step({ does, pick }: Step): Promise<void> {
    if (does === 'acquire') this.acquire(pick % this.pools.length);
    if (does === 'open' || does === 'fail') take(this.openings, pick)?.settle(does);
    if (does === 'release') this.#giveBack(pick, 'release');
    if (does === 'discard') this.#giveBack(pick, 'discard');
    if (does === 'closed') take(this.closings, pick)?.done();
    if (does === 'leave') this.#leave(pick);
    await vi.advanceTimersByTimeAsync(does === 'wait' ? pick % 100 : 0);
    this.#checkCaps();
  }

  acquire(pool: number): Asked {
    const asked: Asked = { pool, client: new AbortController(), outcome: 'waits' };
    this.asked.push(asked);
    this.pools[pool]?.acquire(asked.client.signal).then(
      (connection) => {
        expect(connection.pool).toBe(pool);
        expect(this.held).not.toContain(connection);
        expect(this.alive).toContain(connection);
        asked.outcome = 'served';
        this.held.push(connection);
      },
      () => {
        asked.outcome = asked.client.signal.aborted ? 'left' : 'failed';
      },
    );
    return asked;
  }

  /** No caller waits while there is room, or an idle connection that could end instead. */
  async checkNobodyIsForgotten(): Promise<void> {
    do {
      for (const { done } of this.closings.splice(0)) done();
      await vi.advanceTimersByTimeAsync(MOVE_EVERY_MS * 2);
    } while (this.closings.length > 0);
    for (const pool of this.pools) {
      if (pool.waiting === 0) continue;
      const used = this.#used();
      const full = used.total >= this.#caps.total || used[pool.profile] >= this.#caps[pool.profile];
      expect(full).toBe(true);
      const profileFull = used[pool.profile] >= this.#caps[pool.profile];
      const idle = this.pools.filter(({ idleSince }) => idleSince !== undefined);
      expect(idle.filter(({ profile }) => !profileFull || profile === pool.profile)).toEqual([]);
    }
  }

  /** Opens, returns and closes everything; then nothing may be left, and no caller may wait. */
  async settle(): Promise<void> {
    const busy = (): boolean => this.openings.length + this.held.length + this.closings.length > 0;
    await vi.advanceTimersByTimeAsync(MOVE_EVERY_MS * 2);
    while (busy()) {
      for (const { done } of this.closings.splice(0)) done();
      for (const opening of this.openings.splice(0)) opening.settle('open');
      await vi.advanceTimersByTimeAsync(0);
      while (this.held.length > 0) this.#giveBack(0, 'release');
      await vi.advanceTimersByTimeAsync(MOVE_EVERY_MS * 2);
    }
    expect(this.asked.filter(({ outcome }) => outcome === 'waits')).toEqual([]);
    const closed = Promise.all(this.pools.map((pool) => pool.close()));
    await vi.advanceTimersByTimeAsync(0);
    await closed;
    expect({ alive: this.alive.size, used: this.slots.used, unused: this.slots.unused }).toEqual({
      alive: 0,
      used: 0,
      unused: true,
    });
  }

  #pool(profile: Profile, pool: number): SlottedPool<Fake> {
    return new SlottedPool<Fake>(this.slots, profile, {
      open: () => {
        const { promise, resolve, reject } = Promise.withResolvers<Fake>();
        const settle = (outcome: 'open' | 'fail'): void => {
          if (outcome === 'fail') {
            reject(new Error('refused'));
            return;
          }
          this.made += 1;
          const connection = { pool, name: this.made };
          this.alive.add(connection);
          resolve(connection);
        };
        this.openings.push({ pool, settle });
        return promise;
      },
      close: (connection) => {
        expect(this.alive.delete(connection)).toBe(true);
        if (!this.#slowToClose) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        const closing = { connection, done: resolve };
        this.closings.push(closing);
        // Before the pool stops waiting for it.
        setTimeout(() => {
          if (this.closings.includes(closing))
            this.closings.splice(this.closings.indexOf(closing), 1);
          resolve();
        }, CLOSING_MAX_MS - 1);
        return promise;
      },
    });
  }

  #giveBack(pick: number, how: 'release' | 'discard'): void {
    const connection = take(this.held, pick);
    if (connection !== undefined) this.pools[connection.pool]?.[how](connection);
  }

  #leave(pick: number): void {
    const waiting = this.asked.filter(({ outcome }) => outcome === 'waits');
    waiting[pick % waiting.length]?.client.abort(new Error('left'));
  }

  #used() {
    const used = { total: 0, production: 0, development: 0 };
    for (const { pool } of [...this.alive, ...this.openings]) {
      used[PROFILES[pool] ?? 'production'] += 1;
      used.total += 1;
    }
    return used;
  }

  #checkCaps(): void {
    const used = this.#used();
    expect(used.total + this.closings.length).toBeLessThanOrEqual(this.#caps.total);
    expect(used.production).toBeLessThanOrEqual(this.#caps.production);
    expect(used.development).toBeLessThanOrEqual(this.#caps.development);
    if (!this.#slowToClose) expect(this.slots.used).toBe(used.total);
  }
}

function take<Item>(items: Item[], pick: number): Item | undefined {
  return items.splice(pick % Math.max(items.length, 1), 1)[0];
}
