/** A share of a transaction over many databases on one connection, or on one after another. Spec: transactions.md §2, §3. */
import type { Call } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { OnceMark } from '../../proto/once.ts';
import type {
  Beginning,
  Performed,
  Prepared,
  PreparingParticipant,
  Share,
} from '../../proto/prepares.ts';
import { attempt, type Lendable, type Lender, type Traces } from './lender.ts';

/** What a kind does with a share on one connection; failures are its own, `attempt` makes them the caller's. */
export interface ShareSteps<Request, Connection> {
  /** @param isAlive the server was heard of just now: what begins the share may go with its first statement */
  begin(
    connection: Connection,
    beginning: Beginning,
    call: Call,
    isAlive: boolean,
  ): Promise<OpenShare<Request>>;
}

/** A share that has begun on a connection. */
export interface OpenShare<Request> {
  /** @param isLast `prepare` comes next: what prepares the share may go with its last statement */
  perform(share: Share<Request>, call: Call, isLast?: boolean): Promise<Performed>;
  /** Prepares it, or commits it where it only read; the connection is then free of it. */
  prepare(call: Call): Promise<Prepared>;
  /** What prepares it has been sent: what cannot be undone here may be prepared. */
  readonly mayBePrepared: boolean;
  commit(call: Call): Promise<void>;
  /** Commits with a mark in the same transaction. */
  commitMarked(mark: OnceMark, call: Call): Promise<void>;
  /** Undoes it on a connection that is still there. */
  undo(): Promise<void>;
  /** What is left on the connection once the share has ended; `kept` when the connection leaves the pool. */
  readonly traces: Traces | 'kept';
}

/** Milliseconds that undoing may take before the connection is cut, which undoes it too. */
const UNDO_MS = 2_000;
/** Milliseconds for which a server that was heard of counts as alive: a connection that dies later is found by what begins a share. */
const ALIVE_MS = 1_000;

/** A share whose operations come one after another. */
export class ConnectionParticipant<Request, Connection extends Lendable>
  implements PreparingParticipant<Request>
{
  readonly #lender: Lender<Connection>;
  readonly #connection: Connection;
  readonly #open: OpenShare<Request>;
  #ended = false;

  private constructor(
    lender: Lender<Connection>,
    connection: Connection,
    open: OpenShare<Request>,
  ) {
    this.#lender = lender;
    this.#connection = connection;
    this.#open = open;
  }

  /** Begins one on a connection of the pool. @throws GatewayError */
  static async join<Request, Connection extends Lendable>(
    lender: Lender<Connection>,
    steps: ShareSteps<Request, Connection>,
    beginning: Beginning,
    call: Call,
  ): Promise<ConnectionParticipant<Request, Connection>> {
    const { connection, open } = await begun(lender, steps, beginning, call);
    return new ConnectionParticipant(lender, connection, open);
  }

  perform(share: Share<Request>, call: Call): Promise<Performed> {
    return this.#do(call, () => this.#open.perform(share, call));
  }

  async prepare(call: Call): Promise<Prepared> {
    const prepared = await this.#do(call, () => this.#open.prepare(call));
    this.#end();
    return prepared;
  }

  /** Runs the last operations and prepares it. @throws GatewayError, and all of it is undone, or may be prepared after CONNECTION_FAILED */
  async performAndPrepare(share: Share<Request>, call: Call): Promise<Performed & Prepared> {
    try {
      const prepared = await this.#do(call, async () => {
        const performed = await this.#open.perform(share, call, true);
        return { ...performed, ...(await this.#open.prepare(call)) };
      });
      this.#end();
      return prepared;
    } catch (error) {
      const isUndone = await this.close();
      if (isUndone || !this.#open.mayBePrepared || call.signal.aborted) throw error;
      const message = 'The connection to the database was lost while it prepared';
      throw new GatewayError('CONNECTION_FAILED', message, { cause: error });
    }
  }

  async commit(call: Call): Promise<void> {
    await this.#do(call, () => this.#open.commit(call));
    this.#end();
  }

  async commitMarked(mark: OnceMark, call: Call): Promise<void> {
    await this.#do(call, () => this.#open.commitMarked(mark, call));
    this.#end();
  }

  async close(): Promise<boolean> {
    if (this.#ended) return true;
    const { wire, interrupted } = this.#connection;
    const isUndone = !wire.lost && !interrupted && (await undone(this.#connection, this.#open));
    this.#end();
    return isUndone;
  }

  async #do<Value>(call: Call, work: () => Promise<Value>): Promise<Value> {
    const connection = this.#connection;
    if (this.#ended || connection.wire.lost || connection.interrupted) {
      throw new GatewayError('SESSION_NOT_FOUND', 'The share has ended with its connection');
    }
    return attempt(connection, call.mode, call.signal, work);
  }

  #end(): void {
    this.#ended = true;
    const { traces } = this.#open;
    if (traces !== 'kept') this.#lender.giveBack(this.#connection, traces);
  }
}

/** Undoes a share; what cannot be undone in time ends with its connection, once the server hears of that: then it answers false. */
async function undone<Request>(connection: Lendable, open: OpenShare<Request>): Promise<boolean> {
  const timer = setTimeout(() => connection.cut(), UNDO_MS);
  try {
    await open.undo();
    return true;
  } catch {
    connection.cut();
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Begins a share; where a connection of the pool turns out to be dead, on another one: nothing was sent then. */
async function begun<Request, Connection extends Lendable>(
  lender: Lender<Connection>,
  steps: ShareSteps<Request, Connection>,
  beginning: Beginning,
  call: Call,
): Promise<{ readonly connection: Connection; readonly open: OpenShare<Request> }> {
  for (;;) {
    const connection = await lender.borrow(call.signal);
    const { reused } = connection;
    connection.reused = true;
    try {
      const isAlive = performance.now() - connection.heardAt < ALIVE_MS;
      const begin = () => steps.begin(connection, beginning, call, isAlive);
      return { connection, open: await attempt(connection, call.mode, call.signal, begin) };
    } catch (error) {
      lender.discard(connection);
      if (!wasDead(connection, reused)) throw error;
    }
  }
}

/** Whether a connection that served before was lost, and not because the call was stopped. */
function wasDead({ wire, interrupted }: Lendable, reused: boolean): boolean {
  return reused && wire.lost !== undefined && !interrupted;
}

/** Begins a share, runs it and prepares it, in one call on one connection. @throws GatewayError, and all of it is undone */
export async function prepareAtOnce<Request, Connection extends Lendable>(
  lender: Lender<Connection>,
  steps: ShareSteps<Request, Connection>,
  { beginning, share, call }: { beginning: Beginning; share: Share<Request>; call: Call },
): Promise<Performed & Prepared> {
  const participant = await ConnectionParticipant.join(lender, steps, beginning, call);
  // The name for recovery comes with the prepare.
  return participant.performAndPrepare({ ...share, recoverable: false }, call);
}

/** Every connection of the pool may be dead; the last one that is tried is probably new. */
const TRIES_MAX = 3;
/** Milliseconds to wait for a connection of the pool. */
const PATIENCE_MS = 250;

/**
 * Runs work that may be repeated on a connection of the pool, or outside it when none is free soon: those that wait
 * for what is to be finished may hold all of them.
 * @param open makes a connection that is no part of the pool
 */
export async function onAnyConnection<Value, Connection extends Lendable>(
  lender: Lender<Connection>,
  open: (signal: AbortSignal) => Promise<Connection>,
  { mode, signal }: Pick<Call, 'mode' | 'signal'>,
  work: (connection: Connection) => Promise<Value>,
): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    const pooled = await borrowedSoon(lender, signal);
    const connection = pooled ?? (await open(signal));
    connection.reused = true;
    let traces: Traces = 'some';
    try {
      const value = await attempt(connection, mode, signal, () => work(connection));
      traces = 'none';
      return value;
    } catch (error) {
      const mayRepeat = tries < TRIES_MAX && wasDead(connection, true);
      if (!mayRepeat) throw error;
    } finally {
      if (pooled) lender.giveBack(pooled, traces);
      else void connection.close();
    }
  }
}

async function borrowedSoon<Connection extends Lendable>(
  lender: Lender<Connection>,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(noneIsFree()), PATIENCE_MS);
  try {
    // Those that wait may wait for the very share that is to be finished.
    return await lender.borrow(AbortSignal.any([signal, patience.signal]), 'ahead');
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GatewayError && error.code === 'POOL_EXHAUSTED') return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function noneIsFree(): GatewayError {
  return new GatewayError('POOL_EXHAUSTED', 'No connection is free', { retryAfter: 1 });
}
