/** Results of a transaction do not exist before its end: no operation can name one. Contract §6: `$result` on other kinds is 400. */
import type { RedisCommand } from '../../proto/kinds/redis/command.ts';
import { badRequest } from './errors.ts';

/** How `{"$result": "[0].result"}` travels as a word. */
const REFERENCE = /^\{"\$result":"\[(?:[^"\\]|\\.)*"\}$/;

/** @throws GatewayError BAD_REQUEST */
export function refuseReferences({ args }: RedisCommand): void {
  if (args.some((word) => typeof word === 'string' && REFERENCE.test(word))) {
    throw badRequest('$result', 'Redis has no results inside a transaction; it is not taken');
  }
}
