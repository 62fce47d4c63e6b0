/** Has a transaction whose operations are sent prepare, be decided and commit, or be undone. Spec: transactions.md §1 to §3. */
import { ERROR_MEANINGS } from '../../../proto/error-meanings.ts';
import { type ErrorCode, GatewayError } from '../../../proto/errors.ts';
import type { Context } from '../../context.ts';
import { type Deadline, startDeadline, timedOut } from '../../drivers/deadline.ts';
import { failureOf, type Known } from '../../outcome.ts';
import { sealBytes } from '../../secrets/seal.ts';
import { countCall } from '../usage/count.ts';
import { commitAll } from './commit.ts';
import { askLog, askLogWith, type Log, sealingOf } from './log.ts';
import type { Confirmed, Decided, KeptFailure, KeptReply, Shown } from './object.ts';
import type { Participants } from './participants.ts';
import { withoutDeadlock } from './waits.ts';
import type { Work } from './work.ts';

/** Bytes of results that are kept for a repeat. Contract §1, "Retries by the client". */
const KEPT_MAX_BYTES = 1024 * 1024;
/** Milliseconds that undoing may take before the log goes on with it. */
const UNDO_MS = 5_000;
/** Milliseconds of that for which who has come to a deadline waits: most of it is undone by then. */
const UNDO_AWAITED_MS = 250;
/** Milliseconds between two questions whether the last resource has committed. */
const LEARN_EVERY_MS = 200;
/** Milliseconds that the result of a write may take that has taken effect. */
const ASK_AGAIN_MS = 5_000;

const encoder = new TextEncoder();

/** What the steps of one transaction have in common. */
export interface Ready extends Participants {
  readonly ctx: Context;
  readonly id: string;
  readonly sealedDataKey: string;
  readonly isKeyed: boolean;
  readonly known: Known;
  readonly deadline: Deadline;
}

/** How a transaction ended well. */
export type Committed = Pick<Shown, 'id' | 'sequence' | 'guarantee' | 'status'>;

/**
 * Carries it out.
 * @param prepare has all participants prepare
 * @throws GatewayError why it was rolled back, OUTCOME_UNKNOWN where it cannot be told yet
 */
export async function carryOut(
  ready: Ready,
  log: string,
  work: Work,
  prepare: () => Promise<void>,
): Promise<Committed> {
  const { ctx, id, known, all } = ready;
  try {
    await withoutDeadlock({ log, id, participants: all }, ready.deadline, prepare);
    if (work.marks.length > 0 || work.decider) return await decided(ready, work);
    const reply = await keptReply(ready, work);
    await askLog(ctx, (object) => object.finish(id, reply));
    for (const { endpoint } of all) countCall(ctx, endpoint.row.uuid, 'read');
    return { id, sequence: null, guarantee: 'atomic', status: 'committed' };
  } catch (thrown) {
    if (thrown instanceof Settled) throw thrown.failure;
    const failure = leftNothing(failureOf(thrown), ready.deadline);
    for (const { endpoint, writes } of all) {
      countCall(ctx, endpoint.row.uuid, writes ? 'write' : 'read', failure);
    }
    const undone = undo(ready, work, failure);
    ctx.afterReply(undone);
    // A backend that let a deadline pass may not answer to this either.
    await (ready.deadline.hasPassed() || failure.code === 'TIMED_OUT'
      ? orLater(undone, UNDO_AWAITED_MS)
      : undone);
    known.written = false;
    throw failure;
  }
}

/** The results for a repeat, sealed; undefined without a key, and where they are too large. */
async function keptReply(
  { ctx, id, sealedDataKey, isKeyed }: Ready,
  work: Work,
): Promise<KeptReply | undefined> {
  if (!isKeyed) return undefined;
  const results = encoder.encode(work.results());
  if (results.byteLength > KEPT_MAX_BYTES) return undefined;
  const bytes = await sealBytes(sealingOf(ctx, sealedDataKey, id), results);
  return { bytes, quota: ctx.settings.QUOTAS.storage };
}

/** The log has the transaction's end, and goes on with it by itself. */
class Settled {
  readonly failure: GatewayError;

  constructor(failure: GatewayError) {
    this.failure = failure;
  }
}

/** Decides to commit, and has all commit. */
async function decided(ready: Ready, work: Work): Promise<Committed> {
  const { ctx, id, known, all, guarantee } = ready;
  const { marks, decider } = work;
  ready.deadline.remaining();
  if (decider) {
    const own = { n: decider.n, recovery: work.recovery };
    if (!(await askLog(ctx, (log) => log.seek(id, [...marks, own])))) throw interrupted();
    known.written = true;
    const learned = await commitDecider(ready, work);
    if (learned) return learned;
  }
  const reply = await keptReply(ready, work);
  const decide = async (log: Log, confirmed: readonly Confirmed[]): Promise<Decided> =>
    log.decide(id, marks, reply, confirmed);
  const decision = await askLogWith(ctx, decide).catch((cause: unknown) => {
    throw new Settled(unknown(id, cause));
  });
  if (decision.is === 'rolled back') throw interrupted();
  known.written = true;
  for (const { endpoint, writes } of all) {
    countCall(ctx, endpoint.row.uuid, writes ? 'write' : 'read');
  }
  const status = await commitAll({ ...ready, isAwaited: decision.isAwaited }, work);
  return { id, sequence: decision.sequence, guarantee, status };
}

/**
 * Has the one commit that cannot be prepared.
 * @returns what the log found out, where the answer was lost
 */
async function commitDecider(ready: Ready, work: Work): Promise<Committed | undefined> {
  try {
    await work.commitDecider(ready.deadline);
    return undefined;
  } catch (thrown) {
    const failure = failureOf(thrown);
    const isDoubtful =
      work.markPlace === undefined ? mayHaveCommitted(failure) : !CERTAIN.has(failure.code);
    if (!isDoubtful) throw failure;
    const shown = await learned(ready);
    if (shown?.status !== 'committed' && shown?.status !== 'committing') {
      throw new Settled(notCommitted(ready, shown, failure));
    }
    if (!work.isAnswered) await askAgain(ready, work);
    return shown;
  }
}

function notCommitted(
  { id, deadline }: Ready,
  shown: Shown | undefined,
  failure: GatewayError,
): GatewayError {
  const isUndone = shown?.status === 'rolled_back' || shown?.status === 'rolling_back';
  if (!isUndone) return unknown(id, failure);
  return failure.code === 'TIMED_OUT' ? failure : leftNothing(interrupted(failure), deadline);
}

/** What the log finds out until the deadline; a relay may be on its way back. */
async function learned({ ctx, id, deadline }: Ready): Promise<Shown | undefined> {
  const learn = async (log: Log): Promise<Shown | undefined> => log.learn(id);
  for (;;) {
    const shown = await askLog(ctx, learn).catch(() => undefined);
    if (shown?.status !== 'preparing') return shown;
    try {
      deadline.remaining();
    } catch {
      return shown;
    }
    await new Promise((resolve) => setTimeout(resolve, LEARN_EVERY_MS));
  }
}

/** What a write answered that has left its mark. @throws Settled */
async function askAgain({ ctx, id }: Ready, work: Work): Promise<void> {
  const lasting = { now: ctx.now, signal: new AbortController().signal };
  const deadline = startDeadline(lasting, ASK_AGAIN_MS);
  try {
    await work.commitDecider(deadline);
  } catch (cause) {
    const message = `The transaction ${id} has committed, and the result of its last write was lost`;
    throw new Settled(new GatewayError('REPLY_NOT_KEPT', message, { cause }));
  } finally {
    deadline.end();
  }
}

/** After these the backend has certainly refused: a mark need not be asked. */
const CERTAIN = new Set<ErrorCode>([
  'BAD_REQUEST',
  'REQUEST_FAILED',
  'CONSTRAINT_VIOLATED',
  'NOT_SUPPORTED',
  'ADDRESS_REFUSED',
  'INVALID_CONFIGURATION',
]);

function mayHaveCommitted({ code, details }: GatewayError): boolean {
  const isApplied = details.some((each) => 'applied' in each && each.applied === true);
  const { effect = 'none' } = ERROR_MEANINGS[code];
  return isApplied || effect === 'possible' || code === 'TIMED_OUT';
}

function unknown(id: string, cause: unknown): GatewayError {
  const message = `It cannot be told yet whether the transaction ${id} has committed: GET /transactions/${id} tells once it can`;
  return new GatewayError('OUTCOME_UNKNOWN', message, { cause });
}

function interrupted(cause?: unknown): GatewayError {
  const message = 'The transaction was interrupted before it was decided: nothing of it is left';
  return new GatewayError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: 1 });
}

/** What a deadline that passes may be told as, by whoever notices it first. */
const OF_LATENESS = new Set<ErrorCode>([
  'CONNECTION_FAILED',
  'NODE_UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'POOL_EXHAUSTED',
  'SERVICE_UNAVAILABLE',
  'SESSION_NOT_FOUND',
]);

/**
 * What was not decided is rolled back: a lost answer makes nothing unknown, and a share whose node is gone is lost.
 * @param deadline whose passing is what it is told as. Spec: transactions.md §1
 */
export function leftNothing(failure: GatewayError, deadline: Deadline): GatewayError {
  if (deadline.hasPassed() && OF_LATENESS.has(failure.code)) return timedOut(failure);
  const isLost = failure.code === 'OUTCOME_UNKNOWN' || failure.code === 'SESSION_NOT_FOUND';
  return isLost ? interrupted(failure) : failure;
}

/** Waits for work, but not longer than that. */
async function orLater(work: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

async function undo({ ctx, id }: Ready, work: Work, failure: GatewayError): Promise<void> {
  const ends = await undoWithin(ctx, work);
  await askLog(ctx, (log) => log.fail(id, keptOf(failure), [...ends]));
}

/** Undoes what may be left, in the time that there is before the log does. Answers the numbers of those that certainly left nothing. */
export async function undoWithin({ now }: Context, work: Work): Promise<readonly number[]> {
  const deadline = startDeadline({ now, signal: new AbortController().signal }, UNDO_MS);
  try {
    return await work.undo(deadline);
  } finally {
    deadline.end();
  }
}

/** As the log keeps it. */
export function keptOf({ code, message, details }: GatewayError): KeptFailure {
  return { code, message, details: JSON.stringify(details) };
}
