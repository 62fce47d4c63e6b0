/** One line on which a relay reports changes: batch after batch, each once the one before is stored. */
import type { ChangesResponse } from '../../proto/gen/relay/v1/relay_pb.ts';
import type { RelayChanges, Telling } from '../calls/backend/changes.ts';
import type { PublicContext } from '../context.ts';
import { loggedFault } from '../db/fault.ts';
import { failureOf } from '../drivers/failure.ts';
import { log } from '../log.ts';
import { answers } from '../nodes/health.ts';

/** Milliseconds without a word after which a line counts as lost: relays tell that all is well more often. */
const SILENT_MS = 20_000;
/** Milliseconds without a word after which its node is asked whether it is there. */
const QUIET_MS = 2_500;

/** Who takes what a line brings. */
interface FeedReceiver {
  /** Stores a batch; the next is asked for once it is done. */
  take(batch: ChangesResponse): Promise<void>;
  /** The line has ended, and nobody has closed it. @param thrown why; undefined where the relay ended it */
  ended(thrown: unknown): void;
}

const NEVER = new AbortController().signal;

export class ChangeFeed {
  readonly #changes: RelayChanges;
  readonly #telling: Telling;
  readonly #taker: FeedReceiver;
  #isClosed = false;
  /** Since when a word is waited for; 0 while none is. */
  #waitsSince = 0;
  /** The newest position that is stored and not acknowledged. */
  #stored = '';
  #acknowledging: Promise<void> | undefined;

  constructor(changes: RelayChanges, telling: Telling, taker: FeedReceiver) {
    this.#changes = changes;
    this.#telling = telling;
    this.#taker = taker;
  }

  /** Milliseconds for which it has brought nothing; 0 while something is being stored. */
  get quietMs(): number {
    return this.#waitsSince === 0 ? 0 : Date.now() - this.#waitsSince;
  }

  /** Takes batches until the line ends. */
  async run(): Promise<void> {
    let thrown: unknown;
    try {
      const { first, batches } = this.#telling;
      if (first) await this.#taker.take(first);
      while (!this.#isClosed) {
        const next = await this.#heard(() => batches.next());
        if (next.done || this.#isClosed) break;
        await this.#taker.take(next.value);
      }
    } catch (cause) {
      // The line is over, no matter who ended it: no deadline has passed.
      thrown = failureOf(cause, { writes: false, signal: NEVER });
    }
    if (this.#isClosed) return;
    this.close();
    this.#taker.ended(thrown);
  }

  /** Lets the backend forget what is stored; what comes meanwhile is acknowledged together. */
  acknowledge(position: string): void {
    if (position === '') return;
    this.#stored = position;
    this.#acknowledging ??= this.#acknowledge().finally(() => {
      this.#acknowledging = undefined;
    });
  }

  /** Ends a line whose node is gone: it would not say so itself. */
  async check(ctx: PublicContext): Promise<void> {
    const since = this.#waitsSince;
    if (since === 0 || Date.now() - since < QUIET_MS) return;
    const { node } = this.#telling;
    const isThere = (await answers(ctx, node)) || (await answers(ctx, node));
    if (!isThere && this.#waitsSince === since) this.#telling.end();
  }

  /** Nothing that comes from now on is taken. */
  close(): void {
    this.#isClosed = true;
    this.#telling.end();
  }

  async #acknowledge(): Promise<void> {
    while (this.#stored !== '' && !this.#isClosed) {
      const position = this.#stored;
      this.#stored = '';
      try {
        await this.#changes.acknowledge(this.#telling.node, position);
      } catch (thrown) {
        // The next one, or the next line, acknowledges it as well.
        log('warn', 'changes could not be acknowledged', loggedFault(thrown));
      }
    }
  }

  async #heard<Value>(next: () => Promise<Value>): Promise<Value> {
    const timer = setTimeout(() => this.#telling.end(), SILENT_MS);
    this.#waitsSince = Date.now();
    try {
      return await next();
    } finally {
      this.#waitsSince = 0;
      clearTimeout(timer);
    }
  }
}
