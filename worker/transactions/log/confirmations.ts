/** What participants have confirmed, on its way to disk. Spec: transactions.md §3. */
import type { Confirmed, Mark, ShareEnd } from '../../calls/transactions/object.ts';
import { isOpen } from './finish.ts';
import type { LogStore, ShareRow, TransactionRow } from './store.ts';

/** What ends a transaction. */
interface Ending {
  /** Whether participants are asked now. */
  isWorkingOn(id: string): boolean;
  /** Ends it if its participants have all ended; else asks those that have not. */
  settle(row: TransactionRow, shares: readonly ShareRow[]): void;
  /** It is written as committed. */
  committed(id: string): void;
}

export class Confirmations {
  readonly #store: LogStore;
  readonly #ending: Ending;
  #waiting: Confirmed[] = [];
  /** Numbers of the participants that have to commit, by transactions that this instance has decided and nothing has looked at since. */
  readonly #decidedHere = new Map<string, readonly number[]>();

  constructor(store: LogStore, ending: Ending) {
    this.#store = store;
    this.#ending = ending;
  }

  /** Whether any wait to be written. */
  get areAny(): boolean {
    return this.#waiting.length > 0;
  }

  add(confirmed: readonly Confirmed[]): void {
    this.#waiting.push(...confirmed);
  }

  /** One is decided: until something else looks at it, what is on disk of it is known without being read. */
  decided(id: string, marks: readonly Mark[]): void {
    this.#decidedHere.set(
      id,
      marks.map(({ n }) => n),
    );
  }

  /** Something else changes it from now on. */
  forget(id: string): void {
    this.#decidedHere.delete(id);
  }

  /** Writes what waits. */
  write(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (!this.#store.isOpen) return;
    const { whole = [], other = [] } = Object.groupBy(waiting, (each) =>
      this.#takeWhole(each) ? 'whole' : 'other',
    );
    if (whole.length > 0) {
      const ids = whole.map(({ id }) => id);
      this.#store.endCommitted(ids, Date.now());
      for (const id of ids) this.#ending.committed(id);
    }
    for (const { id, ends } of other) this.#end(id, ends);
  }

  /** Whether it is as its decision left it, and all of its participants have committed. */
  #takeWhole({ id, ends }: Confirmed): boolean {
    const prepared = this.#decidedHere.get(id);
    this.forget(id);
    const committed = new Set(ends.flatMap(({ n, status }) => (status === 'committed' ? [n] : [])));
    return prepared?.every((n) => committed.has(n)) ?? false;
  }

  #end(id: string, ends: readonly ShareEnd[]): void {
    const row = this.#store.find(id);
    if (row?.status !== 'committing') return;
    const shares = this.#store.shares(id);
    const isAsked = row.tries > 0 || this.#ending.isWorkingOn(id);
    const after = shares.map((share): ShareRow => {
      const end = isOpen(share) ? ends.find(({ n }) => n === share.n) : undefined;
      if (end === undefined || (end.status === 'unknown' && isAsked)) return share;
      // Unknown before the log has asked: it was lost before its commit was sent.
      const [status, reason] =
        end.status === 'unknown'
          ? (['rolled_back', 'its backend did not know it'] as const)
          : ([end.status, null] as const);
      this.#store.endShare(id, share.n, status, reason);
      return { ...share, status };
    });
    this.#ending.settle(row, after);
  }
}
