/** Time limits of what runs do. Their timers end with the work: the runtime lets an object have ten thousand. */

/** Milliseconds that a timer takes at most. */
const LONGEST_MS = 2 ** 31 - 1;

/** Milliseconds that looking up what an action names may take. */
export const LOOKUP_MS = 30_000;

/** Does work with a signal that aborts after `ms` milliseconds. */
export async function withinTime<Result>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.min(ms, LONGEST_MS));
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
