/** Entry point of the worker: requests, the clock, and the objects that own what needs one owner. */
import { createApp } from './app.ts';
import { sweepExpired, sweepUnchained } from './audit/sweep/sweep.ts';
import { type Bindings, type Outside, openContext, type PublicContext } from './context.ts';
import { wakeChanges } from './data-changes/tell.ts';
import { stopGate } from './http/gate.ts';
import { gatherNoMore, logRequests } from './http/request-log.ts';
import { RelayNode, stopTunnels } from './nodes/relay-node.ts';
import { sweepDeleted } from './organizations/sweep/sweep.ts';
import { sweepRuns } from './runs/sweep.ts';
import { takeKeys } from './secrets/change.ts';
import { resealDataKeys } from './secrets/reseal.ts';
import { remakeIndex, wakeRuns } from './workflows/runs/clear.ts';
import { tellOldNews, wakeTriggers } from './workflows/triggers/changed.ts';

export { AuditChain } from './audit/chain.ts';
export { PasswordHasher } from './auth/hasher-object.ts';
export { DataChanges } from './data-changes/data-changes.ts';
export { WebhookDeliveries } from './deliveries/deliveries.ts';
export { OrganizationEvents } from './events/log.ts';
export { IdempotencyKeys } from './idempotency/keys.ts';
export { TemplateRun } from './runs/run.ts';
export { WorkflowSchedules } from './schedules/workflow-schedules.ts';
export { TransactionLog } from './transactions/log/transaction-log.ts';
export { WorkflowRuns } from './workflows/runs/workflow-runs.ts';
export { RelayNode };

/** The cron line of wrangler.toml whose sweep is the slow one. */
const HOURLY = '17 * * * *';
/** Not a time: the program that runs a self-hosted gateway announces its stop so, in milliseconds; see `stopGate`. */
const STOP = /^stop (\d+) (\d+)$/;
/** Not a time either: a self-hosted gateway has started, and alarms may have been lost with the one before. */
const STARTED = 'started';
/** Nor these: keys have changed; data keys are to be sealed again. */
const KEYS = 'keys';
const RESEAL = 'reseal';

const outside: Outside = { now: Date.now, fetch: (request) => fetch(request) };
const app = createApp(outside);
logRequests(app);

export default {
  fetch: app.fetch,
  async scheduled({ cron, scheduledTime }, env, execution) {
    const stop = STOP.exec(cron);
    if (stop) {
      gatherNoMore();
      stopGate(Number(stop[1]), Number(stop[2]));
      await stopTunnels(env);
    } else if (cron === STARTED) {
      await Promise.all([wakeRuns(env), wakeTriggers(env), wakeChanges(env)]);
    } else if (cron === KEYS) await takeKeys(env);
    else if (cron === RESEAL) await resealDataKeys(env);
    else if (cron === HOURLY) {
      await Promise.all([
        sweepExpired(env, scheduledTime),
        sweepRuns(env, scheduledTime),
        wakeRuns(env),
        wakeTriggers(env),
        remakeIndex(env),
      ]);
    } else {
      await Promise.all([
        sweepUnchained(env),
        tellOldNews(env, Date.now()),
        wakeChanges(env),
        sweepDeleted(contextOfClock(env, execution)),
        resealDataKeys(env),
      ]);
    }
  },
} satisfies ExportedHandler<Bindings>;

/** Of work that the clock starts. */
function contextOfClock(env: Bindings, execution: ExecutionContext): PublicContext {
  return openContext({
    signal: new AbortController().signal,
    env,
    outside,
    requestId: crypto.randomUUID(),
    address: 'clock',
    waitUntil: (work) => execution.waitUntil(work),
  });
}
