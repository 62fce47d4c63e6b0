/** Replies as the bytes that a caller gets, from the relay or from the edge. Contract §6, "Redis". */
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { RedisCommand } from '../command.ts';
import { errorJson, replyJson } from '../replies/index.ts';
import { writeReplies, writeReply } from '../reply-form.ts';
import { ReplyError, type ReplyValue } from '../reply-value.ts';

const encoder = new TextEncoder();

/** `{result}`, or the reply as it came. @param more members besides it, with a comma before them */
export function resultOf(
  command: RedisCommand,
  reply: ReplyValue,
  call: Call,
  more = '',
): Uint8Array {
  if (call.replyForm !== undefined) return withinResultMax(call, writeReply(reply, call.replyForm));
  return withinResultMax(
    call,
    encoder.encode(`{"result":${replyJson(command, reply, call)}${more}}`),
  );
}

/** A reply in its place among others: `{result}`, or `{error, message, code}`. */
export function entryOf(command: RedisCommand, reply: ReplyValue, call: Call): string {
  if (reply instanceof ReplyError) return errorJson(reply);
  return `{"result":${replyJson(command, reply, call)}}`;
}

/** A list of replies between `head` and `tail`, or all as they came. */
export function resultsOf(
  commands: readonly RedisCommand[],
  replies: readonly ReplyValue[],
  call: Call,
  [head, tail]: readonly [string, string],
): Uint8Array {
  if (call.replyForm !== undefined)
    return withinResultMax(call, writeReplies(replies, call.replyForm));
  let text = head;
  for (const [index, command] of commands.entries()) {
    text += (index > 0 ? ',' : '') + entryOf(command, replies[index] ?? null, call);
    // No caller takes more, and the rest do not have to be written.
    if (text.length > call.resultMaxBytes) throw resultTooLarge(call);
  }
  return withinResultMax(call, encoder.encode(text + tail));
}

/** The bytes, unless they are more than the caller takes. @throws GatewayError RESULT_TOO_LARGE */
export function withinResultMax(call: Call, bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength > call.resultMaxBytes) throw resultTooLarge(call);
  return bytes;
}

/** The caller takes no more; of a write, what was done is done. */
export function resultTooLarge({ mode, resultMaxBytes }: Call): GatewayError {
  return new GatewayError(
    'RESULT_TOO_LARGE',
    `The result is larger than ${resultMaxBytes} bytes; ask for less at a time, with SCAN or a range`,
    mode === 'write' ? { details: [{ rule: 'result', applied: true }] } : {},
  );
}
