/** Events of a subscription as Upstash's clients read them. Source: upstash.com/docs/redis/features/restapi. */
import type { RedisCommand } from '../../proto/kinds/redis/command.ts';

/** The response with its events in that form: `data: message,chat,hello`. */
export function asUpstashTells(_command: RedisCommand, response: Response): Response {
  return response;
}
