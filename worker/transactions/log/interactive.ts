/** Transactions that their clients go on with, request by request: who may go on, and until when. Spec: transactions.md §5. */
import type { KeptFailure } from '../../calls/transactions/object.ts';
import type {
  Closed,
  Closing,
  Entered,
  Entering,
  Leaving,
  NewInteractive,
  OpenShare,
  RunBegun,
} from '../../calls/transactions/taking-part.ts';
import { Awaited } from './awaited.ts';
import { closedAs, isUndone } from './closed.ts';
import { type Decisions, EXPIRED, INTERRUPTED } from './decisions.ts';
import { heldOf } from './finish.ts';
import { Place } from './place.ts';
import type { Head } from './rows.ts';
import { Runs } from './runs.ts';
import { shown } from './shown.ts';
import type { LogStore, ShareRow, TransactionRow } from './store.ts';
import type { Turns } from './turns.ts';

/** Milliseconds without a request after which it is rolled back. Spec: transactions.md §5. */
const IDLE_MS = 30_000;
/** Milliseconds that its end may take, once it was asked for. */
const CLOSING_MS = 30_000;

/** Milliseconds beyond its own time after which a request has left: its isolate has ended without a word. */
const GONE_AFTER_MS = 10_000;

const UNKNOWN = { is: 'unknown' } as const;

/** Why one is rolled back that did not fail. */
const ASKED: KeptFailure = {
  code: 'TRANSACTION_CLOSED',
  message: 'The transaction was rolled back by its client',
  details: '[]',
};

/** Whose turn has come. */
interface Admitted {
  readonly is: 'admitted';
  readonly row: TransactionRow;
  readonly ticket: string;
}

export class Interactive {
  readonly #store: LogStore;
  readonly #turns: Turns;
  readonly #decisions: Decisions;
  /** Places that are taken, by transaction. */
  readonly #taken = new Map<string, Place>();
  readonly #runs = new Runs();
  readonly #awaited = new Awaited();

  constructor(store: LogStore, turns: Turns, decisions: Decisions) {
    this.#store = store;
    this.#turns = turns;
    this.#decisions = decisions;
  }

  /** @returns when it ends if nothing comes */
  open(given: NewInteractive): number {
    const now = Date.now();
    const due = now + Math.min(IDLE_MS, given.timeoutMs);
    this.#store.addInteractive(given, due, now);
    return due;
  }

  /** One that is refused keeps its place: it fails, and nothing may come before it is abandoned. */
  async enter(entering: Entering): Promise<Entered> {
    const until = Date.now() + entering.leftMs;
    const admitted = await this.#admit(entering.id, entering.caller, until, entering.run);
    return admitted.is === 'admitted' ? this.#enter(admitted, entering, until) : admitted;
  }

  /**
   * Waits for the requests that came before, the ends among them, and takes the place. Whether it is free, whether the
   * transaction goes on, and taking it is one step: of all that wait, one goes on, and the others look again.
   * @param until when its time is over
   * @param ticket of the run that it belongs to, or of a commit that has waited for runs
   */
  async #admit(
    id: string,
    caller: string,
    until?: number,
    ticket?: string,
  ): Promise<Admitted | Closed> {
    // Another's is not waited for: that would tell that it is there.
    if (!this.#own(id, caller)) return UNKNOWN;
    if (!(await this.#runs.letOnTo(id, until, ticket))) return { is: 'late' };
    for (let place = this.#taken.get(id); place; place = this.#taken.get(id)) {
      if (!(await place.isLeft(until))) return { is: 'late' };
    }
    const row = this.#own(id, caller);
    if (!row) return UNKNOWN;
    if (row.status !== 'active') return closedAs(row);
    const place = new Place();
    this.#taken.set(id, place);
    return { is: 'admitted', row, ticket: place.ticket };
  }

  /** One that its client goes on with, and nobody else. */
  #own(id: string, caller: string): TransactionRow | undefined {
    const row = this.#store.find(id);
    return row?.head.terms !== undefined && row.head.caller.uuid === caller ? row : undefined;
  }

  async #enter(
    { row, ticket }: Admitted,
    { share, claims }: Entering,
    until: number,
  ): Promise<Entered> {
    const { id } = row;
    this.#store.change(id, { busy: 1, due: Math.min(row.deadline, until + GONE_AFTER_MS) });
    const terms = row.head.terms ?? {};
    // Above the weakest level a read conflicts as a write does. Spec: transactions.md §4.
    const isStrict = terms.isolation !== undefined && terms.isolation !== 'read committed';
    if (share && (claims || isStrict)) {
      const leftMs = Math.min(row.deadline, until) - Date.now();
      const refused = await this.#take(row, share.endpoint, Math.max(1, leftMs));
      if (refused) return refused;
    }
    const shares = this.#store.shares(id);
    const known = share && shares.find(({ endpoint }) => endpoint === share.endpoint);
    const n = known?.n ?? shares.length;
    if (share && !known) {
      this.#store.addShare(id, { ...share, n }, Date.now());
      this.#store.hold(id, n, { until });
    }
    return {
      ...{ is: 'entered', log: this.#store.log(), ticket, n, terms },
      held: known && heldOf(known),
      decider: shares.find(({ part }) => part === 'decides')?.name,
    };
  }

  /** @returns why it cannot have the endpoint for itself */
  async #take(row: TransactionRow, endpoint: string, leftMs: number): Promise<Closed | undefined> {
    const { keys } = row.head.claims;
    const turn = await this.#turns.take(row.id, { endpoints: [endpoint], keys }, leftMs);
    // Meanwhile another request may have failed, or its time may be over.
    const now = this.#store.find(row.id);
    if (now?.status !== 'active') return now ? closedAs(now) : { is: 'unknown' };
    if (turn.is === 'doubt') return turn;
    if (turn.is !== 'held') return { is: turn.is === 'circle' ? 'circle' : 'late' };
    this.#claim(now, endpoint);
    return undefined;
  }

  #claim({ id, head }: TransactionRow, endpoint: string): void {
    const { endpoints } = head.claims;
    if (endpoints.includes(endpoint)) return;
    const claims = { ...head.claims, endpoints: [...endpoints, endpoint] };
    this.#store.change(id, { head: JSON.stringify({ ...head, claims } satisfies Head) });
  }

  /**
   * A request has ended well. It may be told twice: a place that is not its own any more it has left before, or it was
   * rolled back under it.
   */
  leave({ id, ticket, n, held }: Leaving): Closed | undefined {
    const row = this.#store.find(id);
    if (!row) return { is: 'unknown' };
    if (isUndone(row)) return closedAs(row);
    if (this.#taken.get(id)?.ticket !== ticket) return undefined;
    if (held) this.#store.hold(id, n, held);
    this.#rest(row);
    this.#free(id);
    return undefined;
  }

  /** Nothing is under way but runs between their requests: an object that begins again knows none, and rolls it back. */
  #rest({ id, deadline }: TransactionRow): void {
    const busy = this.#runs.are(id) ? 1 : 0;
    this.#store.change(id, { busy, due: Math.min(deadline, Date.now() + IDLE_MS) });
  }

  async beginRun(id: string, caller: string): Promise<RunBegun> {
    if (!this.#own(id, caller)) return UNKNOWN;
    const run = await this.#runs.begin(id);
    const admitted = await this.#admit(id, caller, undefined, run);
    if (admitted.is !== 'admitted') {
      this.#runs.end(id, run);
      return admitted;
    }
    this.#rest(admitted.row);
    this.#free(id);
    return { is: 'under way', run };
  }

  endRun(id: string, run: string): void {
    this.#runs.end(id, run);
    const row = this.#store.find(id);
    if (row?.status === 'active' && !this.#taken.has(id)) this.#rest(row);
  }

  async abandon(
    id: string,
    caller: string,
    failure: KeptFailure,
    ends: readonly number[] = [],
  ): Promise<Closed | undefined> {
    const row = this.#own(id, caller);
    if (!row) return undefined;
    // Its time may be over before the alarm says so.
    const isExpired = row.deadline <= Date.now();
    if (row.status === 'active') this.#decisions.rollBack(row, isExpired ? EXPIRED : failure);
    const now = this.#store.find(id) ?? row;
    // A request may tell several times that it has failed, and a commit that is under way is no end yet.
    const isOwn = now.status === 'preparing' || now.error?.by === failure.by;
    const closed = isOwn ? undefined : closedAs(now);
    if (now.status !== 'rolling_back') return closed;
    for (const n of ends) this.#store.endShare(id, n, 'rolled_back');
    await this.#decisions.settle(now);
    return closed;
  }

  async #undo(row: TransactionRow, failure: KeptFailure): Promise<void> {
    this.#decisions.rollBack(row, failure);
    await this.#decisions.settle(this.#store.find(row.id) ?? row);
  }

  /** It was decided, cannot be for now, or has ended: who waits for that goes on, and finds it so. */
  decided(id: string): void {
    this.#runs.forget(id);
    this.#free(id);
    this.#awaited.wake(id);
  }

  async close(id: string, caller: string, outcome: 'commit' | 'roll back'): Promise<Closing> {
    const admitted = await this.#admitEnd(id, caller, outcome);
    if (admitted.is === 'closed') return this.#again(id, admitted, outcome);
    if (admitted.is !== 'admitted') return admitted;
    const { row } = admitted;
    if (outcome === 'roll back') {
      await this.#undo(row, ASKED);
      return this.#again(id, { is: 'unknown' }, outcome);
    }
    const all = this.#store.shares(id);
    const shares = all.flatMap((share) => this.#openShare(share) ?? []);
    if (shares.length < all.length) {
      // What one holds is not known: without it, the others would commit alone.
      await this.#undo(row, INTERRUPTED);
      return { is: 'closed', status: 'rolling_back' };
    }
    // Its place it keeps until it is decided: others that end it wait for the outcome.
    this.#store.change(id, { status: 'preparing', busy: 1, due: Date.now() + CLOSING_MS });
    return { is: 'closing', log: this.#store.log(), shares, leftMs: CLOSING_MS };
  }

  /** A commit takes in whole the runs that it meets. */
  async #admitEnd(id: string, caller: string, outcome: string): Promise<Admitted | Closed> {
    if (outcome !== 'commit' || !this.#own(id, caller)) return this.#admit(id, caller);
    const ticket = await this.#runs.ended(id);
    const admitted = await this.#admit(id, caller, undefined, ticket);
    this.#runs.letOn(id, ticket);
    return admitted;
  }

  /** What the end of one that has ended already answers. @param closed where it has ended in another way */
  async #again(id: string, closed: Closed, outcome: 'commit' | 'roll back'): Promise<Closing> {
    if (outcome === 'commit') await this.#confirmed(id);
    const row = this.#store.find(id);
    if (!row) return { is: 'unknown' };
    const isSame = isUndone(row) === (outcome === 'roll back') && row.status !== 'preparing';
    return isSame ? { is: 'done', shown: shown(this.#store, row) } : closed;
  }

  /** Waits as long as the first commit did for the participants of one that is decided. */
  async #confirmed(id: string): Promise<void> {
    for (;;) {
      const row = this.#store.find(id);
      const leftMs = (row?.decided ?? 0) + CLOSING_MS - Date.now();
      if (row?.status !== 'committing' || leftMs <= 0) return;
      await this.#awaited.next(id, leftMs);
    }
  }

  #openShare(share: ShareRow): OpenShare | undefined {
    const held = heldOf(share);
    const snapshot = this.#store.endpoints.snapshot(share.endpoint, share.revision);
    if (!held || snapshot === undefined) return undefined;
    const { n, endpoint, name: id, kind, part } = share;
    return { n, endpoint, id, kind, part, snapshot, held };
  }

  /** Lets the next request of one begin. */
  #free(id: string): void {
    const place = this.#taken.get(id);
    this.#taken.delete(id);
    place?.leave();
  }
}
