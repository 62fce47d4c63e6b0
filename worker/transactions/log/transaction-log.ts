/**
 * The decisions on an organization's transactions, and their order. The endpoints that a transaction reaches are on disk
 * before it reaches them, its decision before the first commit; what was not decided is rolled back. What
 * its caller leaves unfinished is finished here. Spec: transactions.md §3, §4.
 */
import { DurableObject } from 'cloudflare:workers';
import type {
  Begun,
  Confirmed,
  Decided,
  KeptFailure,
  KeptReply,
  ListQuery,
  LogOwner,
  Mark,
  NewTransaction,
  Shown,
  Status,
  TransactionLogObject,
} from '../../calls/transactions/object.ts';
import type {
  Closed,
  Closing,
  Entered,
  Entering,
  Leaving,
  NewInteractive,
  RunBegun,
} from '../../calls/transactions/taking-part.ts';
import type { Bindings } from '../../context.ts';
import { whenReady } from '../../drivers/edge/own-addresses.ts';
import { settingsOf } from '../../settings.ts';
import { KEPT_FOR_MS, LogAlarm } from './alarm.ts';
import { Decisions, GRACE_MS } from './decisions.ts';
import { type Actor, writeEntries } from './entries.ts';
import { Interactive } from './interactive.ts';
import { Keys } from './keys.ts';
import { Replies } from './replies.ts';
import { doubtfulShare, resolveShare } from './resolve.ts';
import { shown } from './shown.ts';
import { LogStore, type TransactionRow } from './store.ts';
import { SWEPT_FOR_MS, sweep } from './sweep.ts';
import { SweepTimes } from './sweep-times.ts';
import { Turns } from './turns.ts';

const UNKNOWN = { is: 'unknown' } as const;

/** One per organization, by the name of its UUID. */
export class TransactionLog extends DurableObject<Bindings> implements TransactionLogObject {
  readonly #store = new LogStore(this.ctx.storage.sql);
  readonly #alarm = new LogAlarm(this.ctx.storage, this.#store);
  readonly #turns = new Turns();
  readonly #decisions: Decisions = new Decisions(this.env, this.#store, this.#turns, {
    waitUntil: (work) => this.ctx.waitUntil(work),
    arm: () => this.#arm(),
    unsure: () => this.#sweeps.unsure(),
    decided: (id) => this.#interactive.decided(id),
  });
  readonly #interactive: Interactive = new Interactive(this.#store, this.#turns, this.#decisions);
  readonly #keys = new Keys(this.#store);
  readonly #replies = new Replies(this.env, this.#store, this.ctx.storage.sql);
  /** Those that were left before they came here. */
  readonly #left = new Set<string>();
  readonly #sweeps = new SweepTimes();

  async begin(
    owner: LogOwner,
    given: NewTransaction,
    confirmed: readonly Confirmed[] = [],
  ): Promise<Begun> {
    this.#begin(owner);
    this.#decisions.confirm(confirmed);
    const { id, key, claims, timeoutMs } = given;
    const started = Date.now();
    if (key) {
      this.#decisions.ready();
      const standing = this.#keys.standingOf(key);
      if (standing) return standing;
      this.#keys.wait(key);
    }
    try {
      const taken = this.#turns.take(id, claims, timeoutMs);
      // What has ended gives back what it claims when that is written.
      if (this.#turns.areAwaited) this.#decisions.ready();
      const turn = await taken;
      if (turn.is === 'doubt') return turn;
      if (turn.is === 'left' || this.#left.delete(id)) {
        this.#turns.release(id);
        return { is: 'late' };
      }
      if (turn.is !== 'held') return { is: turn.is };
      const leftMs = Math.max(1, timeoutMs - (Date.now() - started)) + GRACE_MS;
      await this.#add({ ...given, timeoutMs: leftMs });
      return { is: 'begun', log: this.#store.log() };
    } finally {
      if (key) this.#keys.enter(key);
    }
  }

  /**
   * Nothing has to be on disk of one that is rolled back unless it is decided: sweeps find what it left, where they look
   * at its endpoints and an ended object begins again soon.
   */
  async #add(given: NewTransaction): Promise<void> {
    if (this.#alarm.isSoon && this.#store.endpoints.areSwept(given.shares, Date.now())) {
      this.#decisions.beginSoon(given);
      return;
    }
    this.ctx.storage.transactionSync(() => this.#store.add(given, 'preparing', Date.now()));
    await this.#arm();
  }

  async open(owner: LogOwner, given: NewInteractive): Promise<number> {
    this.#begin(owner);
    this.#decisions.ready();
    const expires = this.#interactive.open(given);
    await this.#arm();
    return expires;
  }

  async enter(entering: Entering): Promise<Entered> {
    return this.#find(entering.id) ? this.#interactive.enter(entering) : UNKNOWN;
  }

  async leave(leaving: Leaving): Promise<Closed | undefined> {
    if (!this.#find(leaving.id)) return UNKNOWN;
    const closed = this.#interactive.leave(leaving);
    await this.#arm();
    return closed;
  }

  async beginRun(id: string, caller: string): Promise<RunBegun> {
    return this.#find(id) ? this.#interactive.beginRun(id, caller) : UNKNOWN;
  }

  async endRun(id: string, run: string): Promise<void> {
    if (this.#find(id)) this.#interactive.endRun(id, run);
  }

  async abandon(...given: Parameters<Interactive['abandon']>): Promise<Closed | undefined> {
    return this.#find(given[0]) && this.#interactive.abandon(...given);
  }

  async close(id: string, caller: string, outcome: 'commit' | 'roll back'): Promise<Closing> {
    return this.#find(id) ? this.#interactive.close(id, caller, outcome) : UNKNOWN;
  }

  async finish(id: string, reply: KeptReply | undefined): Promise<void> {
    const row = this.#find(id);
    if (row?.status !== 'preparing') return;
    const kept = await this.#replies.roomFor(row, reply);
    if (this.#find(id)?.status !== 'preparing') return;
    this.#store.markAll(id, []);
    if (kept) this.#store.change(id, { reply: kept });
    this.#decisions.end(row, 'committed');
    await this.#arm();
  }

  async seek(id: string, marks: readonly Mark[]): Promise<boolean> {
    const row = this.#find(id);
    if (row?.status !== 'preparing') return false;
    this.ctx.storage.transactionSync(() => {
      this.#store.markAll(id, marks);
      this.#store.change(id, { sought: 1 });
    });
    return true;
  }

  async decide(
    id: string,
    marks: readonly Mark[],
    reply: KeptReply | undefined,
    confirmed: readonly Confirmed[] = [],
  ): Promise<Decided> {
    const later = reply === undefined ? this.#store.takeLater(id) : undefined;
    if (this.#store.isOpen) this.#decisions.confirm(confirmed);
    if (later) {
      // It reads nothing: what was confirmed is written with that of others, a little later.
      return this.#committed(() => this.#decisions.commitLater(later, marks));
    }
    const found = this.#find(id);
    const isUndecided = found?.status === 'preparing';
    const kept = isUndecided ? await this.#replies.roomFor(found, reply) : undefined;
    // While room was looked for another may have decided.
    const row = reply ? this.#find(id) : found;
    if (row?.status === 'committing' && row.sequence !== null) {
      return { is: 'committed', sequence: row.sequence, isAwaited: this.#turns.areAwaited };
    }
    if (row?.status !== 'preparing') return { is: 'rolled back' };
    return this.#committed(() => {
      if (!row.sought) this.#store.markAll(id, marks);
      if (kept) this.#store.change(id, { reply: kept });
      return this.#decisions.commit(row);
    });
  }

  async #committed(decide: () => number): Promise<Decided> {
    const sequence = this.ctx.storage.transactionSync(decide);
    await this.#arm();
    return { is: 'committed', sequence, isAwaited: this.#turns.areAwaited };
  }

  async confirmAll(confirmed: readonly Confirmed[]): Promise<void> {
    if (this.#store.isOpen) this.#decisions.confirm(confirmed);
  }

  async fail(id: string, failure: KeptFailure, ends: readonly number[]): Promise<Status> {
    const row = this.#find(id);
    if (!row) {
      if (!this.#turns.leave(id)) this.#left.add(id);
      return 'rolled_back';
    }
    const isOpen = row.status === 'preparing' || row.status === 'active';
    if (isOpen) this.#decisions.rollBack(row, failure);
    if (isOpen || row.status === 'rolling_back') {
      for (const n of ends) this.#store.endShare(id, n, 'rolled_back');
      await this.#decisions.settle({ ...row, status: 'rolling_back' });
    }
    return this.#store.find(id)?.status ?? 'rolled_back';
  }

  async learn(id: string): Promise<Shown | undefined> {
    if (!this.#find(id)) return undefined;
    this.#store.change(id, { due: Date.now() });
    await this.#decisions.work(id);
    return this.show(id);
  }

  async show(id: string): Promise<Shown | undefined> {
    const row = this.#find(id);
    return row && shown(this.#store, row);
  }

  async list(query: ListQuery): Promise<readonly Shown[]> {
    if (!this.#store.isOpen) return [];
    this.#decisions.ready();
    return this.#store.page(query).map((row) => shown(this.#store, row));
  }

  async resolve(
    id: string,
    participant: string,
    outcome: 'committed' | 'rolled_back',
    by: Actor,
  ): Promise<Shown | 'unknown' | 'not in doubt'> {
    const row = this.#find(id);
    if (!row) return 'unknown';
    const share = doubtfulShare(this.#store, id, participant);
    if (!share) return 'not in doubt';
    const parts = { store: this.#store, decisions: this.#decisions };
    this.ctx.storage.transactionSync(() => resolveShare(parts, row, share, { outcome, by }));
    const now = this.#store.find(id);
    if (now) await this.#decisions.settle(now);
    return (await this.show(id)) ?? 'unknown';
  }

  async clear(): Promise<void> {
    await this.#alarm.clear();
    await this.ctx.storage.deleteAll();
    this.#store.forget();
  }

  override async alarm(): Promise<void> {
    this.#alarm.rang();
    if (!this.#store.isOpen) return;
    await whenReady({ env: this.env, settings: settingsOf(this.env) });
    // It may have been cleared meanwhile.
    if (!this.#store.isOpen) return;
    this.#decisions.ready();
    const now = Date.now();
    for (const { id } of this.#store.due(now)) this.#decisions.kick(id);
    if (now >= this.#sweeps.next) {
      this.#sweeps.swept(now);
      this.#store.removeBefore(now - KEPT_FOR_MS, now - SWEPT_FOR_MS);
      await this.#replies.giveBack();
      this.ctx.waitUntil(sweep(this.#decisions.finisher, this.#store));
    }
    await writeEntries(this.env, this.#store);
    await this.#arm();
  }

  #begin(owner: LogOwner): void {
    if (!this.#store.isOpen) this.#sweeps.startNew();
    this.#store.open(owner);
    this.#decisions.start();
  }

  #find(id: string): TransactionRow | undefined {
    if (!this.#store.isOpen) return undefined;
    this.#decisions.ready();
    return this.#store.find(id);
  }

  /** Sets the alarm for what is due first. */
  async #arm(): Promise<void> {
    if (this.#store.isOpen) await this.#alarm.arm(this.#sweeps.next);
  }
}
