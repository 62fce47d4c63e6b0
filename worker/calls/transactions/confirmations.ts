/** What participants have confirmed, on its way to the log: it goes with the log's next call from here, or alone a moment later. */
import type { Confirmed } from './object.ts';

/** Milliseconds after which it goes alone. Nobody is known to wait for it. */
const ALONE_AFTER_MS = 5;

/** By the organization's uuid. Of an isolate that ends the log asks by itself. */
const waiting = new Map<string, Confirmed[]>();
const NONE: readonly Confirmed[] = [];

/** What waits for a call of this organization's log, which is to take it along. */
export function takeConfirmed(orgUuid: string): readonly Confirmed[] {
  const found = waiting.get(orgUuid);
  waiting.delete(orgUuid);
  return found ?? NONE;
}

/** Leaves it for another call; answers whether none has come, so that what waits is to be sent. */
export async function leaveConfirmed(orgUuid: string, confirmed: Confirmed): Promise<boolean> {
  const there = waiting.get(orgUuid);
  if (there) {
    // Who left the first one sends all.
    there.push(confirmed);
    return false;
  }
  const own = [confirmed];
  waiting.set(orgUuid, own);
  await new Promise((resolve) => setTimeout(resolve, ALONE_AFTER_MS));
  return waiting.get(orgUuid) === own;
}
