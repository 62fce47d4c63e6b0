/** What drivers that keep marks share: until when a write is tried, what is refused, when marks go. Spec: transactions.md §7. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../proto/driver.ts';
import { badRequest, GatewayError } from '../../proto/errors.ts';
import { FORESTALLED, type OnceAnswer, type OnceMark } from '../../proto/once.ts';
import type { ShareStatus } from '../../proto/prepares.ts';

/** Times that a write is sent again whose connection was lost. */
const LOST_MAX = 6;
/** Milliseconds before the first of them; each later one waits twice as long. */
const PAUSE_MS = 25;
const PAUSE_MAX_MS = 400;
/** Milliseconds between two rounds of removing old marks in one pool. */
const PURGE_EVERY_MS = 600_000;
/** Milliseconds that a round may take. */
const PURGE_MS = 10_000;
/** Marks of one round: nobody waits for it, and its locks are short. */
export const PURGE_STEP = 1_000;

/** Another call with the same key is under way, and the backend does not let this one wait for it. */
export class Contended extends GatewayError {
  constructor(cause?: unknown) {
    super('SERVICE_UNAVAILABLE', 'Another call with this Idempotency-Key is under way', {
      cause,
      retryAfter: 1,
    });
  }
}

/**
 * Tries until it is known what became of a write: its mark makes every try but one harmless.
 * @throws GatewayError what a try ends in, never OUTCOME_UNKNOWN
 */
export async function untilKnown(
  { signal }: Call,
  attempt: () => Promise<OnceAnswer>,
): Promise<OnceAnswer> {
  const tries = new Tries();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) throw endedBy(signal, error);
      if (!tries.goOnAfter(error)) throw tries.told(error);
      await sleep(tries.pauseMs);
      signal.throwIfAborted();
    }
  }
}

/** That its time was up says more than what that did to a connection. */
function endedBy({ reason }: AbortSignal, error: unknown): unknown {
  return reason instanceof GatewayError ? reason : error;
}

/** How often a write was tried. */
class Tries {
  /** A try may have taken effect. */
  #isDoubtful = false;
  #lost = 0;
  #waited = 0;

  /** Milliseconds before the next. */
  get pauseMs(): number {
    return Math.min(PAUSE_MS * 2 ** this.#waited, PAUSE_MAX_MS);
  }

  /** A connection of the pool may have been dead before; while a write is in doubt, the backend may be on its way back. */
  goOnAfter(error: unknown): boolean {
    this.#waited += 1;
    if (error instanceof Contended) return true;
    if (!isLoss(error)) return false;
    this.#isDoubtful ||= error.code === 'OUTCOME_UNKNOWN';
    this.#lost += 1;
    return this.#lost <= (this.#isDoubtful ? LOST_MAX : 1);
  }

  /** Once a write may have taken effect, that no connection can be had does not say that it has not. */
  told(error: unknown): unknown {
    if (!this.#isDoubtful || !isLoss(error)) return error;
    const message =
      'The connection to the database was lost: send the request again with the same Idempotency-Key, which tells what became of it';
    return new GatewayError('SERVICE_UNAVAILABLE', message, { cause: error, retryAfter: 1 });
  }
}

function isLoss(error: unknown): error is GatewayError {
  if (!(error instanceof GatewayError)) return false;
  return error.code === 'OUTCOME_UNKNOWN' || error.code === 'CONNECTION_FAILED';
}

/** Somebody has settled before that the write does not take effect. */
export function forestalled(cause?: unknown): GatewayError {
  const message = 'The transaction was rolled back before its commit came';
  return new GatewayError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: 1 });
}

/** What stands in the place of a mark, and keeps its write from taking effect. */
export function forestalling(mark: OnceMark): OnceMark {
  return { ...mark, body: FORESTALLED };
}

/** What a mark's body says about its write; undefined where there is none. */
export function statusOfBody(body: string | undefined, mark: OnceMark): ShareStatus {
  if (body === mark.body) return 'committed';
  return body === FORESTALLED ? 'rolled_back' : 'open';
}

/** Refuses what cannot be kept together with its mark. @throws GatewayError BAD_REQUEST */
export function commitsByItself(cause?: unknown): GatewayError {
  const message =
    'The statement commits by itself, so config.once cannot keep its Idempotency-Key with it: send it without the key';
  const refusal = badRequest('query', 'commits by itself', message);
  return new GatewayError(refusal.code, message, { cause, details: refusal.details });
}

/** What the credential lacks, or the place; with the statement that makes it. */
export function lacksPlace(name: string, why: string, statement: string): GatewayError {
  const message = `config.once needs ${name}, and ${why}. Make it with: ${statement}`;
  return badRequest('config.once', `needs ${name}`, message);
}

/** Removes old marks now and then, when nobody waits for it. */
export class Purges {
  #next = 0;
  #running: Promise<void> | undefined;

  /** @param purge removes at most `PURGE_STEP` marks, and answers how many; its failure is told by nobody, and the next round tries again */
  start(purge: (signal: AbortSignal) => Promise<number>): void {
    const now = performance.now();
    if (now < this.#next || this.#running !== undefined) return;
    this.#next = now + PURGE_EVERY_MS;
    this.#running = purge(AbortSignal.timeout(PURGE_MS)).then(
      (removed) => {
        this.#running = undefined;
        if (removed >= PURGE_STEP) this.#next = 0;
      },
      () => {
        this.#running = undefined;
      },
    );
  }
}
