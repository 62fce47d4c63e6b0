/** A transaction: MULTI, the operations and EXEC, in one trip on a connection of its own. Contract §6, "Transactions". */

import {
  isPipeline,
  type RedisCommand,
  type RedisCommandRequest,
  type RedisRequest,
} from '../../../kinds/redis/command.ts';
import { fromReply } from '../../../kinds/redis/dialect/errors.ts';
import { partlyApplied } from '../../../kinds/redis/dialect/partly-applied.ts';
import { resultsOf } from '../../../kinds/redis/dialect/result.ts';
import { ReplyError, type ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { checkEach } from '../../../kinds/transaction.ts';
import type { Call } from '../../../proto/driver.ts';
import { badRequest, GatewayError } from '../../../proto/errors.ts';
import { checkCommand } from './guard.ts';
import { namesHost } from './hosts.ts';
import type { RedisBackend } from './run.ts';
import { sendOn } from './send.ts';
import { keyBytes } from './words.ts';

const MULTI: RedisCommand = { type: 'multi', args: [] };
const EXEC: RedisCommand = { type: 'exec', args: [] };

/**
 * Runs all operations after each other with nothing from others between them. One that the server
 * refuses to queue applies none; one that fails at EXEC leaves the others applied.
 * @throws GatewayError with `operation` in its details
 */
export async function runTransaction(
  { server }: RedisBackend,
  requests: readonly RedisRequest[],
  call: Call,
): Promise<Uint8Array> {
  const commands = checkEach(requests, checkOperation);
  const limited = withLeastTime(commands, call);
  const link = await server.borrow(commands.flatMap(keyBytes), limited.call.signal);
  let isClean = false;
  try {
    const replies = await sendOn(link, [MULTI, ...commands, EXEC], limited.call);
    isClean = true;
    const results = resultsAfter(commands, replies, call);
    return resultsIn(commands, results, call);
  } finally {
    limited.end();
    link.release(isClean);
  }
}

/** The command that an operation is. @throws GatewayError BAD_REQUEST */
export function checkOperation(request: RedisRequest): RedisCommandRequest {
  if (isPipeline(request)) {
    throw badRequest('type', 'a pipeline is no operation: name its commands as operations');
  }
  checkCommand(request, 'write', 'transaction');
  if (namesHost(request)) throw badRequest('type', `${request.type} is not for transactions`);
  return request;
}

/** All go in one trip: the shortest of their timeouts holds for all. */
export function withLeastTime(
  commands: readonly RedisCommandRequest[],
  call: Call,
): { readonly call: Call; end(): void } {
  const times = commands.flatMap(({ timeout_ms }) => timeout_ms ?? []);
  if (times.length === 0) return { call, end: () => {} };
  const controller = new AbortController();
  const reason = new GatewayError('TIMED_OUT', 'The deadline of an operation passed');
  const timer = setTimeout(() => controller.abort(reason), Math.min(...times));
  const signal = AbortSignal.any([call.signal, controller.signal]);
  return { call: { ...call, signal }, end: () => clearTimeout(timer) };
}

/** What EXEC answered; what was refused before is thrown. */
function resultsAfter(
  commands: readonly RedisCommand[],
  [begun = null, ...replies]: readonly ReplyValue[],
  call: Call,
): readonly ReplyValue[] {
  if (begun instanceof ReplyError) throw fromReply(begun);
  for (const index of commands.keys()) {
    const queued = replies[index];
    if (queued instanceof ReplyError) throw fromReply(queued, { operation: index });
  }
  const done = replies.at(-1) ?? null;
  if (done instanceof ReplyError) throw fromReply(done);
  if (!Array.isArray(done)) {
    throw new GatewayError('REQUEST_FAILED', 'The transaction was not run');
  }
  const results: readonly ReplyValue[] = done;
  // Clients of other protocols find errors among the results.
  if (call.replyForm === undefined && results.some((each) => each instanceof ReplyError)) {
    throw partlyApplied(commands, results, call);
  }
  return results;
}

function resultsIn(
  commands: readonly RedisCommand[],
  results: readonly ReplyValue[],
  call: Call,
): Uint8Array {
  return resultsOf(commands, results, call, ['[', ']']);
}
