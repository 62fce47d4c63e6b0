/** Fetches results that a relay has kept because they are large. Contract §6: "Large results". */
import type { Context } from '../../context.ts';
import { inLargeParts } from '../../drivers/large-parts.ts';
import { bodyOf, type Opened, open } from '../../drivers/pieces.ts';
import { callRelay, type RoutePlan } from '../../drivers/relay.ts';
import { noteUnseen } from '../../drivers/unseen.ts';
import { passedOn } from '../../limits/heavy-work.ts';
import { lost } from './lost.ts';

/** Of so many bytes that the runtime moves by itself, one counts as a byte that the thread looks at. */
const UNSEEN = 5;

/** What is collected. */
interface Kept {
  readonly collectId: string;
  /** Whether something has taken effect that cannot be asked for again. */
  readonly written: boolean;
}

/**
 * The result as it comes. The plan's deadline ends with it.
 * @throws GatewayError NODE_UNAVAILABLE, OUTCOME_UNKNOWN
 */
export async function collectKept(
  ctx: Context,
  plan: RoutePlan,
  { collectId, written }: Kept,
): Promise<ReadableStream<Uint8Array>> {
  const { deadline } = plan;
  try {
    const found = await callRelay(ctx, plan, async ({ relay, keptBytes, options }) => {
      const whole = await keptBytes?.(collectId, options);
      return whole ?? (await open(relay.collect({ collectId }, options)));
    });
    const isWhole = 'body' in found;
    if (isWhole) await passedOn(ctx, found.length / UNSEEN);
    const stream = bodyOf(isWhole ? piecesOf(found.body) : found, {
      passed: (bytes) => passedOn(ctx, bytes),
      ended: deadline.end,
      cancelled() {
        deadline.abort();
        deadline.end();
      },
      failed(thrown) {
        deadline.end();
        return lost(written, thrown); // Half a JSON text has no place for an error: the connection breaks off.
      },
    });
    if (isWhole) noteUnseen(stream, found.body);
    return stream;
  } catch (cause) {
    deadline.end();
    throw lost(written, cause);
  }
}

/** Not read before its first piece is wanted. */
function piecesOf(body: ReadableStream<Uint8Array>): Opened {
  async function* pieces() {
    for await (const chunk of inLargeParts(body)) yield { chunk };
  }
  return { first: new Uint8Array(), rest: pieces() };
}
