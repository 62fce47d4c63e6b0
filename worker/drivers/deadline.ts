/** The end of a call: its time is up, or its client has gone. Contract: "Deadline". */
import { GatewayError } from '../../proto/errors.ts';
import type { PublicContext } from '../context.ts';

/** Milliseconds beyond the deadline in which a relay's own account of it may still arrive. */
const GRACE_MS = 3_000;

/** Bounds one call to a backend, over all nodes that are tried. */
export interface Deadline {
  /** Aborts when the client goes away, or nothing was heard in the deadline and its grace. */
  readonly signal: AbortSignal;
  /**
   * Milliseconds left for the backend, at least 1.
   * @throws GatewayError TIMED_OUT when there are none: nothing more may be sent
   */
  remaining(): number;
  /** Whether its time is up; not whether it was ended from here. */
  hasPassed(): boolean;
  /** Ends the call from here, as its client's leaving would. */
  abort(): void;
  /** To be called once the call is over: frees the timer. */
  end(): void;
}

/**
 * Starts the clock of a call that may take `timeoutMs`.
 * @param kept only this deadline ends the call: then there is no grace, and the signal's reason is TIMED_OUT
 */
export function startDeadline(
  ctx: Pick<PublicContext, 'now' | 'signal'>,
  timeoutMs: number,
  kept = false,
): Deadline {
  const started = ctx.now();
  const controller = new AbortController();
  const abort = (): void => controller.abort(kept ? timedOut() : undefined);
  const timer = setTimeout(abort, timeoutMs + (kept ? 0 : GRACE_MS));
  if (ctx.signal.aborted) abort();
  else ctx.signal.addEventListener('abort', abort);
  const leftMs = (): number => timeoutMs - (ctx.now() - started);
  return {
    signal: controller.signal,
    hasPassed: () => leftMs() < 1,
    remaining() {
      const left = leftMs();
      if (left < 1 || controller.signal.aborted) throw timedOut();
      return left;
    },
    abort,
    end() {
      clearTimeout(timer);
      ctx.signal.removeEventListener('abort', abort);
    },
  };
}

/** Does work within a deadline. */
export async function withinDeadline<Result>(
  deadline: Deadline,
  work: (deadline: Deadline) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(deadline);
  } finally {
    deadline.end();
  }
}

/** What a client is told whose deadline passed without an effect. */
export function timedOut(cause?: unknown): GatewayError {
  return new GatewayError('TIMED_OUT', 'The deadline passed before the backend answered', {
    cause,
  });
}
