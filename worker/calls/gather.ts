/** Takes in replies that a run keeps in memory: large ones of an organization one after another. docs/heavy-work.md */
import { GatewayError } from '../../proto/errors.ts';
import { GatheredBytes } from '../../proto/gathered-bytes.ts';
import { demandRead } from '../drivers/unread.ts';
import { inTurnOf, type Owner } from '../limits/heavy-work.ts';
import type { Bytes } from '../outcome.ts';

const decoder = new TextDecoder();

/** Bytes that the results of one run of a template have together at most. Spec silent. */
const RUN_MAX_BYTES = 32 * 1024 * 1024;

/**
 * The text of a reply.
 * @param count is told of each part before it is kept, and may refuse it
 * @throws GatewayError SERVICE_UNAVAILABLE when the client has gone, what `count` throws, and `noReply` of what is no JSON
 */
export async function gather(
  of: Owner,
  bytes: Bytes,
  count: (bytes: number) => void = () => {},
): Promise<string> {
  if (bytes instanceof Uint8Array) {
    count(bytes.byteLength);
    return decoder.decode(bytes);
  }
  const whole = new GatheredBytes();
  for await (const part of inTurnOf(of, bytes)) {
    count(part.byteLength);
    whole.add(part);
  }
  const text = decoder.decode(whole.take());
  await demandRead(of, bytes, text);
  return text;
}

/** Counts the results of one run of a template. */
export class RunResults {
  #left = RUN_MAX_BYTES;

  /** @throws GatewayError RESULT_TOO_LARGE */
  readonly count = (bytes: number): void => {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    const message = `The results of one run are larger than ${RUN_MAX_BYTES} bytes together`;
    throw new GatewayError('RESULT_TOO_LARGE', message);
  };
}
