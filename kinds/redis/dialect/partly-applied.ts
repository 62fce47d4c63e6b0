/** A transaction with commands that failed at EXEC: Redis undoes nothing. Contract §6, "Transactions". */
import type { Call } from '../../../proto/driver.ts';
import { type ErrorDetails, GatewayError } from '../../../proto/errors.ts';
import { parseJson } from '../../../proto/json.ts';
import type { RedisCommand } from '../command.ts';
import { replyJson } from '../replies/index.ts';
import { ReplyError, type ReplyValue } from '../reply-value.ts';
import { detailOf } from './errors.ts';

/** Some have failed, the others are applied: the former first, then the latter with their results. */
export function partlyApplied(
  commands: readonly RedisCommand[],
  results: readonly ReplyValue[],
  call: Call,
): GatewayError {
  const failed: ErrorDetails[] = [];
  const applied: ErrorDetails[] = [];
  for (const [operation, command] of commands.entries()) {
    const reply = results[operation] ?? null;
    if (reply instanceof ReplyError) {
      failed.push({ ...detailOf(reply), operation, applied: true });
    } else {
      const result = parseJson(replyJson(command, reply, call));
      applied.push({ operation, applied: true, result });
    }
  }
  return new GatewayError(
    'REQUEST_FAILED',
    'An operation failed; the others are applied: Redis undoes nothing',
    { details: [...failed, ...applied] },
  );
}
