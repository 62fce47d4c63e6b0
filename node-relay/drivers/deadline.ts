/** One signal for all that ends a call early: its deadline, its client going away, the node stopping. */
import { Code, ConnectError } from '@connectrpc/connect';
import { TIMEOUT_MAX_MS } from '../../kinds/members.ts';
import { GatewayError } from '../../proto/errors.ts';

/** What is known of a call besides its message; Connect's `HandlerContext` is one. */
export interface CallContext {
  /** Aborts on deadline and on the client's leaving, and also once the call has ended. */
  readonly signal: AbortSignal;
  /** Milliseconds left; undefined when the client set no deadline. */
  timeoutMs(): number | undefined;
  readonly requestHeader: { get(name: string): string | null };
}

/** A signal for drivers; its reason is always a `GatewayError`: TIMED_OUT, unless `abort` is given another. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #timer: NodeJS.Timeout | undefined;

  /**
   * A bounded call without a deadline gets the longest that a client may ask for. Contract:
   * "Deadline".
   */
  constructor(context: CallContext, stopping: AbortSignal, bounded = true) {
    this.#sources = [context.signal, stopping];
    for (const source of this.#sources) {
      if (source.aborted) this.#abort(source);
      else source.addEventListener('abort', this.#onAbort);
    }
    if (!bounded || context.timeoutMs() !== undefined) return;
    this.#timer = setTimeout(() => this.#controller.abort(passed()), TIMEOUT_MAX_MS);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the call early. */
  abort(reason: GatewayError): void {
    this.#controller.abort(reason);
  }

  /** The call has ended: from now on the signal stays as it is. */
  end(): void {
    clearTimeout(this.#timer);
    for (const source of this.#sources) source.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (event: Event): void => {
    if (event.target instanceof AbortSignal) this.#abort(event.target);
  };

  #abort(source: AbortSignal): void {
    this.#controller.abort(reasonOf(source.reason));
  }
}

/** The signal's reason as a failure as soon as it aborts, else what the promise becomes. */
export async function orAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function reasonOf(reason: unknown): GatewayError {
  if (reason instanceof GatewayError) return reason;
  const late = reason instanceof ConnectError && reason.code === Code.DeadlineExceeded;
  return late ? passed() : new GatewayError('TIMED_OUT', 'The client went away');
}

/** What the client is told when its deadline passed. */
function passed(): GatewayError {
  return new GatewayError('TIMED_OUT', 'The deadline passed before the backend answered');
}
