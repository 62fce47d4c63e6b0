/** Subscriptions: what a backend reports as it happens, for as long as the caller may hear it. Contract §6, "Subscriptions". */

import { kindSpec } from '../../kinds/index.ts';
import type { RequestBase } from '../../kinds/kind.ts';
import { TIMEOUT_DEFAULT_MS } from '../../kinds/members.ts';
import { errorBody, GatewayError } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import { type Deadline, startDeadline } from '../drivers/deadline.ts';
import { failureOf } from '../drivers/failure.ts';
import { type Endpoint, endpointStill } from '../endpoints/access.ts';
import type { Level } from '../levels.ts';
import { Content } from '../outcome.ts';
import type { Backend, RequestMessage } from './backend/backend.ts';
import { backendOf } from './backend/choose.ts';
import { EVENT_STREAM, eventBody, type Subscription } from './events.ts';
import { refuseSession } from './lease.ts';
import type { RequestOptions } from './request.ts';
import { onStop, stopped } from './stop.ts';
import { LOOK_MS } from './stream.ts';
import { countCall } from './usage/count.ts';

/** Milliseconds between two comments: some runtimes learn that a client has left only when they write to it. Spec silent. */
const BEAT_MS = 5_000;
/** Longest time of a timer. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Whether a request's type answers events. */
export function isSubscription({ row }: Endpoint, { type }: RequestBase): boolean {
  return kindSpec(row.kind).watches?.includes(type) ?? false;
}

/**
 * The events. The request's deadline bounds the time until it begins; then it lasts
 * until the client leaves, the token expires, the caller may no longer, the endpoint changes, or the gateway stops.
 * A failure meanwhile is its last event, `error`.
 * @param level what the request needs, now and later
 * @throws GatewayError BAD_REQUEST, NOT_ACCEPTABLE, and what a call may end in
 */
export async function subscribeOn(
  ctx: Context,
  endpoint: Endpoint,
  message: RequestMessage,
  level: Level,
  options: RequestOptions,
): Promise<Content> {
  demandEvents(options);
  const backend = await backendOf(ctx, endpoint, 'read');
  const timeoutMs = message.request.timeout_ms ?? TIMEOUT_DEFAULT_MS;
  const deadline = startDeadline(ctx, timeoutMs, backend.keepsTime);
  const late = setTimeout(deadline.abort, timeoutMs);
  try {
    const subscription = await backend.watch(message, options.resumeAfter ?? '', deadline);
    const body = lasting(ctx, { backend, deadline, subscription }, () =>
      demandStill(ctx, endpoint, level),
    );
    return new Content(EVENT_STREAM, body);
  } catch (thrown) {
    countCall(ctx, backend.target.endpoint, 'read', thrown);
    throw thrown;
  } finally {
    clearTimeout(late);
    deadline.end();
  }
}

function demandEvents({ forms, session }: RequestOptions): void {
  if (forms === undefined) {
    throw new GatewayError('NOT_SUPPORTED', 'This request answers events: send it to /read');
  }
  if (!forms.includes('events')) {
    const message = `must be ${EVENT_STREAM}: this request answers events`;
    const details = [{ path: 'Accept', message }];
    throw new GatewayError('NOT_ACCEPTABLE', `Accept: ${message}`, { details });
  }
  refuseSession(session, 'subscriptions');
}

/** A subscription under way. */
interface OpenSubscription {
  readonly backend: Backend;
  readonly deadline: Deadline;
  readonly subscription: Subscription;
}

/** Its events, with what ends them; `demand` throws once the caller may no longer. */
function lasting(
  ctx: Context,
  { backend, deadline, subscription }: OpenSubscription,
  demand: () => Promise<void>,
): ReadableStream<Uint8Array> {
  let isOver = false;
  const end = (failure?: GatewayError): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(heart);
    clearInterval(look);
    clearTimeout(expiry);
    takeBack();
    ctx.signal.removeEventListener('abort', leave);
    deadline.abort();
    countCall(ctx, backend.target.endpoint, 'read', failure);
  };
  const leave = (): void => end();
  const { body, beat, fail } = eventBody(subscription, {
    ended: leave,
    cancelled: leave,
    failed(thrown) {
      // The relay was lost: no deadline has passed.
      const failure = failureOf(thrown, { writes: false, signal: NEVER });
      end(failure);
      return errorBody(failure, ctx.requestId);
    },
  });
  /** Also stops the backend between two reads. */
  const refuse = (thrown: unknown): void => {
    fail(thrown);
    deadline.abort();
  };
  const heart = setInterval(beat, BEAT_MS);
  const look = setInterval(() => demand().catch(refuse), LOOK_MS);
  const expiry = setTimeout(
    () => refuse(new GatewayError('TOKEN_EXPIRED', 'Token has expired')),
    Math.min(ctx.caller.expiresAt - ctx.now(), TIMER_MAX_MS),
  );
  const takeBack = onStop('at once', () => refuse(stopped()));
  ctx.signal.addEventListener('abort', leave);
  return body;
}

const NEVER = new AbortController().signal;

/**
 * Looks again whether the caller may, and whether the endpoint is what it was.
 * @throws GatewayError as `authorize` does; SERVICE_UNAVAILABLE once its connections are others
 */
async function demandStill(ctx: Context, { row }: Endpoint, level: Level): Promise<void> {
  const now = await endpointStill(ctx, row, level);
  if (now.row.poolRevision === row.poolRevision) return;
  throw new GatewayError('SERVICE_UNAVAILABLE', 'The endpoint was changed: subscribe again');
}
