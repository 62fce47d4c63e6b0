/** Keys that have changed since the gateway started: a runtime that starts again serves nobody before it has them. */
import type { Bindings } from '../context.ts';
import { CHANGED_KEYS } from './runtime-site.ts';

/** Milliseconds between two looks whether they have come. */
const AGAIN_MS = 20;

/** Of this isolate: whether its keys are those in force. */
const keys = { areInForce: false };

/** Whether nothing has to be waited for. */
export function hasKeys(): boolean {
  return keys.areInForce;
}

/** The program that runs the gateway has handed them over. */
export function noteKeys(): void {
  keys.areInForce = true;
}

/** Waits for them, where they have changed: what an earlier key signed may be void. The program hands them over as soon as it can. */
export async function untilKeys({ OWN }: Pick<Bindings, 'OWN'>): Promise<void> {
  while (!keys.areInForce) {
    const reply = await OWN?.fetch(`http://own/${CHANGED_KEYS}`);
    await reply?.body?.cancel();
    // They are those that the runtime was started with.
    if (!reply?.ok) return noteKeys();
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
