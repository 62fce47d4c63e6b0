/** Takes decisions on transactions and has them carried out: what both the callers and the clock of a log need. Spec: transactions.md §3. */
import { ERRORS } from '../../../proto/errors.ts';
import type {
  Confirmed,
  KeptFailure,
  Mark,
  NewTransaction,
} from '../../calls/transactions/object.ts';
import type { Bindings } from '../../context.ts';
import { loggedFault } from '../../db/fault.ts';
import { log } from '../../log.ts';
import { requestMetrics } from '../../metrics.ts';
import { Confirmations } from './confirmations.ts';
import { type Actor, entryOf } from './entries.ts';
import { Finisher, isOpen, type Learned } from './finish.ts';
import type { Later } from './insert.ts';
import type { Head } from './rows.ts';
import type { LogStore, ShareRow, TransactionRow } from './store.ts';
import type { Turns } from './turns.ts';

/** Milliseconds beyond its deadline in which one that was not decided may still be. */
export const GRACE_MS = 2_000;
/** Milliseconds within which participants confirm a decision, or the log asks them. */
const CONFIRMED_WITHIN_MS = 1_000;

/** Milliseconds within which beginnings and confirmations are on disk; the log finds out by itself what is lost of them. */
const WRITTEN_WITHIN_MS = 50;

/** Why one is rolled back whose caller is gone. */
export const INTERRUPTED: KeptFailure = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'The transaction was interrupted before it was decided: nothing of it is left',
  details: '[]',
};
/** Why one is rolled back that nothing comes for. */
export const EXPIRED: KeptFailure = {
  code: 'TRANSACTION_CLOSED',
  message: 'The transaction has expired and was rolled back',
  details: '[]',
};
const LATE: KeptFailure = {
  code: 'TIMED_OUT',
  message: 'The deadline passed before the transaction was decided: nothing of it is left',
  details: '[]',
};

/** What the object lends. */
interface Lent {
  waitUntil(work: Promise<unknown>): void;
  /** Sets the alarm for what is due first. */
  arm(): Promise<void>;
  /** What was rolled back may still come to be prepared. */
  unsure(): void;
  /** It is decided, has ended, or is in doubt: what waits for that goes on. */
  decided(id: string): void;
}

export class Decisions {
  readonly #store: LogStore;
  readonly #turns: Turns;
  readonly #lent: Lent;
  readonly finisher: Finisher;
  readonly #working = new Map<string, Promise<void>>();
  #isStarted = false;
  readonly #confirmations: Confirmations;
  #isWriting = false;

  constructor(env: Bindings, store: LogStore, turns: Turns, lent: Lent) {
    this.#store = store;
    this.#turns = turns;
    this.#lent = lent;
    this.#confirmations = new Confirmations(store, {
      isWorkingOn: (id) => this.#working.has(id),
      settle: (row, shares) => this.#settle(row, shares),
      committed: (id) => this.#ended(id, 'committed'),
    });
    this.finisher = new Finisher(env, store, (work) => lent.waitUntil(work));
  }

  /** Before anything else is read: what was confirmed is written, and what an earlier instance left is gone on with. */
  ready(): void {
    this.start();
    this.#writeConfirmed();
  }

  /** What an earlier instance had begun and not decided, nobody decides any more. */
  start(): void {
    if (this.#isStarted || !this.#store.isOpen) return;
    this.#isStarted = true;
    for (const row of this.#store.unended()) {
      const { id, head, status, sought, isDoubtful, isBusy } = row;
      this.#turns.restore(id, head.claims);
      if (isDoubtful) this.#turns.doubt(id);
      if (status === 'active' && !isBusy) continue;
      if (status === 'active' || (status === 'preparing' && !sought)) {
        this.rollBack(row, INTERRUPTED);
      }
      this.#store.change(id, { due: Date.now() });
      this.kick(id);
    }
  }

  /** Decides to commit; the caller carries it out, or the log does a little later. */
  commit({ id, head }: TransactionRow, by: Actor = actorOf(head)): number {
    const now = Date.now();
    for (const share of this.#store.shares(id)) {
      const { n, part } = share;
      // Of one that a person has resolved the reason stays.
      if (part === 'decides' && isOpen(share)) this.#store.endShare(id, n, 'committed');
    }
    const sequence = this.#store.nextSequence();
    this.#store.change(id, { sequence, ...committingAt(now), tries: 0, doubtful: 0 });
    this.record(by, 'transaction.commit', id);
    this.#lent.decided(id);
    return sequence;
  }

  /** The same of one that nothing is on disk of, and that no backend decides. @param marks as the store's `markAll` keeps them */
  commitLater(later: Later, marks: readonly Mark[]): number {
    const { given, now } = later;
    const { id, caller, requestId, address } = given;
    try {
      const sequence = this.#store.nextSequence();
      this.#store.addDecided(later, { sequence, ...committingAt(Date.now()) }, marks);
      this.record({ ...caller, requestId, address }, 'transaction.commit', id);
      this.#confirmations.decided(id, marks);
      this.#lent.decided(id);
      return sequence;
    } catch (thrown) {
      // It is under way as before.
      this.#store.addLater(given, now);
      throw thrown;
    }
  }

  /** Decides to roll back. */
  rollBack({ id, head, status }: TransactionRow, failure: KeptFailure): void {
    const now = Date.now();
    this.#store.change(id, {
      ...{ status: 'rolling_back', sought: 0, decided: now, tries: 0, doubtful: 0 },
      // Nothing of it was to be prepared: what holds a connection ends with that.
      ...(status === 'active' ? { busy: 0 } : {}),
      ...{ due: now, error: JSON.stringify(failure) },
    });
    if (ERRORS[failure.code].status >= 500) this.#lent.unsure();
    // A request of it that waits for others waits for nothing now.
    this.#turns.leave(id);
    this.record(actorOf(head), 'transaction.rollback', id);
    this.#lent.decided(id);
  }

  /** Tells the audit. */
  record(by: Actor, action: string, id: string): void {
    this.#store.entries.add(entryOf(this.#store.owner(), by, action, id));
  }

  /** Takes what participants have confirmed. It is written with what comes next, or a little later; at once where another waits for it. */
  confirm(confirmed: readonly Confirmed[]): void {
    if (confirmed.length === 0) return;
    this.#confirmations.add(confirmed);
    if (this.#turns.areAwaited) this.ready();
    else if (!this.#isWriting) this.#writeSoon();
  }

  /** Begins one that is on disk a little later: until then, sweeps alone undo what an instance that ends has left of it. */
  beginSoon(given: NewTransaction): void {
    this.#store.addLater(given, Date.now());
    if (!this.#isWriting) this.#writeSoon();
  }

  #writeSoon(): void {
    this.#isWriting = true;
    const written = scheduler.wait(WRITTEN_WITHIN_MS).then(() => {
      this.#isWriting = false;
      const isAny = this.#store.writePending();
      this.ready();
      return isAny ? this.#lent.arm() : undefined;
    });
    this.#lent.waitUntil(written);
  }

  #writeConfirmed(): void {
    if (!this.#confirmations.areAny) return;
    this.#confirmations.write();
    this.#lent.waitUntil(this.#lent.arm());
  }

  /** Ends a transaction whose participants have all ended; else asks those that have not. */
  async settle(row: TransactionRow): Promise<void> {
    this.#settle(row);
    return this.#lent.arm();
  }

  #settle(row: TransactionRow, shares: readonly ShareRow[] = this.#store.shares(row.id)): void {
    if (shares.some(isOpen)) {
      this.#store.change(row.id, { due: Date.now() });
      this.kick(row.id);
      return;
    }
    const expected = row.status === 'committing' ? 'committed' : 'rolled_back';
    const isMixed = shares.some(({ status }) => status !== 'reading' && status !== expected);
    if (isMixed) this.record(actorOf(row.head), 'transaction.mixed', row.id);
    this.end(row, isMixed ? 'mixed' : expected);
  }

  /** It holds nothing any more. */
  end({ id, head, error }: TransactionRow, status: 'committed' | 'rolled_back' | 'mixed'): void {
    // What it worked on may be much, and says nothing any more.
    const kept: Head = { ...head, claims: { endpoints: [] } };
    const ended = { doubtful: 0, ended: Date.now(), due: null } as const;
    this.#store.change(id, { ...ended, status, head: JSON.stringify(kept) });
    const failure = status === 'rolled_back' ? (error ?? this.#store.find(id)?.error) : undefined;
    if (failure && isForgotten(failure)) this.#store.freeKey(id);
    this.#ended(id, status);
  }

  #ended(id: string, status: 'committed' | 'rolled_back' | 'mixed'): void {
    requestMetrics.countTransaction(status);
    this.#turns.release(id);
    this.#lent.decided(id);
  }

  /** Begins to ask the participants. */
  kick(id: string): void {
    this.#lent.waitUntil(this.work(id));
  }

  /** Asks the participants; one round at a time. */
  async work(id: string): Promise<void> {
    const running = this.#working.get(id);
    if (running !== undefined) return running;
    this.#confirmations.forget(id);
    const work = this.#round(id)
      .catch((thrown: unknown) => {
        // The organization was deleted meanwhile, and its log with it.
        if (!this.#store.isOpen) return;
        log('error', 'a transaction could not be finished', {
          transaction: id,
          ...loggedFault(thrown),
        });
      })
      .finally(() => this.#working.delete(id));
    this.#working.set(id, work);
    return work;
  }

  async #round(id: string): Promise<void> {
    if (!this.#store.isOpen) return;
    const row = this.#store.find(id);
    if (!row || row.ended !== null || (row.due ?? 0) > Date.now()) return this.#lent.arm();
    if (row.status === 'active') this.rollBack(row, EXPIRED);
    if (row.status === 'preparing' && !row.sought) this.rollBack(row, LATE);
    const learned = await this.finisher.round(id);
    if (learned !== undefined) {
      this.#learnedOf(row, learned);
      await this.finisher.round(id);
    }
    const now = this.#store.find(id);
    if (!now || now.ended !== null) return;
    if (now.isDoubtful && !row.isDoubtful) {
      requestMetrics.countTransaction('in_doubt');
      this.#turns.doubt(id);
      this.#lent.decided(id);
    }
    if (this.#store.shares(id).some(isOpen)) await this.#lent.arm();
    else await this.settle(now);
  }

  #learnedOf(row: TransactionRow, learned: NonNullable<Learned>): void {
    if (learned === 'commit') this.commit(row);
    else this.rollBack(row, INTERRUPTED);
    this.#store.change(row.id, { due: Date.now() });
  }
}

function committingAt(now: number) {
  return { status: 'committing', decided: now, due: now + CONFIRMED_WITHIN_MS } as const;
}

function actorOf({ caller, requestId, address }: TransactionRow['head']): Actor {
  return { ...caller, requestId, address };
}

/** Whether a repeat runs anew: it may end otherwise, by itself or by its caller's rights. */
function isForgotten({ code }: Pick<KeptFailure, 'code'>): boolean {
  const { status } = ERRORS[code];
  return status === 403 || status >= 500;
}
