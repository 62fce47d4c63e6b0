/** One request until its reply: sent again where nothing is at risk, and along redirects. Contract §6, "http kind". */
import { GatewayError, outcomeUnknown } from '../../proto/errors.ts';
import type { Base } from './address.ts';
import { headerOf, mergedHeaders, withoutCredentials } from './headers.ts';
import { type HttpTransport, type Incoming, NotSent, type Outgoing } from './transport.ts';

/** How often a request is sent at most. Spec silent. */
const SENDS_MAX = 3;
/** Milliseconds before the second time it is sent; each further time twice as long, less up to a half. Spec silent. */
const BACKOFF_MS = 100;
/** Longest that a `Retry-After` is waited for, in milliseconds; a longer one is the caller's to wait. Spec silent. */
const RETRY_AFTER_MAX_MS = 10_000;
/** With these a server says that it could not look at the request. */
const AGAIN: readonly number[] = [502, 503, 504];
/** Most redirects of one request. Spec silent. */
const REDIRECTS_MAX = 5;
/** Bytes of a body that are read for nothing. */
const DISCARDED_MAX = 16_384;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** A request before its target is known. */
export interface Intended extends Outgoing {
  readonly retries: boolean;
  /** Whether it has no effect, so that it may be sent again and led elsewhere. */
  readonly reads: boolean;
}

/**
 * The reply to a request. GET and HEAD follow redirects; of other methods a redirect is the reply.
 * @throws GatewayError ADDRESS_REFUSED, CONNECTION_FAILED, TIMED_OUT, REQUEST_FAILED, OUTCOME_UNKNOWN
 */
export async function exchange(
  line: HttpTransport,
  { url: { origin }, sealed }: Base,
  intended: Intended,
  signal: AbortSignal,
): Promise<Incoming> {
  const own = intended.headers;
  let request: Intended = { ...intended, headers: mergedHeaders(own, sealed) };
  let isAway = false;
  for (let redirects = 0; ; redirects += 1) {
    const reply = await sendOften(line, request, signal);
    if (!isRedirect(reply, request)) return reply;
    await discard(reply);
    if (redirects === REDIRECTS_MAX) throw refusedHop(`after ${REDIRECTS_MAX} others`);
    const next = nextOf(reply, request);
    // Where it leads is the server's choice, not the endpoint's, at home too: nothing sealed goes along.
    isAway ||= next.origin !== origin;
    request = { ...request, url: next, headers: isAway ? withoutCredentials(own) : own };
  }
}

function isRedirect({ status, headers }: Incoming, { reads }: Intended): boolean {
  const leads = REDIRECTS.includes(status) && headerOf(headers, 'location') !== undefined;
  return leads && reads;
}

/** Where a redirect leads. */
function nextOf({ headers }: Incoming, { url }: Outgoing): URL {
  const next = URL.parse(headerOf(headers, 'location') ?? '', url.href);
  if (next === null || !/^https?:$/.test(next.protocol)) throw refusedHop('to what is no HTTP');
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw refusedHop('from https to http');
  }
  next.hash = '';
  next.username = '';
  next.password = '';
  return next;
}

function refusedHop(where: string): GatewayError {
  return new GatewayError('ADDRESS_REFUSED', `A redirect ${where} is not followed`, {
    details: [{ rule: 'redirect' }],
  });
}

/** Sends a request; where that is allowed, again. */
async function sendOften(
  line: HttpTransport,
  request: Intended,
  signal: AbortSignal,
): Promise<Incoming> {
  const { reads } = request;
  for (let sends = 1; ; sends += 1) {
    const isLast = sends === SENDS_MAX || !request.retries;
    const backoff = BACKOFF_MS * 2 ** (sends - 1) * (1 - Math.random() / 2);
    const { reply, failure } = await sendOnce(line, request, signal);
    const wait = reply ? waitAfter(reply, reads, backoff) : mayRepeat(failure, reads) && backoff;
    if (!isLast && wait !== undefined && wait !== false) {
      if (reply) await discard(reply);
      await sleep(wait, signal);
    } else if (reply) return reply;
    else throw lossOf(failure, reads);
  }
}

async function sendOnce(
  line: HttpTransport,
  request: Outgoing,
  signal: AbortSignal,
): Promise<{ reply?: Incoming; failure?: unknown }> {
  try {
    return { reply: await line.send(request, signal) };
  } catch (failure) {
    return { failure };
  }
}

function mayRepeat(failure: unknown, reads: boolean): boolean {
  if (!(failure instanceof GatewayError) || failure.code !== 'CONNECTION_FAILED') return false;
  return reads || failure instanceof NotSent;
}

function waitAfter(reply: Incoming, reads: boolean, backoff: number): number | undefined {
  return reads && AGAIN.includes(reply.status) ? waitOf(reply, backoff) : undefined;
}

/** Milliseconds; undefined for longer than is waited. RFC 9110, section 10.2.3. */
function waitOf({ headers }: Incoming, backoff: number): number | undefined {
  const asked = headerOf(headers, 'retry-after');
  if (asked === undefined) return backoff;
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now();
  if (Number.isNaN(ms)) return backoff;
  return ms > RETRY_AFTER_MAX_MS ? undefined : Math.max(ms, backoff);
}

/** What was sent and not answered may have taken effect, unless its method promises that it has none. */
export function lossOf(thrown: unknown, reads: boolean): unknown {
  const isLost =
    !(thrown instanceof NotSent) &&
    thrown instanceof GatewayError &&
    (thrown.code === 'CONNECTION_FAILED' || thrown.code === 'TIMED_OUT');
  if (!isLost) return thrown;
  const { code, message } = thrown;
  if (reads) return new GatewayError(code, message, { cause: thrown });
  return outcomeUnknown(thrown, code === 'TIMED_OUT');
}

/** Leaves a reply's body; a short one is read, so that its connection serves the next request. */
export async function discard({ body }: Incoming): Promise<void> {
  let length = 0;
  try {
    for await (const piece of body) {
      length += piece.byteLength;
      if (length > DISCARDED_MAX) return;
    }
  } catch {
    // It is not wanted: nor is what became of it.
  }
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const leave = (): void =>
    reject(new GatewayError('TIMED_OUT', 'The deadline passed before the backend answered'));
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}
