/** What every call passes: its deadline, its log line, its metrics, the node's stop. */
import { Code, type ConnectError } from '@connectrpc/connect';
import { BACKEND_US } from '../proto/driver.ts';
import { GatewayError } from '../proto/errors.ts';
import { ENDPOINT_HEADER, PART_HEADER } from '../proto/parts.ts';
import type { Admission } from './admission.ts';
import type { AtHand } from './at-hand.ts';
import { type CallContext, Deadline } from './drivers/deadline.ts';
import { CallRefused, failureCode, toConnectError } from './failures.ts';
import { type CallLine, describeFault, type Log, type LoggedError, levelOf } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { InFlight } from './parts/in-flight.ts';
import type { CallSpan, Tracing } from './tracing.ts';

/** As Node writes names of headers. */
const KEY = PART_HEADER.toLowerCase();
const NAME = ENDPOINT_HEADER.toLowerCase();

/** Methods that go on while the node stops: they end what it has. */
const WHILE_DRAINING = new Set([
  'Status',
  'Collect',
  'CloseSession',
  'Release',
  'Commit',
  'CommitTogether',
  'Rollback',
]);

/** Methods that last until one side leaves; how long they may is for the client to say. */
const UNBOUNDED = new Set(['Watch', 'Changes']);

/** Milliseconds that a call counts for at most, when the relay asks whose calls take most: one stream lasts long and holds little. */
const COUNTED_MS = 1_000;
/** Seconds after which a refused caller may call again. */
const SHED_RETRY_S = 5;
/** The same of those that a stop ended: another node, or the next start, serves them. */
const STOPPED_RETRY_S = 1;

/** The backend a call is about, as far as it is known. */
export interface Subject {
  kind?: string;
  organization?: string;
  endpoint?: string;
  /** Since when the backend is asked, on the clock of `performance`. */
  askedAt?: number;
  /** What is in memory of a large request. */
  atHand?: AtHand | undefined;
  /** Headers that put what the backend does into the caller's trace. */
  readonly trace?: Readonly<Record<string, string>>;
}

/** Work of a call; it fills in the subject as soon as it knows it. */
type CallWork<Result> = (signal: AbortSignal, subject: Subject) => Result;

interface OpenCall {
  readonly method: string;
  readonly requestId: string;
  /** Whose call it is; empty when unknown. */
  readonly key: string;
  /** The endpoint's id; empty when unknown. */
  readonly endpoint: string;
  readonly deadline: Deadline;
  readonly subject: Subject;
  readonly started: number;
  readonly span: CallSpan | undefined;
}

/** What calls are observed with. */
interface CallsOptions {
  readonly admission: Pick<Admission, 'admit'>;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'call'>;
  /** Told whose calls are in flight, by `PART_HEADER`. */
  readonly inFlight?: Pick<InFlight, 'enter' | 'leave'>;
  /** Where calls are traced. */
  readonly tracing?: Pick<Tracing, 'begin'>;
}

/** Calls in flight, and the only place where a failure takes its form for the wire. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #stopping = new AbortController();
  readonly #open = new Set<OpenCall>();
  #draining = false;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#open.size;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Refuses calls from now on, but those that end what the node has. */
  drain(): void {
    this.#draining = true;
  }

  /** Ends the calls in flight, with SERVICE_UNAVAILABLE. */
  abort(): void {
    const message = 'The node is stopping';
    this.#stopping.abort(
      new GatewayError('SERVICE_UNAVAILABLE', message, { retryAfter: STOPPED_RETRY_S }),
    );
  }

  /** Ends all calls of whose calls together are there for longest, with SERVICE_UNAVAILABLE. */
  shed(): void {
    const now = performance.now();
    const taken = new Map<string, number>();
    for (const { key, started } of this.#open) {
      taken.set(key, (taken.get(key) ?? 0) + Math.min(now - started, COUNTED_MS));
    }
    const [most] = [...taken].sort(([, one], [, other]) => other - one);
    if (most === undefined) return;
    const [organization] = most;
    const calls = [...this.#open].filter(({ key }) => key === organization);
    this.#options.log.warn({ organization, calls: calls.length }, 'memory runs short: calls ended');
    const message = 'The node has no memory left for the calls of this organization';
    const reason = new GatewayError('SERVICE_UNAVAILABLE', message, { retryAfter: SHED_RETRY_S });
    for (const { deadline } of calls) deadline.abort(reason);
  }

  /**
   * Admits a call before its message is read.
   * @throws ConnectError Unauthenticated; Unavailable while the node stops
   */
  admit(method: string, authorization: string | null): void | Promise<void> {
    const admitted = this.#options.admission.admit(authorization);
    if (admitted === undefined) {
      this.#refuseWhileDraining(method);
      return;
    }
    return admitted.then(
      () => this.#refuseWhileDraining(method),
      (cause: unknown) => this.#refused(method, cause),
    );
  }

  /** Runs a call with one reply. @throws ConnectError */
  async unary<Reply>(
    method: string,
    context: CallContext,
    work: CallWork<Promise<Reply>>,
  ): Promise<Reply> {
    const call = this.#begin(method, context);
    try {
      const reply = await work(call.deadline.signal, call.subject);
      this.#end(call);
      return reply;
    } catch (cause) {
      throw this.#fail(call, cause);
    }
  }

  /**
   * Runs a call that answers piece by piece; a piece is asked for when the client has taken the
   * last. The work also ends when the signal aborts while a client that no longer reads is waited for.
   * @throws ConnectError
   */
  async *stream<Piece>(
    method: string,
    context: CallContext,
    work: CallWork<AsyncGenerator<Piece>>,
  ): AsyncGenerator<Piece> {
    const call = this.#begin(method, context);
    const { signal } = call.deadline;
    const pieces = work(signal, call.subject);
    const leave = (): void => {
      pieces.return(undefined).then(
        () => this.#fail(call, signal.reason),
        (cause: unknown) => this.#fail(call, cause),
      );
    };
    signal.addEventListener('abort', leave);
    try {
      for await (const piece of pieces) {
        yield piece;
        signal.throwIfAborted();
      }
      this.#end(call);
    } catch (cause) {
      throw this.#fail(call, cause);
    } finally {
      signal.removeEventListener('abort', leave);
      // When neither the end nor a failure was reached: the client stopped reading.
      this.#end(call, 'CLIENT_LEFT');
    }
  }

  #begin(method: string, context: CallContext): OpenCall {
    const key = context.requestHeader.get(KEY) ?? '';
    const { inFlight, tracing } = this.#options;
    if (key !== '') inFlight?.enter(key);
    const span = tracing?.begin(method, (name) => context.requestHeader.get(name));
    const call: OpenCall = {
      method,
      key,
      requestId: context.requestHeader.get('x-request-id') ?? '',
      endpoint: context.requestHeader.get(NAME) ?? '',
      deadline: new Deadline(context, this.#stopping.signal, !UNBOUNDED.has(method)),
      subject: span === undefined ? {} : { trace: span.headers },
      span,
      started: performance.now(),
    };
    this.#open.add(call);
    return call;
  }

  #fail(call: OpenCall, thrown: unknown): ConnectError {
    const { signal } = call.deadline;
    const cause: unknown = signal.aborted && isStopped(thrown) ? signal.reason : thrown;
    // What this node refuses by itself is no fault: its code says all.
    const fault = cause instanceof CallRefused ? undefined : describeFault(cause);
    this.#end(call, failureCode(cause), fault);
    const error = toConnectError(cause);
    const { askedAt } = call.subject;
    if (askedAt !== undefined && !(cause instanceof CallRefused)) {
      error.metadata.set(BACKEND_US, String(Math.round((performance.now() - askedAt) * 1000)));
    }
    return error;
  }

  #end(call: OpenCall, code = 'OK', fault?: LoggedError): void {
    if (!this.#open.delete(call)) return;
    const { method, requestId, deadline, subject, started, span } = call;
    deadline.end();
    subject.atHand?.end();
    const ms = performance.now() - started;
    const { kind = '', organization = '', endpoint = '', askedAt } = subject;
    span?.end({ code, kind, organization, endpoint, requestId, askedAt });
    this.#report({
      request_id: requestId,
      method,
      kind,
      organization,
      endpoint: call.endpoint || endpoint,
      code,
      ms,
      ...(fault && { fault }),
    });
    if (call.key !== '') this.#options.inFlight?.leave(call.key);
  }

  #refuseWhileDraining(method: string): void {
    if (!this.#draining || WHILE_DRAINING.has(method)) return;
    this.#refused(
      method,
      new CallRefused(Code.Unavailable, 'NODE_UNAVAILABLE', 'This node is stopping'),
    );
  }

  #refused(method: string, cause: unknown): never {
    const code = failureCode(cause);
    this.#report({ request_id: '', method, kind: '', organization: '', endpoint: '', code, ms: 0 });
    throw toConnectError(cause);
  }

  #report(line: CallLine): void {
    const { metrics, log } = this.#options;
    metrics.call(line.method, line.kind, line.code, line.ms / 1000);
    const level = levelOf(line.code);
    if (!log.isLevelEnabled(level)) return;
    const message = level === 'debug' ? 'call' : 'call failed';
    log[level]({ ...line, ms: Math.round(line.ms * 1000) / 1000 }, message);
  }
}

/** What a driver throws because it was told to stop says less than why: not every end of a call is that of its time. */
function isStopped(thrown: unknown): boolean {
  return (
    !(thrown instanceof GatewayError) ||
    (thrown.code === 'TIMED_OUT' && thrown.details.length === 0)
  );
}
