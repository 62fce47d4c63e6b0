/** Has a server stop a statement. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds from a cancel until the connection is cut. */
export const CANCEL_MS = 2_000;
/** Milliseconds until the server is asked again. */
const AGAIN_MS = 200;

/**
 * Asks again and again while the statement runs, for `CANCEL_MS`: a server forgets a request that
 * overtakes its statement.
 */
export async function cancelWhile(
  isBusy: () => boolean,
  ask: () => Promise<unknown>,
): Promise<void> {
  const end = performance.now() + CANCEL_MS;
  do {
    await ask();
    await sleep(AGAIN_MS, undefined, { ref: false });
  } while (isBusy() && performance.now() < end);
}
