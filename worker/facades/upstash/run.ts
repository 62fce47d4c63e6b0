/** Runs what a client of Upstash asks for on an endpoint, through a relay or from the edge. Contract §1, §6, §13. */

import { kindSpec } from '../../../kinds/index.ts';
import type { RedisCommand } from '../../../kinds/redis/command.ts';
import type { ReplyForm } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { requestOn } from '../../calls/request.ts';
import { transactionOn } from '../../calls/transaction.ts';
import type { Context } from '../../context.ts';
import type { Endpoint } from '../../endpoints/access.ts';
import { takesJson } from '../../http/accept.ts';
import { costly, isLight } from '../../limits/heavy-work.ts';
import { Content, JsonBytes, type Outcome } from '../../outcome.ts';
import type { Input } from '../../route.ts';
import { type Commands, commandsIn, replyFormOf } from './commands.ts';
import { asUpstashTells } from './events.ts';
import { withOwnDigests, withoutKeyLocking } from './scripts.ts';

/**
 * The replies as the client asks for them, or events. A command needs the level that it needs as a
 * request: Read, Write where it may change anything, Admin where it is the server's.
 * @throws GatewayError BAD_REQUEST, NOT_SUPPORTED
 */
export async function runCommands(
  ctx: Context,
  input: Input<unknown, unknown, Request, Endpoint>,
): Promise<Outcome> {
  const { resource, body: request, bytes, forms } = input;
  demandRedis(resource);
  const read = () => commandsIn(request, bytes);
  const given = isLight(bytes) ? read() : await costly(ctx, read);
  const sendable = await withoutKeyLocking(resource.row.uuid, given);
  const { way, commands } = sendable.sent;
  const [command] = commands;
  const replyForm = replyFormOf(request, way);
  const outcome =
    way === 'transaction'
      ? await transactionOn(ctx, input, { operations: commands.map(jsonOf) }, { replyForm })
      : await requestOn(ctx, input, undefined, bodyOf(sendable.sent), {
          ...{ replyForm, forms },
          takesJson: takesJson(input.header('Accept')),
        });
  const { result } = outcome;
  if (result instanceof Content && command) return outcome.with(asUpstashTells(command, result));
  if (!(result instanceof JsonBytes)) return outcome;
  const replies = await withOwnDigests(result.bytes, sendable, replyForm);
  return outcome.with(new Content(TYPES[replyForm], replies));
}

const JSON_TYPE = 'application/json; charset=utf-8';
const TYPES: Readonly<Record<ReplyForm, string>> = {
  json: JSON_TYPE,
  base64: JSON_TYPE,
  resp2: 'application/octet-stream',
};

/** @throws GatewayError NOT_SUPPORTED */
function demandRedis({ row }: Endpoint): void {
  if (row.kind === 'redis') return;
  const { label } = kindSpec(row.kind);
  throw new GatewayError(
    'NOT_SUPPORTED',
    `This endpoint is of kind ${label}: clients of Upstash reach those of kind Redis`,
  );
}

function bodyOf({ way, commands }: Commands): Json {
  const [command] = commands;
  if (way === 'pipeline' || command === undefined) {
    return { type: 'pipeline', pipeline: commands.map(jsonOf) };
  }
  return jsonOf(command);
}

function jsonOf({ type, args }: RedisCommand): Json {
  return { type, args: args.map((word) => (typeof word === 'string' ? word : { ...word })) };
}
