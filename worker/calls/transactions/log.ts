/** The organization's log of decisions, as calls reach it. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Context } from '../../context.ts';
import type { SealingContext } from '../../secrets/seal.ts';
import { leaveConfirmed, takeConfirmed } from './confirmations.ts';
import type { Confirmed, LogOwner } from './object.ts';

/** Times that the log is asked before it is taken to be out of reach. */
const TRIES = 4;
/** Milliseconds between them, each time as many more. */
const TRY_AGAIN_MS = 50;

/** The object's face. */
export type Log = ReturnType<Context['env']['TRANSACTION_LOGS']['getByName']>;

/**
 * Asks the log, a few times: each question may be asked twice. It is told before what was confirmed here.
 * @throws GatewayError SERVICE_UNAVAILABLE when it does not answer
 */
export function askLog<Answer>(
  ctx: Context,
  ask: (log: Log) => Promise<Answer>,
  tries?: number,
): Promise<Answer> {
  return askLogWith(
    ctx,
    (log, confirmed) => {
      if (confirmed.length > 0) ctx.afterReply(log.confirmAll(confirmed));
      return ask(log);
    },
    tries,
  );
}

/** The same with a question that takes along what was confirmed here. @throws GatewayError SERVICE_UNAVAILABLE */
export async function askLogWith<Answer>(
  { env, caller }: Context,
  ask: (log: Log, confirmed: readonly Confirmed[]) => Promise<Answer>,
  tries = TRIES,
): Promise<Answer> {
  const confirmed = takeConfirmed(caller.orgUuid);
  for (let tried = 1; ; tried += 1) {
    try {
      // One that failed may be broken for good.
      return await ask(env.TRANSACTION_LOGS.getByName(caller.orgUuid), confirmed);
    } catch (cause) {
      if (tried < tries) {
        await new Promise((resolve) => setTimeout(resolve, tried * TRY_AGAIN_MS));
        continue;
      }
      const message = 'The log of transactions cannot be reached';
      throw new GatewayError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: 1 });
    }
  }
}

/** Tells the log what participants have confirmed: at once where another waits for it, else with another call if there is one. */
export async function tellConfirmed(
  ctx: Context,
  confirmed: Confirmed,
  isAwaited: boolean,
): Promise<void> {
  if (!isAwaited && !(await leaveConfirmed(ctx.caller.orgUuid, confirmed))) return;
  const own = isAwaited ? [confirmed] : [];
  await askLogWith(ctx, (log, waiting) => log.confirmAll([...waiting, ...own]));
}

/** Whose log it is. */
export function ownerOf({ caller }: Context, sealedDataKey: string): LogOwner {
  return { orgUuid: caller.orgUuid, orgId: caller.orgId, sealedDataKey };
}

/** What seals a transaction's reply. */
export function sealingOf(ctx: Context, sealedDataKey: string, id: string): SealingContext {
  const { settings, caller } = ctx;
  return { settings, orgUuid: caller.orgUuid, sealedDataKey, purpose: `transaction:${id}` };
}
