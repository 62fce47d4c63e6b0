/** The clock of the thread that serves requests, and how to wait there. */
import type { Time } from '../../proto/work/queue.ts';

/** As every line of works takes it. */
export const threadTime: Time = {
  now: () => performance.now(),
  wait: (ms) => scheduler.wait(ms),
};
