/** Shares of a transaction as they are begun, gone on with, prepared and undone. Spec: transactions.md §2, §3. */
import { type ErrorCode, GatewayError } from '../../../proto/errors.ts';
import type { OnceMark } from '../../../proto/once.ts';
import type { Isolation } from '../../../proto/prepares.ts';
import type { Context } from '../../context.ts';
import type { Deadline } from '../../drivers/deadline.ts';
import { backendOf } from '../backend/choose.ts';
import { RelayBackend } from '../backend/relay.ts';
import { type Performed, type PrepareSeat, type SharePart, Shares } from '../backend/shares.ts';
import { markPlaceOf } from './decider-mark.ts';
import { nameOf } from './names.ts';
import type { Mark } from './object.ts';
import { forgetAble, type Participant } from './participants.ts';
import type { HeldShare } from './taking-part.ts';

/** Milliseconds after which a share that its backend does not know is asked for again. */
const ASK_AGAIN_MS = 150;

/** Failures after which nothing of a share is left: its backend has answered, or was not asked. */
const REFUSED = new Set<ErrorCode>([
  'BAD_REQUEST',
  'REQUEST_FAILED',
  'CONSTRAINT_VIOLATED',
  'RESULT_TOO_LARGE',
  'NOT_SUPPORTED',
  'POOL_EXHAUSTED',
  'ADDRESS_REFUSED',
  'INVALID_CONFIGURATION',
]);

/** Whose shares they are. */
export interface Names {
  readonly log: string;
  readonly id: string;
  readonly isolation: Isolation | undefined;
}

/** How operations are sent. */
export interface Sending {
  /** Whether their share is prepared then. */
  readonly isLast: boolean;
  /** What it is prepared by. */
  readonly seat?: PrepareSeat | undefined;
}

/** A share that goes on at its node. */
interface Open {
  readonly shares: Shares;
  readonly held: HeldShare;
}

export class ShareWork {
  readonly #ctx: Context;
  readonly #names: Names;
  readonly #open = new Map<number, Open>();
  readonly #marks = new Map<number, string>();
  /** Those that may be prepared, or be on their way there. */
  readonly #reached = new Set<number>();
  readonly #onlyRead = new Set<number>();

  constructor(ctx: Context, names: Names) {
    this.#ctx = ctx;
    this.#names = names;
  }

  /** Those that are prepared, with what asks for them later. */
  get marks(): readonly Mark[] {
    return [...this.#marks].map(([n, recovery]) => ({ n, recovery }));
  }

  /** Whether one has turned out to only read. */
  hasOnlyRead(n: number): boolean {
    return this.#onlyRead.has(n);
  }

  /** What one holds open. */
  held(n: number): HeldShare | undefined {
    return this.#open.get(n)?.held;
  }

  nameOf(n: number): string {
    return nameOf(this.#names.log, this.#names.id, n);
  }

  /** Goes on with one that was begun by an earlier request. @throws GatewayError SESSION_NOT_FOUND where its node is gone */
  async resume({ n, endpoint }: Participant, held: HeldShare): Promise<void> {
    const where = { leaseId: held.session, node: held.node };
    const backend = await backendOf(this.#ctx, endpoint, 'write', where);
    if (!(backend instanceof RelayBackend)) throw new Error('A share is held by a relay');
    this.#open.set(n, { shares: new Shares(backend), held });
    this.#reached.add(n);
    if (held.onlyRead) this.#onlyRead.add(n);
  }

  /** Sends operations of a participant; the last are prepared with their share, unless its own commit decides. */
  async send(
    participant: Participant,
    sent: SharePart,
    { isLast, seat }: Sending,
    deadline: Deadline,
  ): Promise<Performed> {
    const { n, part } = participant;
    this.#reached.add(n);
    try {
      if (isLast && part !== 'decides') {
        return await this.#prepare(participant, sent, deadline, seat);
      }
      const performed = await this.#goOn(participant, sent, deadline);
      if (isLast && performed.onlyRead) await this.#endRead(n, deadline);
      return performed;
    } catch (thrown) {
      // What the backend itself has refused is undone; of a lost connection nobody knows.
      if (thrown instanceof GatewayError && REFUSED.has(thrown.code)) this.#forget(n);
      throw thrown;
    }
  }

  async #prepare(
    { n, shares, backend, part, endpoint }: Participant,
    sent: SharePart,
    deadline: Deadline,
    seat: PrepareSeat | undefined,
  ): Promise<Performed> {
    const name = this.nameOf(n);
    const { isolation } = this.#names;
    const open = this.#open.get(n);
    const prepared = await (open
      ? open.shares.prepareBegun({ name, session: open.held.session }, sent, deadline, seat)
      : sharesOf(shares).prepare({ name, isolation, onePhase: false }, sent, deadline, seat)
    ).catch((thrown: unknown) => {
      if (part === 'prepares') forgetAble(backend);
      throw ofShare(thrown, endpoint.row.id);
    });
    this.#open.delete(n);
    if (prepared.prepared) this.#marks.set(n, prepared.mark);
    else this.#read(n);
    return prepared;
  }

  async #goOn(participant: Participant, sent: SharePart, deadline: Deadline): Promise<Performed> {
    const { n, shares, endpoint, part } = participant;
    const open = this.#open.get(n);
    if (open) {
      const performed = await open.shares.continue(open.held.session, sent, deadline);
      this.#note(n, open.shares, { ...open.held, ...standingOf(performed) });
      return performed;
    }
    const { isolation } = this.#names;
    const decides = part === 'decides';
    const markPlace = decides ? markPlaceOf(participant) : undefined;
    const beginning = { name: this.nameOf(n), isolation, onePhase: decides, markPlace };
    const begun = await sharesOf(shares).begin(beginning, sent, deadline);
    const { node, session } = begun;
    const backend = await backendOf(this.#ctx, endpoint, 'write', { leaseId: session, node });
    if (!(backend instanceof RelayBackend)) throw new Error('A share is held by a relay');
    this.#note(n, new Shares(backend), { node, session, ...standingOf(begun) });
    return begun;
  }

  #note(n: number, shares: Shares, held: HeldShare): void {
    this.#open.set(n, { shares, held });
    if (held.onlyRead) this.#onlyRead.add(n);
    else this.#onlyRead.delete(n);
  }

  async #endRead(n: number, deadline: Deadline): Promise<void> {
    await this.commitOpen(n, deadline);
    this.#read(n);
  }

  /** Commits one that is open, in one phase. @param mark that it leaves @throws GatewayError OUTCOME_UNKNOWN */
  async commitOpen(n: number, deadline: Deadline, mark?: OnceMark): Promise<void> {
    const open = this.#open.get(n);
    if (!open) return;
    const { shares, held } = open;
    if (mark) await shares.commitMarked(held.session, mark, deadline);
    else await shares.commitBegun(held.session, deadline);
    this.#open.delete(n);
  }

  #read(n: number): void {
    this.#onlyRead.add(n);
    this.#reached.delete(n);
  }

  /** What it holds open is closed all the same: it may have been refused before it came there. */
  #forget(n: number): void {
    this.#reached.delete(n);
  }

  /** Undoes what may be left of a participant. Answers whether certainly nothing is. */
  async undo({ n, shares, part }: Participant, deadline: Deadline): Promise<boolean> {
    const open = this.#open.get(n);
    const isClosed = await open?.shares.closeBegun(open.held.session, deadline).catch(() => false);
    if (isClosed || !shares) return true;
    // What it held may be there although it is not at its node any more.
    if (!this.#reached.has(n) && !open) return true;
    const recovery = this.#marks.get(n) ?? open?.held.recovery ?? '';
    const ask = () => shares.rollback(this.nameOf(n), recovery, deadline);
    try {
      const status = await ask();
      if (status !== 'unknown') return status === 'rolled_back';
      // It was never to be prepared: what is not there any more does not come back.
      if (part === 'decides') return true;
      // What was under way when it was ended from here has had its time to come to that end.
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      const again = await ask();
      return again === 'unknown' || again === 'rolled_back';
    } catch {
      return false;
    }
  }
}

/** What the backend says of no operation it says of the share. Spec: transactions.md §2. */
function ofShare(thrown: unknown, endpoint: string): unknown {
  if (!(thrown instanceof GatewayError) || thrown.details.length === 0) return thrown;
  const { code, message, details } = thrown;
  const isOfShare = details.every((detail) => 'source' in detail && detail.operation === undefined);
  if (!isOfShare) return thrown;
  const named = details.map((detail) => ({ ...detail, endpoint }));
  return new GatewayError(code, message, { cause: thrown, details: named });
}

function standingOf({ onlyRead, recovery }: Performed) {
  return { onlyRead, recovery };
}

function sharesOf(shares: Shares | undefined): Shares {
  if (!shares) throw new Error('A participant that joins has shares');
  return shares;
}
