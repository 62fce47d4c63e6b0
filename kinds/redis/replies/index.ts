/** Replies as JSON, decoded by the type that the command's reply has. Contract §6, "Redis". */
import type { RedisCommand } from '../command.ts';
import { ReplyError, type ReplyValue } from '../reply-value.ts';
import { type Form, naturalJson } from './natural.ts';
import type { Shaper } from './shapes.ts';
import { MODULES } from './table/modules.ts';
import { SEARCH } from './table/search.ts';
import { SERIES } from './table/series.ts';
import { SERVER } from './table/server.ts';
import { SORTED } from './table/sorted.ts';
import { STREAMS } from './table/streams.ts';

export { withoutAddresses } from './addresses.ts';
export { errorJson, type Form, naturalJson } from './natural.ts';

/** Commands whose replies have another shape than the server gives them; all others come as they are. */
const SHAPERS: { readonly [type: string]: Shaper } = {
  ...SORTED,
  ...STREAMS,
  ...MODULES,
  ...SERIES,
  ...SEARCH,
  ...SERVER,
};

const AS_THEY_COME: Form = { numbersAsStrings: false };

/**
 * The reply to a command as JSON text: the same whether the server spoke RESP2 or RESP3, which
 * says with types what the other says with flat lists. None of it is left out but what RESP3's
 * search replies always have empty.
 */
export function replyJson(
  command: RedisCommand,
  value: ReplyValue,
  form: Form = AS_THEY_COME,
): string {
  const shaper = Object.hasOwn(SHAPERS, command.type) ? SHAPERS[command.type] : undefined;
  // Errors and the absence of a value are the same whatever was asked.
  if (shaper === undefined || value === null || value instanceof ReplyError) {
    return naturalJson(value, form);
  }
  return naturalJson(shaper(command)(value), form);
}
