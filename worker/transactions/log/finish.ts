/** Ends the participants of a transaction that their caller has not ended, on the side that was decided. Spec: transactions.md §3. */

import { GatewayError } from '../../../proto/errors.ts';
import type { ShareStatus } from '../../../proto/prepares.ts';
import type { Shares } from '../../calls/backend/shares.ts';
import { deciderMark, mayBeGone, readRecovery } from '../../calls/transactions/decider-mark.ts';
import { nameOf } from '../../calls/transactions/names.ts';
import type { Coming, HeldShare } from '../../calls/transactions/taking-part.ts';
import type { Bindings, Context } from '../../context.ts';
import { loggedFault } from '../../db/fault.ts';
import { type Deadline, startDeadline } from '../../drivers/deadline.ts';
import { log } from '../../log.ts';
import { settingsOf } from '../../settings.ts';
import { closeHeld, contextOfLog, endpointIs, endpointWas, sharesOn } from './reached.ts';
import type { LogStore, ShareRow, TransactionRow } from './store.ts';

/** Milliseconds that one question to a participant may take. */
const ASKED_FOR_MS = 8_000;
/** Milliseconds between two rounds: doubled each time, up to the longest. Spec: transactions.md §3. */
const PAUSE = { first: 200, longest: 10_000 };
/** Milliseconds after which a participant that is not reached is in doubt. Spec: transactions.md §5. */
const DOUBTFUL_AFTER_MS = 60_000;
/** Milliseconds in which what was under way may still come to be prepared; sweeps look for what comes later. */
const UNDER_WAY_MS = 2_000;

/** What a round found out about a decision that another took. */
export type Learned = 'commit' | 'roll back' | undefined;

export class Finisher {
  readonly #env: Bindings;
  readonly #store: LogStore;
  readonly #waitUntil: (work: Promise<unknown>) => void;

  constructor(env: Bindings, store: LogStore, waitUntil: (work: Promise<unknown>) => void) {
    this.#env = env;
    this.#store = store;
    this.#waitUntil = waitUntil;
  }

  /** What the log's own calls are made with. */
  context(requestId: string): Context {
    return contextOfLog(this.#env, this.#store.owner(), requestId, this.#waitUntil);
  }

  /** Asks each participant that has not ended once, and plans the next round. */
  async round(id: string): Promise<Learned> {
    const row = this.#store.find(id);
    if (!row || row.ended !== null) return undefined;
    const shares = this.#store.shares(id).filter(isOpen);
    const isSought = row.status === 'preparing';
    const asked = shares.filter(({ part }) => part === 'decides' || !isSought);
    const found = await Promise.all(asked.map((share) => this.#ask(row, share)));
    // Meanwhile it may have ended in another way.
    const now = this.#store.find(id);
    if (!now || now.ended !== null || now.status !== row.status) return undefined;
    const [learned] = isSought ? found : [];
    if (learned === 'committed') return 'commit';
    if (learned === 'rolled_back') return 'roll back';
    const tries = row.tries + 1;
    const pause = Math.min(PAUSE.longest, PAUSE.first * 2 ** row.tries);
    this.#store.change(id, { tries, due: Date.now() + pause });
    return undefined;
  }

  /** @returns how it ended, where that is known now */
  async #ask(
    row: TransactionRow,
    share: ShareRow,
  ): Promise<'committed' | 'rolled_back' | undefined> {
    const lasting = { now: Date.now, signal: new AbortController().signal };
    const deadline = startDeadline(lasting, ASKED_FOR_MS);
    try {
      const status = await this.#statusOf(row, share, deadline);
      const end = endOf(row, share, status);
      if (end !== undefined) {
        if (row.status !== 'preparing') this.#store.endShare(row.id, share.n, end);
        return end;
      }
      if (row.status === 'preparing' && status === 'unknown') {
        this.#doubt(row, share, 'its commit was sent, and its backend keeps no record of it');
      }
    } catch (thrown) {
      const isForeseen = thrown instanceof GatewayError;
      if (!isForeseen) log('error', 'a participant could not be asked', loggedFault(thrown));
      const reason = isForeseen ? thrown.message : 'Something went wrong';
      if (Date.now() - (row.decided ?? row.deadline) > DOUBTFUL_AFTER_MS) {
        this.#doubt(row, share, reason);
      }
    } finally {
      deadline.end();
    }
    return undefined;
  }

  #doubt({ id }: TransactionRow, { n }: ShareRow, reason: string): void {
    this.#store.endShare(id, n, 'in_doubt', reason);
    this.#store.change(id, { doubtful: 1 });
  }

  /** Of the configuration with which it was prepared; where that does not do, of the present one. */
  async #statusOf(row: TransactionRow, share: ShareRow, deadline: Deadline): Promise<ShareStatus> {
    const ctx = this.context(row.head.requestId);
    const owner = this.#store.owner();
    const snapshot = this.#store.endpoints.snapshot(share.endpoint, share.revision);
    try {
      if (snapshot === undefined) throw new GatewayError('INTERNAL', 'Its configuration is gone');
      const endpoint = endpointWas(ctx, owner, snapshot);
      const end = async () => this.#end(row, share, await sharesOn(ctx, endpoint), deadline);
      const held = row.status === 'rolling_back' ? heldOf(share) : undefined;
      if (!held) return await end();
      const isClosed = await closeHeld(ctx, endpoint, held, deadline).catch(() => false);
      // Only where it was to be prepared may there be more of it than it held.
      if (row.isBusy) return await end();
      return isClosed ? 'rolled_back' : unlessGone(await end());
    } catch (thrown) {
      const present = await endpointIs(ctx, owner, share.endpoint);
      const isSame = present?.row.poolRevision === share.revision;
      // That a mark is not there says something in the database alone that the commit was sent to.
      if (!isSame && isMarked(row, share)) throw thrown;
      const isPlaced = JSON.stringify(present?.placements) === placementsIn(snapshot);
      if (!present || (isSame && isPlaced)) throw thrown;
      return this.#end(row, share, await sharesOn(ctx, present), deadline);
    }
  }

  async #end(
    row: TransactionRow,
    share: ShareRow,
    shares: Shares | undefined,
    deadline: Deadline,
  ): Promise<ShareStatus> {
    if (!shares) return 'unknown';
    const { id, status } = row;
    if (status === 'preparing') return this.#settled(row, share, shares, deadline);
    const { n, part, recovery } = share;
    const name = nameOf(this.#store.log(), id, n);
    if (status === 'committing') return shares.commit(name, recovery, deadline);
    if (part !== 'decides') return shares.rollback(name, recovery, deadline);
    try {
      return await shares.rollback(name, heldRecovery(share), deadline);
    } catch (thrown) {
      // It was never told to commit: undoing it only frees what it holds, as its server does by itself. Some hold nothing.
      const holdsNothing = thrown instanceof GatewayError && thrown.code === 'NOT_SUPPORTED';
      if (holdsNothing || Date.now() - (row.decided ?? 0) >= DOUBTFUL_AFTER_MS) return 'unknown';
      throw thrown;
    }
  }

  /** What became of the one that decides. */
  async #settled(
    { id, started }: TransactionRow,
    { endpoint, recovery: kept }: ShareRow,
    shares: Shares,
    deadline: Deadline,
  ): Promise<ShareStatus> {
    const { place, recovery } = readRecovery(kept);
    if (place === undefined) {
      return recovery === '' ? 'unknown' : shares.settle(recovery, deadline);
    }
    if (mayBeGone(started, Date.now())) return 'unknown';
    const { orgUuid, sealedDataKey } = this.#store.owner();
    const owner = { settings: settingsOf(this.#env), orgUuid, sealedDataKey };
    const mark = await deciderMark(owner, endpoint, id, place);
    return shares.settleMark(mark, recovery, deadline);
  }
}

/** Whether a participant may still have something to end. */
export function isOpen({ status }: ShareRow): boolean {
  return status === 'active' || status === 'in_doubt';
}

/** Whether the one that decides is asked by its mark. */
function isMarked({ status }: TransactionRow, { recovery }: ShareRow): boolean {
  return status === 'preparing' && readRecovery(recovery).place !== undefined;
}

/** What an open one is named by in its backend. */
function heldRecovery(share: ShareRow): string {
  const held = share.recovery === '' ? heldOf(share) : undefined;
  return held?.recovery ?? readRecovery(share.recovery).recovery;
}

/** What it holds open at a node; undefined before its first request has left. */
export function heldOf({ held }: ShareRow): HeldShare | undefined {
  const read = heldIn(held);
  return read && 'node' in read ? read : undefined;
}

/** Until when the first request of a participant may come to its backend, in Unix epoch milliseconds; undefined once it has left. */
function comingUntil({ held }: Pick<ShareRow, 'held'>): number | undefined {
  const read = heldIn(held);
  return read && 'until' in read ? read.until : undefined;
}

function heldIn(held: string | null): HeldShare | Coming | undefined {
  return held === null ? undefined : (JSON.parse(held) as HeldShare | Coming); // As `hold` wrote it.
}

function placementsIn(snapshot: string | undefined): string | undefined {
  if (snapshot === undefined) return undefined;
  return JSON.stringify((JSON.parse(snapshot) as { placements: unknown }).placements); // As it was announced.
}

/** What cannot come back has been undone once its backend does not know it. */
function unlessGone(status: ShareStatus): ShareStatus {
  return status === 'unknown' ? 'rolled_back' : status;
}

/** What a backend's word says about a participant's end; undefined where it has to be asked again. */
export function endOf(
  { status: decided, decided: since }: Pick<TransactionRow, 'status' | 'decided'>,
  share: Pick<ShareRow, 'part' | 'held'>,
  status: ShareStatus,
): 'committed' | 'rolled_back' | undefined {
  if (status === 'committed' || status === 'rolled_back') return status;
  if (status === 'open' || decided === 'preparing') return undefined;
  // Its commit was sent: what the backend does not know any more is done.
  if (decided === 'committing') return 'committed';
  const until = comingUntil(share);
  if (share.part === 'decides' && until === undefined) return 'rolled_back';
  return Date.now() > (until ?? (since ?? 0) + UNDER_WAY_MS) ? 'rolled_back' : undefined;
}
