/** Runs commands, pipelines and transactions at Upstash. Contract §6. */

import {
  isPipeline,
  type RedisCommand,
  type RedisRequest,
} from '../../../../kinds/redis/command.ts';
import { withoutTrace } from '../../../../kinds/redis/dialect/effects.ts';
import { fromReply } from '../../../../kinds/redis/dialect/errors.ts';
import { partlyApplied } from '../../../../kinds/redis/dialect/partly-applied.ts';
import { resultOf, resultsOf } from '../../../../kinds/redis/dialect/result.ts';
import { modeOfCommand } from '../../../../kinds/redis/effects.ts';
import { ReplyError, type ReplyValue } from '../../../../kinds/redis/reply-value.ts';
import { checkEach } from '../../../../kinds/transaction.ts';
import type { Call } from '../../../../proto/driver.ts';
import { badRequest, GatewayError } from '../../../../proto/errors.ts';
import { Lost } from '../driver.ts';
import { inPath, notBinary, textsOf } from './binary.ts';
import { strange, type UpstashDatabase } from './database.ts';
import { demandHeld } from './lacks.ts';

/** One command, or many in one trip. @throws GatewayError */
export async function runRequest(
  line: UpstashDatabase,
  request: RedisRequest,
  call: Call,
): Promise<Uint8Array> {
  if (isPipeline(request)) {
    return withCertainReads(request.pipeline, () => runPipeline(line, request.pipeline, call));
  }
  check(request, call, 'type');
  const reply = await withCertainReads([request], () => sendOne(line, sentAs(request, call), call));
  if (reply instanceof ReplyError) throw fromReply(reply);
  return resultOf(request, reply, call);
}

/** What was lost has changed nothing where all of it reads, wherever it was sent. Contract §2. */
async function withCertainReads<Value>(
  commands: readonly RedisCommand[],
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    const isRead = commands.every((each) => modeOfCommand(each) === 'read');
    if (!isRead || !(thrown instanceof Lost)) throw thrown;
    throw new GatewayError(thrown.code, thrown.message, { cause: thrown });
  }
}

/** @throws GatewayError */
export async function sendOne(
  line: UpstashDatabase,
  command: RedisCommand,
  call: Call,
): Promise<ReplyValue> {
  const words = textsOf(command.args);
  return words
    ? line.command([...nameOf(command), ...words], call)
    : line.binary(inPath(nameOf(command), command), call);
}

/** Each has its own result or error. */
async function runPipeline(
  line: UpstashDatabase,
  commands: readonly RedisCommand[],
  call: Call,
): Promise<Uint8Array> {
  for (const [index, each] of commands.entries()) check(each, call, `pipeline.${index}.type`);
  const sent = commands.map((each) => rowOf(sentAs(each, call)));
  const replies = await line.commands('/pipeline', sent, call);
  return resultsOf(commands, allOf(commands, replies), call, ['{"results":[', ']}']);
}

/**
 * All after each other with nothing from others between them. What the vendor refuses before it
 * begins applies nothing, and it does not say which; one that fails then leaves the others applied.
 * @throws GatewayError with `operation` in its details where it is known
 */
export async function runTransaction(
  line: UpstashDatabase,
  requests: readonly RedisRequest[],
  call: Call,
): Promise<Uint8Array> {
  const commands = checkEach(requests, (request) => {
    if (isPipeline(request)) {
      throw badRequest('type', 'a pipeline is no operation: name its commands as operations');
    }
    check(request, call, 'type');
    return request;
  });
  const replies = allOf(commands, await line.commands('/multi-exec', commands.map(rowOf), call));
  if (call.replyForm === undefined && replies.some((each) => each instanceof ReplyError)) {
    throw partlyApplied(commands, replies, call);
  }
  return resultsOf(commands, replies, call, ['[', ']']);
}

/** Refuses what is not a read where only reads are, and what has no meaning here. */
function check(command: RedisCommand, { mode }: Call, path: string): void {
  // There is no read-only transaction: what a command does by its table is the guard.
  if (mode === 'read' && modeOfCommand(command) === 'write') {
    throw badRequest(path, `${command.type} writes`);
  }
  demandHeld(command, path);
}

/** On `/read` what a command would keep for itself is not kept. */
function sentAs(command: RedisCommand, { mode }: Call): RedisCommand {
  return mode === 'read' ? withoutTrace(command) : command;
}

/** The name, and its subcommand. */
function nameOf({ type }: RedisCommand): string[] {
  return type.split(' ');
}

/** @throws GatewayError NOT_SUPPORTED for bytes that are no text */
function rowOf(command: RedisCommand): string[] {
  const words = textsOf(command.args);
  if (!words) throw notBinary();
  return [...nameOf(command), ...words];
}

/** One reply for each; an error that refused all is thrown. */
function allOf(
  commands: readonly RedisCommand[],
  replies: readonly ReplyValue[] | ReplyValue,
): readonly ReplyValue[] {
  if (replies instanceof ReplyError) throw fromReply(replies);
  if (Array.isArray(replies) && replies.length === commands.length) return replies;
  throw strange();
}
