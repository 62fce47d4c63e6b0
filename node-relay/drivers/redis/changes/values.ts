/** Reads a key's value by its type, as a read of it gives it. */
import type { RedisCommand, Word } from '../../../../kinds/redis/command.ts';
import { replyJson } from '../../../../kinds/redis/replies/index.ts';
import { utf8Of } from '../../../../kinds/redis/replies/natural.ts';
import { ReplyError } from '../../../../kinds/redis/reply-value.ts';
import type { Call } from '../../../../proto/driver.ts';
import type { RedisServer } from '../link.ts';
import { sendOn } from '../send.ts';

/** The command that reads a value whole, by the type that the server names. */
const READS: { readonly [type: string]: readonly [type: string, ...after: string[]] } = {
  string: ['get'],
  hash: ['hgetall'],
  list: ['lrange', '0', '-1'],
  set: ['smembers'],
  zset: ['zrange', '0', '-1', 'WITHSCORES'],
  stream: ['xrange', '-', '+'],
  'ReJSON-RL': ['json.get'],
};

/**
 * JSON text of what a key holds now; undefined where it holds nothing, or what no read gives whole.
 * @throws GatewayError RESULT_TOO_LARGE
 */
export async function valueIn(
  server: RedisServer,
  key: Uint8Array,
  call: Call,
): Promise<Buffer | undefined> {
  const word: Word = utf8Of(key) ?? { $bytes: Buffer.from(key).toString('base64') };
  const [type = null] = await sendOn(server, [{ type: 'type', args: [word] }], call);
  const [read, ...after] = READS[utf8Of(type instanceof ReplyError ? null : type) ?? ''] ?? [];
  if (read === undefined) return undefined;
  const command: RedisCommand = { type: read, args: [word, ...after] };
  const [reply = null] = await sendOn(server, [command], call);
  // It is another by now, or gone: that is told, too.
  if (reply === null || reply instanceof ReplyError) return undefined;
  return Buffer.from(replyJson(command, reply, call));
}
