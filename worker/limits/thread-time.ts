/** The clock of the thread that serves requests, and how to wait there. */
import type { Time } from '../../proto/work/ticket.ts';

/**
 * Whether one that waits goes on in its own request or object when the code of another wakes it. Where not, it would go on in
 * the other's: the runtime of our tests, which needs that for itself, is alone in this.
 */
const WAKES = Cloudflare.compatibilityFlags.handle_cross_request_promise_resolution === true;

/** As every line of works takes it. */
export const threadTime: Time = {
  now: () => performance.now(),
  wait: (ms) => scheduler.wait(ms),
  ...(WAKES ? {} : { lookMs: 10 }),
};
