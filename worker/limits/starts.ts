/** Starts of runs, which keep the thread busy after their reply: one after another where others call. docs/heavy-work.md. */
import { GatewayError } from '../../proto/errors.ts';
import { Admission } from '../../proto/work/admission.ts';
import { Turns } from '../../proto/work/turns.ts';
import type { Context, PublicContext } from '../context.ts';
import { isAlone, noteCaller } from './neighbours.ts';
import { subscriberOf } from './rate.ts';
import { threadTime } from './thread-time.ts';

/** Milliseconds after which the next start by a caller enters the line, and between two looks of one that waits. */
const [CALL_ALONE_MS, CALL_LOOK_MS] = [100, 1_000];

/** Of an isolate, as its thread is. */
const admission = new Admission(threadTime, isAlone);

/**
 * Starts a run that nobody's token asked for: one after another by turns between organizations, so that
 * a flood that is within its limits delays no neighbour.
 * @throws GatewayError SERVICE_UNAVAILABLE when too many of the organization or the address wait, or the client has gone
 */
export function admitStart<Result>(
  { address, signal }: Pick<PublicContext, 'address' | 'signal'>,
  orgUuid: string,
  start: () => Promise<Result>,
): Promise<Result> {
  noteCaller(orgUuid);
  return admission.admit({ owner: orgUuid, address: subscriberOf(address) }, async () => {
    if (signal.aborted) throw new GatewayError('SERVICE_UNAVAILABLE', 'The client has gone');
    return start();
  });
}

/** Starts a run that another run leads to, in the same line. @throws GatewayError SERVICE_UNAVAILABLE when too many of the organization wait */
export function admitChild<Result>(orgUuid: string, start: () => Promise<Result>): Promise<Result> {
  return admission.admit({ owner: orgUuid, address: orgUuid }, start);
}

/** Starts by callers before that line, of which few wait in it: none is refused for the others. */
const calls = new Turns(threadTime, { aloneMs: CALL_ALONE_MS, lookMs: CALL_LOOK_MS });

/**
 * Starts a run that its caller does not wait for: in the same line where another organization calls, else at once.
 * @throws GatewayError SERVICE_UNAVAILABLE as `admitStart`
 */
export function admitCall<Result>(ctx: Context, start: () => Promise<Result>): Promise<Result> {
  const { orgUuid } = ctx.caller;
  if (isAlone(orgUuid)) return start();
  return calls.inTurn(orgUuid, () => admitStart(ctx, orgUuid, start));
}
