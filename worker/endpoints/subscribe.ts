/** Subscriptions: what a backend tells as it happens, for as long as the caller may hear it. Contract §6, "Subscriptions". */
import { errorBody, GatewayError } from '../../proto/errors.ts';
import { kindSpec } from '../../proto/kinds/index.ts';
import type { RequestBase } from '../../proto/kinds/kind.ts';
import { TIMEOUT_DEFAULT_MS } from '../../proto/kinds/members.ts';
import { authorize } from '../access/access.ts';
import type { Level } from '../access/levels.ts';
import type { Context } from '../context.ts';
import { type Deadline, startDeadline } from '../drivers/deadline.ts';
import { failureOf } from '../drivers/failure.ts';
import { callRelay } from '../drivers/relay.ts';
import { type Endpoint, onEndpoint } from './access.ts';
import { EVENT_STREAM, eventBody, opened, type Subscription } from './events.ts';
import { type Reach, reachOf, targetOf } from './reach.ts';
import { isInSession } from './sessions.ts';
import { countCall } from './usage/count.ts';

/** Milliseconds between two comments, and between two looks at the caller's rights. */
const HEARTBEAT_MS = 15_000;
/** Longest time of a timer. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/** Header that names the event to go on after, as browsers send it. */
const LAST_EVENT = 'Last-Event-ID';

/** Whether a request's type answers events. */
export function isSubscription({ row }: Endpoint, { type }: RequestBase): boolean {
  return kindSpec(row.kind).watches?.includes(type) ?? false;
}

/** Whether the client asks for events. */
export function acceptsEvents({ headers }: Request): boolean {
  return headers.get('Accept')?.toLowerCase().includes(EVENT_STREAM) ?? false;
}

/** What is subscribed to. */
export interface Wanted {
  readonly request: RequestBase;
  /** The request as the relay gets it. */
  readonly bytes: Uint8Array;
  /** The level that it needs, now and later. */
  readonly level: Level;
}

/**
 * The events' response. The request's deadline bounds the time until it begins; then it lasts
 * until the client leaves, the token expires, the caller may no longer, or the endpoint changes.
 * A failure meanwhile is its last event, `error`.
 * @throws GatewayError BAD_REQUEST, and what a call may end in
 */
export async function subscribeOn(
  ctx: Context,
  endpoint: Endpoint,
  { request, bytes, level }: Wanted,
): Promise<Response> {
  demandEvents(ctx.request);
  const reach = await reachOf(ctx, endpoint, 'read');
  const timeoutMs = request.timeout_ms ?? TIMEOUT_DEFAULT_MS;
  const deadline = startDeadline(ctx, timeoutMs);
  const late = setTimeout(deadline.abort, timeoutMs);
  const resumeAfter = ctx.request.headers.get(LAST_EVENT) ?? '';
  try {
    const plan = { ...reach, writes: false, deadline };
    const subscription = await callRelay(ctx, plan, (attempt) => {
      // A deadline that the relay were told would end the events, too.
      const { timeoutMs: _, ...options } = attempt.options;
      const message = { target: targetOf(reach, attempt), request: bytes, resumeAfter };
      return opened(attempt.relay.watch(message, options));
    });
    const body = lasting(ctx, { reach, deadline, subscription }, () =>
      demandStill(ctx, endpoint, level),
    );
    return new Response(body, { headers: { 'Content-Type': EVENT_STREAM } });
  } catch (thrown) {
    countCall(ctx, reach.endpoint, reach.mode, thrown);
    throw thrown;
  } finally {
    clearTimeout(late);
    deadline.end();
  }
}

function demandEvents(request: Request): void {
  if (!acceptsEvents(request)) {
    throw badHeader('Accept', `must be ${EVENT_STREAM}: this request answers events`);
  }
  if (isInSession(request)) {
    throw badHeader(
      'X-Session-Id',
      'is not for subscriptions: they have a connection of their own',
    );
  }
}

/** A subscription under way. */
interface Standing {
  readonly reach: Reach;
  readonly deadline: Deadline;
  readonly subscription: Subscription;
}

/** Its events, with what ends them; `demand` throws once the caller may no longer. */
function lasting(
  ctx: Context,
  { reach, deadline, subscription }: Standing,
  demand: () => Promise<void>,
): ReadableStream<Uint8Array> {
  let isOver = false;
  const end = (failure?: GatewayError): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(heart);
    clearTimeout(expiry);
    ctx.signal.removeEventListener('abort', leave);
    deadline.abort();
    countCall(ctx, reach.endpoint, reach.mode, failure);
  };
  const leave = (): void => end();
  const { body, beat, fail } = eventBody(subscription, {
    ended: leave,
    cancelled: leave,
    failed(thrown) {
      // Of a relay that was lost: nobody's time was up.
      const failure = failureOf(thrown, { writes: false, signal: NEVER });
      end(failure);
      return errorBody(failure, ctx.requestId);
    },
  });
  /** Also stops the backend while nobody reads. */
  const refuse = (thrown: unknown): void => {
    fail(thrown);
    deadline.abort();
  };
  const heart = setInterval(() => demand().then(beat, refuse), HEARTBEAT_MS);
  const expiry = setTimeout(
    () => refuse(new GatewayError('TOKEN_EXPIRED', 'Token has expired')),
    Math.min(ctx.caller.expiresAt - ctx.now(), TIMER_MAX_MS),
  );
  ctx.signal.addEventListener('abort', leave);
  return body;
}

const NEVER = new AbortController().signal;

/**
 * Looks again whether the caller may, and whether the endpoint is what it was.
 * @throws GatewayError as `authorize` does; SERVICE_UNAVAILABLE once its connections are others
 */
async function demandStill(ctx: Context, { row }: Endpoint, level: Level): Promise<void> {
  const { resource } = await authorize(ctx, onEndpoint(level), { endpoint: row.uuid });
  if (resource.row.poolRevision === row.poolRevision) return;
  throw new GatewayError('SERVICE_UNAVAILABLE', 'The endpoint was changed: subscribe again');
}

function badHeader(path: string, message: string): GatewayError {
  return new GatewayError('BAD_REQUEST', `${path}: ${message}`, { details: [{ path, message }] });
}
