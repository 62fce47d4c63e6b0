/** A run of a template as part of a transaction: no commit comes between its requests. Spec silent. */
import { whoCalled } from '../../access/door/door.ts';
import type { Context } from '../../context.ts';
import { failureOf } from '../../outcome.ts';
import { abandon, abandonBy, closedBy } from './interactive.ts';
import { askLog } from './log.ts';
import type { RunBegun } from './taking-part.ts';

/** A run as its transaction knows it. */
interface RunWithin {
  /** What its requests bring. */
  readonly ticket: string;
  /** Called before each of them. */
  sends(): void;
}

/**
 * Runs it; one that fails rolls the transaction back before what waits for its end goes on, unless it names what is not there and has
 * sent nothing.
 * @param id of the transaction; undefined for a run that takes part in none
 * @throws GatewayError TRANSACTION_NOT_FOUND, TRANSACTION_CLOSED, and what the run throws
 */
export async function wholeRun<Value>(
  ctx: Context,
  id: string | undefined,
  run: (within?: RunWithin) => Promise<Value>,
): Promise<Value> {
  if (id === undefined) return run();
  const caller = whoCalled(ctx).userUuid;
  const begun = await askLog<RunBegun>(ctx, async (log) => log.beginRun(id, caller), 1);
  if (begun.is !== 'under way') throw closedBy(id, begun);
  let hasSent = false;
  const sends = () => {
    hasSent = true;
  };
  try {
    return await run({ ticket: begun.run, sends });
  } catch (thrown) {
    await (hasSent ? abandon : abandonBy)(ctx, id, failureOf(thrown));
    throw thrown;
  } finally {
    const ended = askLog(ctx, (log) => log.endRun(id, begun.run));
    ctx.afterReply(ended);
    await ended;
  }
}
