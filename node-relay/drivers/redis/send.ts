/** Commands on their way, within the bounds of a call. */

import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { withoutTrace } from '../../../kinds/redis/dialect/effects.ts';
import { resultTooLarge } from '../../../kinds/redis/dialect/result.ts';
import type { ReplyValue } from '../../../kinds/redis/reply-value.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { BeyondAny } from './exchange.ts';
import type { SendBounds } from './link.ts';

/** Bytes that a reply may have for one of JSON: a list of small numbers is shorter in JSON than on the wire. */
const WIRE_FACTOR = 4;

/** Where commands go. */
interface CommandSender {
  send(commands: readonly RedisCommand[], sending: SendBounds): Promise<readonly ReplyValue[]>;
}

/** Sends commands within the bounds of a call. @throws GatewayError as `RedisLink.send` */
export async function sendOn(
  way: CommandSender,
  commands: readonly RedisCommand[],
  call: Call,
): Promise<readonly ReplyValue[]> {
  const { mode, signal, resultMaxBytes } = call;
  const sent = mode === 'read' ? commands.map(withoutTrace) : commands;
  try {
    return await way.send(sent, { mode, signal, replyMaxBytes: resultMaxBytes * WIRE_FACTOR });
  } catch (error) {
    // The wire has a bound of its own.
    if (error instanceof BeyondAny) throw error;
    const isTooLarge = error instanceof GatewayError && error.code === 'RESULT_TOO_LARGE';
    throw isTooLarge ? resultTooLarge(call) : error;
  }
}
