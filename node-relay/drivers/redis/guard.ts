/** Which commands are taken where: reads, what needs a session, what nobody may. Contract §6. */

import { type Effect, effectOf } from '../../../dialects/redis/effects.ts';
import { badRequest } from '../../../dialects/redis/errors.ts';
import type { Mode } from '../../../proto/driver.ts';
import type { RedisCommand } from '../../../proto/kinds/redis/command.ts';
import { modeOfCommand } from '../../../proto/kinds/redis/effects.ts';

/** Where a command comes from. */
export type Place = 'request' | 'pipeline' | 'transaction' | 'session';

/**
 * Refuses what the mode or the place does not let through.
 * @param path of the command in its request
 * @throws GatewayError BAD_REQUEST
 */
export function checkCommand(
  command: RedisCommand,
  mode: Mode,
  place: Place,
  path = 'type',
): Effect {
  if (mode === 'read' && modeOfCommand(command) === 'write') {
    throw badRequest(path, `${command.type} writes`);
  }
  const effect = effectOf(command);
  const refusal = refusalOf(effect, place);
  if (refusal !== undefined) throw badRequest(path, `${command.type} ${refusal}`);
  return effect;
}

function refusalOf(effect: Effect, place: Place): string | undefined {
  if (typeof effect === 'object') return effect.refused;
  if (place === 'session') return undefined;
  if (effect === 'state') return STATE[place];
  if (effect === 'subscribe') {
    return 'is answered by events: send it alone with Accept: text/event-stream';
  }
  if (effect === 'unsubscribe') return 'acts in a session; closing the stream of events ends it';
  if (effect === 'wait' && place === 'pipeline') return 'waits: send it alone';
  return undefined;
}

const SESSION = 'open one with POST /endpoints/{endpoint}/sessions';
const STATE = {
  request: `needs a session: ${SESSION}`,
  pipeline: `needs a session: ${SESSION}`,
  transaction: `is not for transactions, which are MULTI and EXEC already; in a session it is taken: ${SESSION}`,
} as const;
