/** Transactions that their clients go on with, request by request. Spec: transactions.md §5. */
import type { Mode } from '../../../proto/driver.ts';
import { badRequest, ERRORS, type ErrorCode, GatewayError } from '../../../proto/errors.ts';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { type Demand, withoutRepeats } from '../../access/demand.ts';
import { whoCalled } from '../../access/door/door.ts';
import type { Policy } from '../../access/policy.ts';
import type { Context } from '../../context.ts';
import type { Deadline } from '../../drivers/deadline.ts';
import type { Endpoint } from '../../endpoints/access.ts';
import { admitCall } from '../../limits/starts.ts';
import { failureOf, JsonBytes, type Outcome, outcomeOf } from '../../outcome.ts';
import { isoTime } from '../../shapes/iso-time.ts';
import { backendOf } from '../backend/choose.ts';
import { RelayBackend } from '../backend/relay.ts';
import { Shares } from '../backend/shares.ts';
import { answeredBy, formOf, type OnEndpoint, type RequestOptions, requestOn } from '../request.ts';
import { withoutStream } from '../stream-advice.ts';
import { keptOf, leftNothing, undoWithin } from './end.ts';
import { askLog, type Log, ownerOf } from './log.ts';
import { randomName } from './names.ts';
import { isNoRead } from './no-read.ts';
import { lacksOf, type Participant, partOf, shareOf, wayOf } from './participants.ts';
import type { Operation } from './plan.ts';
import { deadlock, inDoubt, transactionClosed, transactionNotFound } from './refusals.ts';
import { readSingle, toldAlone } from './single.ts';
import type { Closed, Entered, Entering, HeldShare, Terms } from './taking-part.ts';
import { withoutDeadlock } from './waits.ts';
import { Work } from './work.ts';

/** Header that names the transaction that a request takes part in. */
export const TRANSACTION_HEADER = 'X-Transaction-Id';
/** Longest that one lasts, and what it lasts without `timeout_ms`. Spec: transactions.md §5. */
const LASTS_MS = 300_000;

const encoder = new TextEncoder();

/** What its commit may end in, besides what its requests may. */
export const OF_A_TRANSACTION: readonly ErrorCode[] = [
  'TRANSACTION_NOT_FOUND',
  'TRANSACTION_CLOSED',
  'TRANSACTION_DEADLOCK',
  'TRANSACTION_IN_DOUBT',
];
/** What a request that takes part may end in, besides what it may end in alone. */
export const WITHIN_A_TRANSACTION = [...OF_A_TRANSACTION, 'SESSIONS_EXHAUSTED'] as const;

/** What one begins with. */
interface Beginning extends Terms {
  readonly timeout_ms?: number | undefined;
  readonly keys?: readonly string[] | undefined;
}

/** Begins one: nothing takes part yet. It costs the thread about as much as a start of a run, and takes turns as these do. */
export async function beginInteractive(
  ctx: Context,
  { sealedDataKey }: Policy,
  { timeout_ms: timeoutMs = LASTS_MS, keys, isolation, require }: Beginning,
): Promise<JsonObject> {
  const { caller, requestId, address } = ctx;
  const id = randomName();
  const transaction = {
    ...{ id, requestId, address, timeoutMs, keys, terms: { isolation, require } },
    caller: { uuid: caller.userUuid, name: caller.userId },
  };
  const owner = ownerOf(ctx, sealedDataKey);
  const open = () => askLog<number>(ctx, async (log) => log.open(owner, transaction), 1);
  const expires = await admitCall(ctx, open);
  return { transaction_id: id, expires: isoTime(expires) };
}

/** A request, alone or as part of the transaction that it names. */
export function requested(
  ctx: Context,
  on: OnEndpoint,
  mode: Mode | undefined,
  body: Json,
  options: RequestOptions,
): Promise<Outcome> {
  const { transaction } = options;
  if (transaction === undefined) return requestOn(ctx, on, mode, body, options);
  return requestWithin(ctx, on, mode, body, { ...options, transaction });
}

/** Refuses what cannot go together with a transaction. @throws GatewayError BAD_REQUEST, NOT_SUPPORTED */
function demandAlone({ session, forms = [], takesJson = true }: RequestOptions): void {
  if (session !== undefined) {
    throw badRequest(TRANSACTION_HEADER, 'does not go together with X-Session-Id');
  }
  if (forms.length === 0 || takesJson) return;
  const message =
    'Within a transaction results come as JSON alone: ask for less, or leave Accept out';
  throw new GatewayError('NOT_SUPPORTED', message, { details: [{ path: 'Accept', message }] });
}

/** A request as part of a transaction. The sender rolls the transaction back when it fails: `abandon`. */
function requestWithin(
  ctx: Context,
  on: OnEndpoint,
  mode: Mode | undefined,
  body: Json,
  options: RequestOptions & { readonly transaction: string },
): Promise<Outcome> {
  return outcomeOf(async (known) => {
    demandAlone(options);
    const { transaction: id, bytes, run, demanded = [] } = options;
    const demands: Demand[] = [];
    const operation = await readSingle(ctx, on, { mode, body, bytes }, demands);
    known.demands.push(...demands);
    const backend = await backendOf(ctx, on.resource, operation.mode === 'read' ? 'read' : 'write');
    const timeoutMs = operation.request.timeout_ms ?? 30_000;
    const within = { id, run, form: formOf(options), demands: [...demanded, ...demands] };
    const text = await answeredBy(ctx, backend, timeoutMs, known, (deadline) =>
      performIn(ctx, within, operation, deadline),
    );
    return new JsonBytes(encoder.encode(text));
  });
}

/** What a request takes part in, and how it is answered. */
interface Within {
  /** Of the transaction. */
  readonly id: string;
  /** Ticket of the run that it belongs to. */
  readonly run: string | undefined;
  readonly form: ReturnType<typeof formOf>;
  /** What it demanded of its caller's rights. */
  readonly demands: readonly Demand[];
}

async function performIn(
  ctx: Context,
  within: Within,
  operation: Operation,
  deadline: Deadline,
): Promise<string> {
  try {
    return await performed(ctx, within, operation, deadline);
  } catch (thrown) {
    // Before anything else has its turn, also where a template does without the result.
    const failure = asOfIt(thrown, deadline);
    throw (await abandon(ctx, within.id, failure)) ?? failure;
  }
}

async function performed(
  ctx: Context,
  { id, run, form, demands }: Within,
  operation: Operation,
  deadline: Deadline,
): Promise<string> {
  const { endpoint } = operation;
  const backend = await backendOf(ctx, endpoint, 'write');
  const way = wayOf(backend, endpoint.row.kind);
  const isWrite = operation.mode !== 'read';
  if (way !== 'joins' && isWrite) throw takesNoWrite(endpoint);
  const shares =
    backend instanceof RelayBackend && way === 'joins' ? new Shares(backend) : undefined;
  const lacks = shares ? await lacksOf(ctx, backend, shares, deadline) : [];
  const found: Omit<Participant, 'n' | 'part'> = {
    ...{ endpoint, way, backend, shares, operations: [operation], writes: isWrite },
  };
  const part = way === 'joins' ? partOf(true, lacks) : 'reads';
  const as = { id, run, claims: isWrite, leftMs: deadline.remaining() };
  const entered = await enter(ctx, as, { ...found, part });
  const { log, ticket, n, terms, held, decider } = entered;
  if (part === 'decides' && isWrite) refuseSecond(endpoint, decider, terms, lacks);
  const participant: Participant = { ...found, n, part };
  const participants = [participant];
  const work = new Work(ctx, { log, id, participants, isolation: terms.isolation, form });
  try {
    if (held) await work.resume(participant, held);
    const send = () =>
      way === 'joins'
        ? work.perform(participant, [operation], { isLast: false }, deadline)
        : work.prepareAll(deadline);
    await withoutDeadlock({ log, id, participants }, deadline, send);
    const leaving = { id, ticket, n, held: withDemands(work.held(n), held, demands) };
    const closed = await askLog<Closed | undefined>(ctx, async (object) => object.leave(leaving));
    if (closed) throw closedBy(id, closed);
    return work.results().slice(1, -1);
  } catch (thrown) {
    // The log does not know what this request has opened.
    // One that reads by its type may have been sent to `/write`.
    const failure = isNoRead(thrown) && !operation.isHeld ? takesNoWrite(endpoint) : thrown;
    ctx.afterReply(
      undoWithin(ctx, work).then((ends) => abandon(ctx, id, asOfIt(failure, deadline), ends)),
    );
    throw failure;
  }
}

/** What a participant holds now, with what all of its requests demanded. */
function withDemands(
  now: HeldShare | undefined,
  before: HeldShare | undefined,
  demands: readonly Demand[],
): HeldShare | undefined {
  return now && { ...now, demands: withoutRepeats([...(before?.demands ?? []), ...demands]) };
}

/** A failure as the log keeps it, and as its caller is told. */
function asOfIt(thrown: unknown, deadline: Deadline): GatewayError {
  const failure = failureOf(withoutStream(thrown, 'a transaction has no stream'));
  return toldAlone(leftNothing(failure, deadline));
}

async function enter(
  ctx: Context,
  as: Pick<Entering, 'id' | 'run' | 'claims' | 'leftMs'>,
  participant: Omit<Participant, 'n'>,
): Promise<Extract<Entered, { is: 'entered' }>> {
  const { n: _, ...share } = shareOf({ ...participant, n: 0 });
  const joins = participant.way === 'joins' ? share : undefined;
  const entering = { ...as, caller: whoCalled(ctx).userUuid, share: joins };
  const entered = await askLog<Entered>(ctx, async (log) => log.enter(entering), 1);
  if (entered.is !== 'entered') throw closedBy(as.id, entered);
  return entered;
}

/** Why a transaction does not go on. */
export function closedBy(id: string, closed: Closed): GatewayError {
  switch (closed.is) {
    case 'unknown':
      return transactionNotFound(id);
    case 'closed':
      return transactionClosed(id, closed.status);
    case 'circle':
      return deadlock('It waits for a transaction that waits for it: this one was rolled back');
    case 'late':
      return new GatewayError(
        'TIMED_OUT',
        'The deadline passed while the request waited for others',
      );
    case 'doubt':
      return inDoubt(closed.holder);
  }
}

function takesNoWrite({ row }: Endpoint): GatewayError {
  const problem = `endpoint ${row.id} has no transactions of its own: its write would have to be the last`;
  return badRequest(TRANSACTION_HEADER, problem);
}

function refuseSecond(
  { row }: Endpoint,
  decider: string | undefined,
  { require }: Terms,
  lacks: readonly string[],
): void {
  const why = lacks.join('; ');
  if (require === 'atomic') {
    throw badRequest(TRANSACTION_HEADER, `require is atomic: ${row.id} lacks ${why}`);
  }
  if (decider === undefined || decider === row.id) return;
  const problem = `at most one that writes and cannot prepare takes part: ${decider} does, and ${row.id} lacks ${why}`;
  throw badRequest(TRANSACTION_HEADER, problem);
}

/**
 * Rolls a transaction back when what names it has failed, except what names something that is not there. Spec: transactions.md §5.
 * @returns what it is answered instead, where something else had ended the transaction before
 */
export async function abandonBy(
  ctx: Context,
  id: string,
  failure: GatewayError,
): Promise<GatewayError | undefined> {
  return ERRORS[failure.code].status === 404 ? undefined : abandon(ctx, id, failure);
}

/**
 * Rolls a transaction back when one of its requests has failed.
 * @param failure of one that is not found, and of one that has ended, nothing is done
 * @param ends numbers of participants of which certainly nothing is left
 * @returns as `abandonBy`
 */
export async function abandon(
  ctx: Context,
  id: string,
  failure: GatewayError,
  ends: readonly number[] = [],
): Promise<GatewayError | undefined> {
  const caller = whoCalled(ctx).userUuid;
  const kept = { ...keptOf(failure), by: markOf(ctx) };
  const abandoning = async (log: Log): Promise<Closed | undefined> =>
    log.abandon(id, caller, kept, [...ends]);
  const closed = await askLog(ctx, abandoning);
  return closed && closedBy(id, closed);
}

/** Tells requests apart, whatever ids their clients give them: each has one `afterReply`, in all contexts that it is worked on in. */
const marks = new WeakMap<Context['afterReply'], string>();

function markOf({ afterReply }: Context): string {
  const mark = marks.get(afterReply) ?? randomName();
  marks.set(afterReply, mark);
  return mark;
}
