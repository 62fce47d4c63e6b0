/** Keys that an endpoint's backend keeps itself, with the effect of the write. Spec: transactions.md §7. */
import type { OnceMark } from '../../proto/once.ts';
import type { PublicContext } from '../context.ts';
import type { Outcome } from '../outcome.ts';
import { digestOf } from '../secrets/digest.ts';

const encoder = new TextEncoder();

/** Whose write a mark is, and what for. */
export interface MarkedWrite {
  /** UUID. */
  readonly organization: string;
  /** UUID. */
  readonly endpoint: string;
  /** What makes it the same write again: the caller, the operation and the key; of a workflow its UUID, the action and the value. */
  readonly what: readonly string[];
  /** The body as it was sent. */
  readonly body: Uint8Array;
}

/** The mark of a write, the same for each repeat of it. @param place where the backend keeps it */
export async function markOf(
  { organization, endpoint, what, body }: MarkedWrite,
  place: string,
): Promise<OnceMark> {
  const name = encoder.encode(JSON.stringify([organization, endpoint, ...what]));
  const [key, digest] = await Promise.all([digestOf(name), digestOf(body)]);
  return { key, body: digest, place };
}

/** Runs a call that goes on when its client goes away and asks again: the backend knows both. */
export function goingOn<Ctx extends PublicContext>(
  ctx: Ctx,
  run: (ctx: Ctx) => Promise<Outcome>,
): Promise<Outcome> {
  const running = run({ ...ctx, signal: new AbortController().signal });
  ctx.afterReply(running);
  return running;
}
