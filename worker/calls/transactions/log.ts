/** The organization's log of decisions, as calls reach it. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Context } from '../../context.ts';
import type { SealingContext } from '../../secrets/seal.ts';
import type { LogOwner } from './object.ts';

/** Times that the log is asked before it is taken to be out of reach. */
const TRIES = 4;
/** Milliseconds between them, each time as many more. */
const TRY_AGAIN_MS = 50;

/** The object's face. */
export type Log = ReturnType<Context['env']['TRANSACTION_LOGS']['getByName']>;

/**
 * Asks the log, a few times: each question may be asked twice.
 * @throws GatewayError SERVICE_UNAVAILABLE when it does not answer
 */
export async function askLog<Answer>(
  { env, caller }: Context,
  ask: (log: Log) => Promise<Answer>,
  tries = TRIES,
): Promise<Answer> {
  for (let tried = 1; ; tried += 1) {
    try {
      // One that failed may be broken for good.
      return await ask(env.TRANSACTION_LOGS.getByName(caller.orgUuid));
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

/** Whose log it is. */
export function ownerOf({ caller }: Context, sealedDataKey: string): LogOwner {
  return { orgUuid: caller.orgUuid, orgId: caller.orgId, sealedDataKey };
}

/** What seals a transaction's reply. */
export function sealingOf(ctx: Context, sealedDataKey: string, id: string): SealingContext {
  const { settings, caller } = ctx;
  return { settings, orgUuid: caller.orgUuid, sealedDataKey, purpose: `transaction:${id}` };
}
