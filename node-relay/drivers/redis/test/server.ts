/** Says commands to a server in tests of the wire. */

import type { RedisCommand, Word } from '../../../../kinds/redis/command.ts';
import {
  ReplyMap,
  ReplySet,
  ReplyStatus,
  type ReplyValue,
} from '../../../../kinds/redis/reply-value.ts';
import type { Mode } from '../../../../proto/driver.ts';
import type { Host } from '../../driver.ts';
import { testHost } from '../../test/host.ts';
import type { RedisServer, SendBounds } from '../link.ts';
import { openServer } from '../server.ts';

/** A command of its words: `words('set', 'a', '1')`. */
export function words(type: string, ...args: readonly Word[]): RedisCommand {
  return { type, args };
}

/** Bounds with room and time, except for what is given. */
export function bounds(mode: Mode = 'write', given: Partial<SendBounds> = {}): SendBounds {
  return { mode, signal: AbortSignal.timeout(30_000), replyMaxBytes: 41_943_040, ...given };
}

/** Replies as tests compare them: bytes as text, maps and sets as lists. */
export function plain(value: ReplyValue | undefined): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof ReplyStatus) return value.text;
  if (value instanceof ReplyMap || value instanceof ReplySet) return value.items.map(plain);
  return Array.isArray(value) ? value.map(plain) : value;
}

/** Sends commands and answers their replies as `plain` has them. */
export async function say(
  server: Pick<RedisServer, 'send'>,
  commands: readonly RedisCommand[],
  mode: Mode = 'write',
): Promise<unknown[]> {
  return (await server.send(commands, bounds(mode))).map(plain);
}

/** Opens a server, on a host of its own unless one is given. */
export function open(url: string, host: Host = testHost()): Promise<RedisServer> {
  return openServer({ connection: { url }, settings: {} }, host);
}
