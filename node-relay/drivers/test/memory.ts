/** What a process holds on to, told apart from what its collector has not come to yet. */
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Milliseconds after which it is looked again at what a collection has left. */
const SETTLE_MS = 25;
/** Bytes: what gets less by fewer is settled. */
const SETTLED_BYTES = 1024 * 1024;

/**
 * Bytes that the heap and buffers hold, once collections make them no fewer: buffers are freed by
 * other threads, after the collection that finds nobody holds them.
 */
export async function heldBytes(): Promise<number> {
  for (let held = collected(); ; ) {
    await sleep(SETTLE_MS);
    const now = collected();
    if (now > held - SETTLED_BYTES) return Math.min(now, held);
    held = now;
  }
}

function collected(): number {
  if (typeof collect === 'function') collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
