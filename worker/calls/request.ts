/** One request on an endpoint, from any caller: a client, a template, another product's protocol. Contract §6. */
import { type Kind, kindSpec, parseRequest } from '../../kinds/index.ts';
import type { RequestBase } from '../../kinds/kind.ts';
import { TIMEOUT_DEFAULT_MS } from '../../kinds/members.ts';
import { withWritten } from '../../kinds/passed.ts';
import type { Mode } from '../../proto/driver.ts';
import { ERROR_MEANINGS } from '../../proto/error-meanings.ts';
import { badRequest, GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { statementMs } from '../../proto/work/statement.ts';
import { demand, type HeldLevel } from '../access/access.ts';
import type { Demand } from '../access/demand.ts';
import type { Context } from '../context.ts';
import { type Deadline, startDeadline } from '../drivers/deadline.ts';
import { type Endpoint, endpointStill } from '../endpoints/access.ts';
import type { Key } from '../idempotency/rule.ts';
import type { Level } from '../levels.ts';
import { arrived, costly, inPieces, isLight, wentOn } from '../limits/heavy-work.ts';
import type { Worked } from '../limits/json-worker.ts';
import {
  type Bytes,
  type Content,
  JsonBytes,
  type Known,
  Outcome,
  outcomeOf,
  type StreamForm,
} from '../outcome.ts';
import { isKnownPlain } from '../plain-bodies.ts';
import type { Backend, Form, OnceMessage, RequestMessage } from './backend/backend.ts';
import { backendOf } from './backend/choose.ts';
import { withChain } from './chain.ts';
import { findLease } from './lease.ts';
import { onceMarkOf } from './once.ts';
import {
  type Exact,
  exactInPieces,
  type Gist,
  gistOf,
  isReadByRelays,
  textInPieces,
} from './read-request.ts';
import { rowsOf } from './row-form.ts';
import { streamOf } from './stream.ts';
import { isSubscription, subscribeOn } from './subscription.ts';
import { countCall } from './usage/count.ts';

const decoder = new TextDecoder();

/** The endpoint of a request, and the caller's rights there. */
export interface OnEndpoint extends HeldLevel {
  readonly resource: Endpoint;
}

/** What a request brings besides its body. */
export interface RequestOptions extends Partial<Form> {
  /** The body as it was sent. */
  readonly bytes?: Uint8Array | undefined;
  /** What came of a large body that was read elsewhere. */
  readonly worked?: Worked | undefined;
  /** What its caller takes instead of one JSON text; left out for callers that take only JSON. */
  readonly forms?: readonly StreamForm[];
  /** Whether one JSON text would do, too; it does when left out. */
  readonly takesJson?: boolean;
  /** Id of the session that it runs in. */
  readonly session?: string | undefined;
  /** Id of the transaction over many endpoints that it takes part in. */
  readonly transaction?: string | undefined;
  /** There, the ticket of the template's run that it belongs to. */
  readonly run?: string | undefined;
  /** There, what that run demanded of its caller's rights. */
  readonly demanded?: readonly Demand[] | undefined;
  /** An `Idempotency-Key` that the endpoint's backend keeps. */
  readonly key?: Key | undefined;
  /** Of a subscription: the id of the event to go on after. */
  readonly resumeAfter?: string | undefined;
}

/**
 * What the backend answers: JSON, rows as they arrive when the caller takes lines, or events.
 * Where `mode` is `write` a request that reads is taken too; where it is `read` one that writes is not.
 * @param mode left out it is as the request needs, and so is the level that the caller needs
 */
export function requestOn(
  ctx: Context,
  on: OnEndpoint,
  mode: Mode | undefined,
  body: Json,
  options: RequestOptions,
): Promise<Outcome> {
  return outcomeOf(async (known) => {
    const { resource: endpoint } = on;
    const { message, level, needed, why } = await parsed(ctx, on, mode, body, options);
    if (level !== undefined) known.demands.push(demand(on, level));
    if (mode === 'read' && needed === 'write') throw writes(why);
    if (isSubscription(endpoint, message.request) && !comesInSession(endpoint, message, options)) {
      if (mode === 'write') throw answersEvents();
      return subscribeOn(ctx, endpoint, message, level ?? 'Read', options);
    }
    const sent = await withChain(ctx, endpoint, mode ?? needed, message);
    return sendOn(ctx, endpoint, mode ?? needed, sent, options, known);
  });
}

async function sendOn(
  ctx: Context,
  endpoint: Endpoint,
  mode: Mode,
  message: RequestMessage,
  options: RequestOptions,
  known: Known,
): Promise<JsonBytes | Content | Outcome> {
  const { session, takesJson = true } = options;
  // A session streams no rows.
  const rows = session !== undefined && takesJson ? undefined : rowsOf(endpoint, options);
  const lease = session === undefined ? undefined : await findLease(ctx, endpoint, session);
  const backend = await backendOf(ctx, endpoint, mode, lease);
  // A relay parses the statement by itself, the edge on this thread: it is paid for before.
  if (backend.keepsTime) wentOn(ctx, statementMs(message.request));
  const timeoutMs = message.request.timeout_ms ?? TIMEOUT_DEFAULT_MS;
  const mark = mode === 'write' ? await onceMarkOf(ctx, endpoint, options) : undefined;
  if (mark) return onceAnswerOf(ctx, backend, timeoutMs, known, { ...message, mark });
  // What a write does is not cut off half way.
  const still = mode === 'read' ? () => endpointStill(ctx, endpoint.row, 'Read') : undefined;
  return rows
    ? streamOf(ctx, backend, { still, message, rows, timeoutMs }, known)
    : answerOf(ctx, backend, timeoutMs, known, (deadline) => backend.run(message, deadline));
}

/** Runs a call that a backend answers with one JSON text. @throws GatewayError what the call may end in */
export async function answerOf(...sent: Parameters<typeof answeredBy<Bytes>>): Promise<JsonBytes> {
  return new JsonBytes(await answeredBy(...sent));
}

/**
 * What a backend answers within the deadline; the call is counted.
 * @throws GatewayError what the call may end in
 */
export async function answeredBy<Answer>(
  ctx: Context,
  { target: { endpoint, mode }, keepsTime, timing }: Backend,
  timeoutMs: number,
  known: Known,
  run: (deadline: Deadline) => Promise<Answer>,
): Promise<Answer> {
  known.timing = timing;
  arrived(ctx);
  const deadline = startDeadline(ctx, timeoutMs, keepsTime);
  try {
    const answer = await run(deadline);
    countCall(ctx, endpoint, mode);
    known.written = mode === 'write';
    return answer;
  } catch (thrown) {
    countCall(ctx, endpoint, mode, thrown);
    known.written = mode === 'write' && mayHaveEffect(thrown);
    throw thrown;
  } finally {
    deadline.end();
  }
}

/** What a write came to, now or the first time. @throws GatewayError what the call may end in */
export async function onceAnswerOf(
  ctx: Context,
  backend: Backend,
  timeoutMs: number,
  known: Known,
  message: OnceMessage,
): Promise<JsonBytes | Outcome> {
  const { result, isReplay } = await answeredBy(ctx, backend, timeoutMs, known, (deadline) =>
    backend.once(message, deadline),
  );
  const told = new JsonBytes(result);
  return isReplay ? new Outcome(told, {}, ctx.requestId) : told;
}

/** Results as every kind writes them, unless something else is asked for. */
export function formOf({ numbersAsStrings = false, canonical = false, replyForm }: Partial<Form>) {
  return { numbersAsStrings, canonical, ...(replyForm && { replyForm }) };
}

function mayHaveEffect(thrown: unknown): boolean {
  if (!(thrown instanceof GatewayError)) return true;
  const isApplied = thrown.details.some((each) => 'applied' in each && each.applied === true);
  return isApplied || ERROR_MEANINGS[thrown.code].effect === 'possible';
}

/** The body with what it only passes on as it was written, and its bytes where that is more than the body says. */
export function exactly(
  ctx: Context,
  { row: { kind, transports } }: Endpoint,
  body: Json,
  bytes: Uint8Array | undefined,
): Exact | Promise<Exact> {
  const { passes } = kindSpec(kind);
  if (bytes === undefined || passes === undefined || isKnownPlain(bytes)) return { body };
  if (!isLight(bytes)) {
    const isReadThere = transports === null && isReadByRelays(kind);
    return isReadThere ? { body } : inPieces(ctx, exactInPieces(kind, body, bytes));
  }
  const read = withWritten(kind, body, decoder.decode(bytes));
  return read.isWritten ? { body: read.body, written: bytes } : { body };
}

/**
 * What a relay gets instead of the JSON of `parsed`: the body as it was sent, where that says
 * more or there is much of it.
 */
export async function writtenOf(
  ctx: Context,
  kind: Kind,
  { written }: Exact,
  bytes: Uint8Array | undefined,
  parsed: RequestBase | readonly RequestBase[],
): Promise<Uint8Array | undefined> {
  const { keepsText, travelsParsed } = kindSpec(kind);
  if (isLight(bytes)) return keepsText ? bytes : travelsParsed ? undefined : written;
  return isReadByRelays(kind) ? bytes : inPieces(ctx, textInPieces(parsed));
}

/** The request as it is sent, and what it needs. */
async function parsed(
  ctx: Context,
  { resource }: OnEndpoint,
  mode: Mode | undefined,
  body: Json,
  options: RequestOptions,
) {
  const { gist, written } = options.worked
    ? readElsewhere(resource, options.worked, options.bytes)
    : await readHere(ctx, resource, body, options.bytes);
  const { request, mode: needed, needs, why } = gist;
  const least = needed === 'write' ? 'Write' : 'Read';
  const level: Level | undefined = needs ?? (mode === undefined ? least : undefined);
  return { message: { ...formOf(options), request, written }, needed, level, why };
}

async function readHere(
  ctx: Context,
  resource: Endpoint,
  body: Json,
  bytes: Uint8Array | undefined,
) {
  const { kind } = resource.row;
  const exact = await exactly(ctx, resource, body, bytes);
  const parse = () => gistOf(kind, parseRequest(kind, exact.body));
  const gist = await (isLight(bytes) ? parse() : costly(ctx, parse));
  return { gist, written: await writtenOf(ctx, kind, exact, bytes, gist.request) };
}

/** @throws GatewayError what the request was refused with */
function readElsewhere({ row }: Endpoint, worked: Worked, bytes: Uint8Array | undefined) {
  const made = worked.bytes();
  // As server/json-worker/requests.ts reports it.
  const gist = worked.told as unknown as Gist;
  return { gist, written: kindSpec(row.kind).travelsParsed ? made : bytes };
}

/** A request that writes, where it may not. @param why where neither its type nor its method says that it does */
export function writes(why: Gist['why']): GatewayError {
  const what = why ? `${why.path} ${why.message}` : 'This request writes';
  return new GatewayError('BAD_REQUEST', `${what}: send it to /write`, {
    details: [why ?? { path: 'type', message: 'writes' }],
  });
}

/** A subscription, where there is none. */
export function answersEvents(): GatewayError {
  return badRequest('type', 'answers events', 'This request answers events: send it to /read');
}

/** Whether what a request subscribes to comes with the results of its session. */
function comesInSession(
  { row }: Endpoint,
  { request }: RequestMessage,
  { session, forms = [], takesJson = true }: RequestOptions,
): boolean {
  if (session === undefined || (forms.includes('events') && !takesJson)) return false;
  return kindSpec(row.kind).watchesInSessions?.includes(request.type) ?? false;
}
