/** Keys that an endpoint's backend keeps itself, with the effect of the write. Spec: transactions.md §7. */
import type { OnceMark } from '../../proto/once.ts';
import type { PublicContext } from '../context.ts';
import type { Outcome } from '../outcome.ts';
import { digestOf } from '../secrets/digest.ts';
import { type SealingContext, tagsOf } from '../secrets/seal.ts';

/** Whose write a mark is, and what for. */
interface MarkedWrite {
  /** UUID. */
  readonly endpoint: string;
  /** What makes it the same write again: the caller, the operation and the key; of a workflow its UUID, the action and the value. */
  readonly what: readonly string[];
  /** The body as it was sent. */
  readonly body: Uint8Array;
}

/**
 * The mark of a write, the same for each repeat of it. All but the place are made of the organization's
 * data key: who reads or writes the place can neither make a mark nor open a kept reply.
 * @param place where the backend keeps it
 */
export async function markOf(
  sealing: Omit<SealingContext, 'purpose'>,
  { endpoint, what, body }: MarkedWrite,
  place: string,
): Promise<OnceMark> {
  const name = JSON.stringify([endpoint, ...what]);
  const of = { ...sealing, purpose: 'once' };
  const texts = [`key:${name}`, `body:${await digestOf(body)}`, `reply:${name}`];
  const [key = '', tag = '', secret = ''] = await tagsOf(of, texts);
  return { key, body: tag, place, secret };
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
