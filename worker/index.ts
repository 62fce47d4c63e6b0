/** Entry point of the worker: requests, the clock, and the objects that own what needs one owner. */
import { createApp } from './app.ts';
import { sweepExpired, sweepUnchained } from './audit/sweep/sweep.ts';
import type { Bindings } from './context.ts';

export { AuditChain } from './audit/chain.ts';

/** The cron line of wrangler.toml whose sweep is the slow one. */
const HOURLY = '17 * * * *';

const app = createApp({ now: Date.now, fetch: (request) => fetch(request) });

export default {
  fetch: app.fetch,
  async scheduled({ cron, scheduledTime }, env) {
    if (cron === HOURLY) await sweepExpired(env, scheduledTime);
    else await sweepUnchained(env);
  },
} satisfies ExportedHandler<Bindings>;
