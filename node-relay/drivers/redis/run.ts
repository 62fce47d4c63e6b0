/** Runs single commands and pipelines: on the connection that callers share, or on one of their own where they wait. Contract §6. */

import {
  isPipeline,
  type RedisCommand,
  type RedisCommandRequest,
  type RedisPipelineRequest,
  type RedisRequest,
} from '../../../kinds/redis/command.ts';
import { fromReply } from '../../../kinds/redis/dialect/errors.ts';
import { resultOf, resultsOf } from '../../../kinds/redis/dialect/result.ts';
import { ReplyError, type ReplyValue } from '../../../kinds/redis/reply-value.ts';
import type { Call } from '../../../proto/driver.ts';
import type { Host } from '../driver.ts';
import { holdConnection } from '../hold.ts';
import { checkCommand } from './guard.ts';
import { namesHost, vetted } from './hosts.ts';
import type { BorrowedLink, RedisServer } from './link.ts';
import { sendOn } from './send.ts';
import { boundedWait } from './wait.ts';
import { keyBytes } from './words.ts';

/** What requests run on. */
export interface RedisBackend {
  readonly server: RedisServer;
  readonly host: Host;
}

/** Runs a request. @throws GatewayError */
export function runRequest(
  backend: RedisBackend,
  request: RedisRequest,
  call: Call,
): Promise<Uint8Array> {
  return isPipeline(request)
    ? runPipeline(backend, request, call)
    : runCommand(backend, request, call);
}

async function runCommand(
  { server, host }: RedisBackend,
  request: RedisCommandRequest,
  call: Call,
): Promise<Uint8Array> {
  const effect = checkCommand(request, call.mode, 'request');
  const command = namesHost(request) ? await vetted(request, host, call.signal) : request;
  const reply =
    effect === 'wait'
      ? await waitFor({ server, host }, command, request.timeout_ms, call)
      : await firstOf(sendOn(server, [command], call));
  if (reply instanceof ReplyError) throw fromReply(reply);
  return resultOf(request, reply, call);
}

/** A connection of its own, so that no other call waits with it. */
async function waitFor(
  { server, host }: RedisBackend,
  asked: RedisCommand,
  timeoutMs: number | undefined,
  call: Call,
): Promise<ReplyValue> {
  const { command, check } = boundedWait(asked, timeoutMs);
  const end = holdConnection(host);
  let link: BorrowedLink | undefined;
  let isDone = false;
  try {
    link = await server.borrow(keyBytes(command), call.signal);
    const reply = await firstOf(sendOn(link, [command], call));
    isDone = true;
    check(reply);
    return reply;
  } finally {
    // A server that still waits would take what is meant for others.
    if (!isDone) link?.cut();
    link?.release(true);
    end();
  }
}

async function firstOf(replies: Promise<readonly ReplyValue[]>): Promise<ReplyValue> {
  const [first = null] = await replies;
  return first;
}

/** Many commands in one trip, each with its own result or error. */
async function runPipeline(
  { server, host }: RedisBackend,
  { pipeline }: RedisPipelineRequest,
  call: Call,
): Promise<Uint8Array> {
  for (const [index, command] of pipeline.entries()) {
    checkCommand(command, call.mode, 'pipeline', `pipeline.${index}.type`);
  }
  const commands = await Promise.all(pipeline.map((each) => vetted(each, host, call.signal)));
  const replies = await sendOn(server, commands, call);
  return resultsOf(pipeline, replies, call, ['{"results":[', ']}']);
}
