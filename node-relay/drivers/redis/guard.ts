/** Which commands are taken where: reads, what needs a session, what is always refused. Contract §6. */

import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { canonicalName, type Effect, effectOf } from '../../../kinds/redis/dialect/effects.ts';
import { modeOfCommand } from '../../../kinds/redis/effects.ts';
import type { Mode } from '../../../proto/driver.ts';
import { badRequest } from '../../../proto/errors.ts';

/** Where a command comes from. */
type CommandSource = 'request' | 'pipeline' | 'transaction' | 'session' | 'session pipeline';

/**
 * Refuses what the mode or the place does not let through.
 * @param path of the command in its request
 * @throws GatewayError BAD_REQUEST
 */
export function checkCommand(
  command: RedisCommand,
  mode: Mode,
  place: CommandSource,
  path = 'type',
): Effect {
  if (mode === 'read' && modeOfCommand(command) === 'write') {
    throw badRequest(path, `${command.type} writes`);
  }
  const effect = effectOf(command);
  const refusal = refusalOf(effect, place, canonicalName(command));
  if (refusal !== undefined) throw badRequest(path, `${command.type} ${refusal}`);
  return effect;
}

function refusalOf(effect: Effect, place: CommandSource, name: string): string | undefined {
  if (typeof effect === 'object') return effect.refused;
  if (effect === 'wait' && place.endsWith('pipeline')) return 'waits: send it alone';
  if (place === 'session' || place === 'session pipeline') {
    return name === 'monitor' ? EVENTS : undefined;
  }
  if (effect === 'state') return place === 'transaction' ? NOT_WITHIN : SESSION;
  if (effect === 'subscribe') return EVENTS;
  return effect === 'unsubscribe' ? UNSUBSCRIBE : undefined;
}

const SESSION = 'needs a session: open one with POST /endpoints/{endpoint}/sessions';
const NOT_WITHIN = 'is not for transactions, which are MULTI and EXEC already';
const EVENTS = 'is answered by events: send it alone, with Accept: text/event-stream';
const UNSUBSCRIBE = 'acts in a session; closing the stream of events ends it';
