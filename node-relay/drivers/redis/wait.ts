/** Commands that wait: they end before the deadline, so that nothing is taken from the server that no caller gets. */

import { TIMEOUT_DEFAULT_MS } from '../../../kinds/members.ts';
import { type RedisCommand, wordText } from '../../../kinds/redis/command.ts';
import { waitPlace } from '../../../kinds/redis/dialect/effects.ts';
import type { ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { GatewayError } from '../../../proto/errors.ts';

/** How long before the deadline the server has to answer: milliseconds, and the largest share of the time. Spec silent. */
const MARGIN_MS = 500;
const MARGIN_PART = 0.5;

/** A command that waits no longer than its caller does. */
interface BoundedWait {
  readonly command: RedisCommand;
  /** @throws GatewayError TIMED_OUT for an answer that came only because the caller's time was up */
  check(reply: ReplyValue): void;
}

/** The command with a time that ends before the deadline, whatever its own; one that does not wait as it is. */
export function boundedWait(command: RedisCommand, timeoutMs = TIMEOUT_DEFAULT_MS): BoundedWait {
  const place = waitPlace(command);
  const word = place && command.args[place.at];
  if (place === undefined || word === undefined) return { command, check: () => {} };
  const asked = Number(wordText(word)) * (place.unit === 's' ? 1000 : 1);
  const most = Math.max(1, timeoutMs - Math.min(MARGIN_MS, timeoutMs * MARGIN_PART));
  // What is no number is for the server to refuse.
  if (!(asked >= 0) || (asked > 0 && asked <= most)) return { command, check: () => {} };
  const text = place.unit === 's' ? String(most / 1000) : String(Math.floor(most));
  const args = command.args.with(place.at, text);
  return {
    command: { ...command, args },
    check(reply) {
      if (reply === null) throw new GatewayError('TIMED_OUT', 'The deadline passed');
    },
  };
}
