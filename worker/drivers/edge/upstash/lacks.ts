/** What Upstash's protocol lacks of Redis: connections, and whatever holds to one. */

import type { RedisCommand } from '../../../../kinds/redis/command.ts';
import { type Effect, effectOf } from '../../../../kinds/redis/dialect/effects.ts';
import { badRequest, GatewayError } from '../../../../proto/errors.ts';

/** Commands on a connection, or about the client's own; there is none. */
const OF_CONNECTIONS = /^client(?: |$)/;

/**
 * Refuses what has no meaning without a connection.
 * @param path of the command in its request
 * @throws GatewayError NOT_SUPPORTED; BAD_REQUEST for what a relay refuses, too
 */
export function demandHeld(command: RedisCommand, path: string): void {
  const effect = effectOf(command);
  if (typeof effect === 'object') throw badRequest(path, `${command.type} ${effect.refused}`);
  if (effect === 'subscribe') {
    const message = `${command.type} is answered by events: send it alone with Accept: text/event-stream`;
    throw badRequest(path, message);
  }
  const lack = OF_CONNECTIONS.test(command.type) ? 'is about connections' : LACKS[effect];
  if (lack !== undefined) throw lacks(command.type, lack);
}

const LACKS: Readonly<Record<Exclude<Effect, object | 'subscribe'>, string | undefined>> = {
  none: undefined,
  state: 'holds to a connection',
  unsubscribe: 'holds to a connection',
  wait: 'waits on a connection',
};

/** What the vendor's protocol has no place for. */
export function lacks(type: string, why: string): GatewayError {
  const message = `${type} ${why}, and Upstash has none over HTTP: set config.transport to "relay" to reach it as Redis`;
  return new GatewayError('NOT_SUPPORTED', message);
}
