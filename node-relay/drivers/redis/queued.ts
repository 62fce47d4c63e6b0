/** Asks a server whether it would take the commands of a transaction, and runs none of them. */
import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { fromReply } from '../../../kinds/redis/dialect/errors.ts';
import { ReplyError } from '../../../kinds/redis/reply-value.ts';
import type { Call } from '../../../proto/driver.ts';
import { keysOf } from './known.ts';
import type { RedisBackend } from './run.ts';
import { sendOn } from './send.ts';

/** What a node says of keys that are elsewhere: nothing about the command. */
const ELSEWHERE = new Set(['MOVED', 'ASK', 'TRYAGAIN']);

/** @throws GatewayError with `operation` in its details: what MULTI refuses, so that nothing of it is done */
export async function checkQueued(
  { server }: RedisBackend,
  commands: readonly RedisCommand[],
  call: Call,
): Promise<void> {
  const link = await server.borrow(commands.flatMap(keysOf), call.signal);
  let isClean = false;
  try {
    const asked = [{ type: 'multi', args: [] }, ...commands, { type: 'discard', args: [] }];
    const [begun = null, ...queued] = await sendOn(link, asked, call);
    isClean = true;
    if (begun instanceof ReplyError) throw fromReply(begun);
    for (const operation of commands.keys()) {
      const reply = queued[operation];
      if (reply instanceof ReplyError && !ELSEWHERE.has(reply.code)) {
        throw fromReply(reply, { operation });
      }
    }
  } finally {
    link.release(isClean);
  }
}
