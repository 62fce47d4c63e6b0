/** Runs what a client of Upstash asks for on an endpoint, whoever speaks to its server. Contract §1, §6, §13. */

import { kindSpec, type ParsedRequest, parseRequest } from '../../../kinds/index.ts';
import { TIMEOUT_DEFAULT_MS } from '../../../kinds/members.ts';
import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { type Authorized, demand } from '../../access/access.ts';
import type { Level } from '../../access/levels.ts';
import type { Context } from '../../context.ts';
import type { Deadline } from '../../drivers/deadline.ts';
import type { Endpoint } from '../../endpoints/access.ts';
import type { Backend, Form, Result } from '../../endpoints/backend/backend.ts';
import { backendOf } from '../../endpoints/backend/reach.ts';
import { resultOf } from '../../endpoints/result.ts';
import { isSubscription, subscribeOn } from '../../endpoints/subscribe.ts';
import { costly, isLight } from '../../limits/heavy-work.ts';
import { type Asked, askedOf, replyFormOf } from './asked.ts';
import { asUpstashTells } from './events.ts';
import { withOwnDigests, withoutKeyLocking } from './scripts.ts';

/** What a request brings. */
export interface FacadeInput extends Authorized<Endpoint> {
  readonly params: unknown;
  readonly bytes: Uint8Array | undefined;
}

/**
 * The replies as the client asks for them, or events. A command needs the level that it needs as a
 * request: Read, Write where it may change anything, Admin where it is the server's.
 * @throws GatewayError BAD_REQUEST, FORBIDDEN, NOT_SUPPORTED, and what the call may end in
 */
export async function runCommands(ctx: Context, input: FacadeInput): Promise<Response> {
  demandRedis(input.resource);
  const read = () => askedOf(ctx.request, input.bytes);
  const given = isLight(input.bytes) ? read() : await costly(ctx, read);
  const sendable = await withoutKeyLocking(input.resource.row.uuid, given);
  const { asked } = sendable;
  const replyForm = replyFormOf(ctx.request, asked.way);
  const form: Form = { numbersAsStrings: false, canonical: false, replyForm };
  const answer = await (asked.way === 'transaction' ? transact : run)(ctx, input, asked, form);
  if (answer instanceof Response) return answer;
  return replied(await withOwnDigests(answer, sendable, replyForm), form);
}

/** One request: of one command, of many, or of events. */
async function run(
  ctx: Context,
  input: FacadeInput,
  asked: Asked,
  form: Form,
): Promise<Result | Response> {
  const { resource: endpoint } = input;
  const { request, mode } = parseRequest('redis', bodyOf(asked));
  const level = demandFor(ctx, input, { request, mode });
  const whole = { request, written: undefined, ...form };
  const [command] = asked.commands;
  if (command && isSubscription(endpoint, request)) {
    return asUpstashTells(command, await subscribeOn(ctx, endpoint, whole, level));
  }
  const backend = await backendOf(ctx, endpoint, mode);
  return answered(ctx, backend, (own, due) => own.run(whole, due));
}

/** Contract §6, "Transactions": it needs Write whatever it does. */
async function transact(
  ctx: Context,
  input: FacadeInput,
  { commands }: Asked,
  form: Form,
): Promise<Result> {
  const parsed = commands.map((command) => parseRequest('redis', jsonOf(command)));
  demand(ctx, input, 'Write');
  for (const each of parsed) demandFor(ctx, input, each);
  const requests = parsed.map(({ request }) => request);
  const backend = await backendOf(ctx, input.resource, 'write');
  return answered(ctx, backend, (own, deadline) =>
    own.transact({ requests, written: undefined, ...form }, deadline),
  );
}

async function answered(
  ctx: Context,
  backend: Backend,
  call: (backend: Backend, deadline: Deadline) => Promise<Result>,
): Promise<Result> {
  const { bytes } = await resultOf(ctx, backend, TIMEOUT_DEFAULT_MS, (deadline) =>
    call(backend, deadline),
  );
  return bytes;
}

/** The level that a request needs, which the caller has. @throws GatewayError FORBIDDEN */
function demandFor(ctx: Context, input: FacadeInput, { request, mode }: ParsedRequest): Level {
  const level = kindSpec('redis').needs?.(request) ?? (mode === 'write' ? 'Write' : 'Read');
  demand(ctx, input, level);
  return level;
}

/** @throws GatewayError NOT_SUPPORTED */
function demandRedis({ row }: Endpoint): void {
  if (row.kind === 'redis') return;
  const { label } = kindSpec(row.kind);
  throw new GatewayError(
    'NOT_SUPPORTED',
    `This endpoint is of kind ${label}: clients of Upstash reach those of kind Redis`,
  );
}

function bodyOf({ way, commands }: Asked): Json {
  const [command] = commands;
  if (way === 'pipeline' || command === undefined) {
    return { type: 'pipeline', pipeline: commands.map(jsonOf) };
  }
  return jsonOf(command);
}

function jsonOf({ type, args }: RedisCommand): Json {
  return { type, args: args.map((word) => (typeof word === 'string' ? word : { ...word })) };
}

function replied(result: Result, { replyForm }: Form): Response {
  const type =
    replyForm === 'resp2' ? 'application/octet-stream' : 'application/json; charset=utf-8';
  return new Response(result, { headers: { 'Content-Type': type } });
}
