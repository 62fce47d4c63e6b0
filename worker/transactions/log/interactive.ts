/** Transactions that their clients go on with, request by request: who may go on, and until when. Spec: transactions.md §5. */
import type {
  Closed,
  Closing,
  Entered,
  Entering,
  HeldShare,
  KeptFailure,
  NewInteractive,
  OpenShare,
} from '../../calls/transactions/object.ts';
import type { Decisions } from './decisions.ts';
import type { Head } from './rows.ts';
import { shown } from './shown.ts';
import type { LogStore, ShareRow, TransactionRow } from './store.ts';
import type { Turns } from './turns.ts';

/** Milliseconds without a request after which it is rolled back. Spec: transactions.md §5. */
const IDLE_MS = 30_000;
/** Milliseconds that its end may take, once it was asked for. */
const CLOSING_MS = 30_000;

/** Why one is rolled back that did not fail. */
const ASKED: KeptFailure = {
  code: 'TRANSACTION_CLOSED',
  message: 'The transaction was rolled back by its client',
  details: '[]',
};

export class Interactive {
  readonly #store: LogStore;
  readonly #turns: Turns;
  readonly #decisions: Decisions;
  /** Ends of the requests that are under way, by transaction. */
  readonly #under = new Map<string, { readonly left: Promise<void>; readonly leave: () => void }>();

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

  async enter({ id, caller, share, claims }: Entering): Promise<Entered> {
    const closed = await this.#admit(id, caller);
    if (closed) return closed;
    this.#begin(id);
    const entered = await this.#enter(id, share, claims);
    if (entered.is !== 'entered') this.#end(id);
    return entered;
  }

  /** Waits for the request that is under way, and looks whether another may begin. */
  async #admit(id: string, caller: string): Promise<Closed | undefined> {
    for (let under = this.#under.get(id); under; under = this.#under.get(id)) await under.left;
    const row = this.#store.find(id);
    if (row?.head.terms === undefined || row.head.caller.uuid !== caller) return { is: 'unknown' };
    if (row.status === 'active') return undefined;
    return { is: 'closed', status: row.isDoubtful ? 'in_doubt' : row.status };
  }

  async #enter(id: string, share: Entering['share'], claims: boolean): Promise<Entered> {
    const row = this.#store.find(id);
    if (!row) return { is: 'unknown' };
    const now = Date.now();
    const leftMs = Math.max(1, row.deadline - now);
    this.#store.change(id, { busy: 1, due: row.deadline });
    const { isolation } = row.head.terms ?? {};
    // Above the weakest level a read conflicts as a write does. Spec: transactions.md §4.
    const isStrict = isolation !== undefined && isolation !== 'read committed';
    const refused =
      share && (claims || isStrict) ? await this.#take(row, share.endpoint, leftMs) : undefined;
    if (refused) return refused;
    if (this.#store.find(id)?.status !== 'active') return { is: 'late' };
    const shares = this.#store.shares(id);
    const known = share && shares.find(({ endpoint }) => endpoint === share.endpoint);
    const n = known?.n ?? shares.length;
    if (share && !known) this.#store.addShare(id, { ...share, n }, now);
    return {
      ...{ is: 'entered', log: this.#store.log(), n, leftMs, terms: row.head.terms ?? {} },
      held: known && heldOf(known),
      decider: shares.find(({ part }) => part === 'decides')?.name,
    };
  }

  /** @returns why it cannot have the endpoint for itself */
  async #take(row: TransactionRow, endpoint: string, leftMs: number): Promise<Closed | undefined> {
    const { keys } = row.head.claims;
    const turn = await this.#turns.take(row.id, { endpoints: [endpoint], keys }, leftMs);
    if (turn.is === 'doubt') return turn;
    if (turn.is !== 'held') return { is: turn.is === 'circle' ? 'circle' : 'late' };
    this.#claim(row, endpoint);
    return undefined;
  }

  #claim({ id, head }: TransactionRow, endpoint: string): void {
    const { endpoints } = head.claims;
    if (endpoints.includes(endpoint)) return;
    const claims = { ...head.claims, endpoints: [...endpoints, endpoint] };
    this.#store.change(id, { head: JSON.stringify({ ...head, claims } satisfies Head) });
  }

  /** A request has ended well. */
  leave(id: string, n: number, held: HeldShare | undefined): void {
    const row = this.#store.find(id);
    if (row?.status === 'active') {
      if (held) this.#store.hold(id, n, held);
      this.#store.change(id, { busy: 0, due: Math.min(row.deadline, Date.now() + IDLE_MS) });
    }
    this.#end(id);
  }

  /** Lets the next request of one begin. */
  free(id: string): void {
    this.#end(id);
  }

  async close(id: string, caller: string, outcome: 'commit' | 'roll back'): Promise<Closing> {
    const closed = await this.#admit(id, caller);
    const row = this.#store.find(id);
    if (closed?.is === 'closed' && row) return this.#again(row, closed, outcome);
    if (closed || !row) return closed ?? { is: 'unknown' };
    if (outcome === 'roll back') {
      this.#decisions.rollBack(row, ASKED);
      const now = this.#store.find(id) ?? row;
      await this.#decisions.settle(now);
      return { is: 'done', shown: shown(this.#store, this.#store.find(id) ?? now) };
    }
    // Another that ends it waits for the outcome.
    this.#begin(id);
    const due = Date.now() + CLOSING_MS;
    this.#store.change(id, { status: 'preparing', due });
    const shares = this.#store.shares(id).flatMap((share) => this.#openShare(share) ?? []);
    return { is: 'closing', log: this.#store.log(), shares, leftMs: CLOSING_MS };
  }

  /** What the end of one that has ended already answers. */
  #again(row: TransactionRow, closed: Closed, outcome: 'commit' | 'roll back'): Closing {
    const isUndone = row.status === 'rolling_back' || row.status === 'rolled_back';
    const isSame = outcome === 'commit' ? row.status !== 'preparing' && !isUndone : isUndone;
    return isSame ? { is: 'done', shown: shown(this.#store, row) } : closed;
  }

  #openShare(share: ShareRow): OpenShare | undefined {
    const held = heldOf(share);
    const snapshot = this.#store.endpoints.snapshot(share.endpoint, share.revision);
    if (!held || snapshot === undefined) return undefined;
    const { n, endpoint, name: id, kind, part } = share;
    return { n, endpoint, id, kind, part, snapshot, held };
  }

  #begin(id: string): void {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    this.#under.set(id, { left, leave });
  }

  #end(id: string): void {
    const under = this.#under.get(id);
    this.#under.delete(id);
    under?.leave();
  }
}

function heldOf({ held }: ShareRow): HeldShare | undefined {
  return held === null ? undefined : (JSON.parse(held) as HeldShare); // As `hold` wrote it.
}
