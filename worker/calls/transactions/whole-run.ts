/** A run of a template as part of a transaction: no commit comes between its requests. Spec silent. */
import { whoCalled } from '../../access/door/door.ts';
import type { Context } from '../../context.ts';
import { failureOf } from '../../outcome.ts';
import { abandonBy, closedBy } from './interactive.ts';
import { askLog } from './log.ts';
import type { RunBegun } from './taking-part.ts';

/**
 * Runs it; one that fails rolls the transaction back before what waits for its end goes on.
 * @param id of the transaction; undefined for a run that takes part in none
 * @param run is given the ticket that its requests bring
 * @throws GatewayError TRANSACTION_NOT_FOUND, TRANSACTION_CLOSED, and what the run throws
 */
export async function wholeRun<Value>(
  ctx: Context,
  id: string | undefined,
  run: (ticket?: string) => Promise<Value>,
): Promise<Value> {
  if (id === undefined) return run();
  const caller = whoCalled(ctx).userUuid;
  const begun = await askLog<RunBegun>(ctx, async (log) => log.beginRun(id, caller), 1);
  if (begun.is !== 'under way') throw closedBy(id, begun);
  try {
    return await run(begun.run);
  } catch (thrown) {
    await abandonBy(ctx, id, failureOf(thrown));
    throw thrown;
  } finally {
    const ended = askLog(ctx, (log) => log.endRun(id, begun.run));
    ctx.afterReply(ended);
    await ended;
  }
}
