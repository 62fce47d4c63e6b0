/** Server-sent events as Upstash writes them. Source: upstash.com/docs/redis/features/restapi. */

import type { RedisCommand } from '../../../../kinds/redis/command.ts';
import { GatewayError } from '../../../../proto/errors.ts';

/** Characters of one event: Redis's own messages stay far below. Spec silent. */
const EVENT_MAX = 16_777_216;

/** What the vendor reports, split at the commas that are between its parts: `message`, `chat`, `hello`. */
type EventParts = readonly string[];

/**
 * The data of each event.
 * @throws GatewayError RESULT_TOO_LARGE
 */
export async function* dataOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body) {
    const more = decoder.decode(piece, { stream: true });
    const isEnded = (text.slice(-1) + more).includes('\n\n');
    text += more;
    if (text.length > EVENT_MAX) {
      throw new GatewayError('RESULT_TOO_LARGE', 'A message is larger than it may be');
    }
    // What has not ended is not looked through again.
    if (!isEnded) continue;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const each of events) {
      const lines = each.split('\n').filter((line) => line.startsWith('data:'));
      if (lines.length > 0) yield lines.map((line) => line.replace(/^data: ?/, '')).join('\n');
    }
  }
}

/**
 * The parts of an event. Channels and patterns are those that were subscribed to, so that a comma
 * within them does not mislead; of a channel that a pattern found, the first comma ends it.
 */
export function partsOf({ type, args }: RedisCommand, data: string): EventParts {
  if (type === 'monitor') return [data];
  const [kind = ''] = data.split(',', 1);
  const rest = data.slice(kind.length + 1);
  const names = args
    .filter((each) => typeof each === 'string')
    .filter((each) => rest.startsWith(`${each},`))
    .toSorted((one, other) => other.length - one.length);
  const name = names[0] ?? rest.split(',', 1)[0] ?? '';
  const message = rest.slice(name.length + 1);
  if (kind !== 'pmessage') return [kind, name, message];
  const [channel = ''] = message.split(',', 1);
  return [kind, name, channel, message.slice(channel.length + 1)];
}
