/** A Redis command as it travels: its name, and the words after it. */
import type { RequestBase } from '../kind.ts';

/** One word of a command: text in UTF-8, or bytes in base64. Numbers are written as text already. */
export type Word = string | { readonly $bytes: string };

/** A word's text; of bytes one character each. */
export function wordText(word: Word): string {
  return typeof word === 'string' ? word : atob(word.$bytes);
}

/** One command. */
export interface RedisCommand {
  /** The command's own name in lower case, with its subcommand after a blank where it has such: `xgroup create`. */
  readonly type: string;
  /** The words after the name, in the order of the wire. */
  readonly args: readonly Word[];
}

/** A request of one command. */
export interface RedisCommandRequest extends RedisCommand, RequestBase {}

/** Commands that go out in one trip; each has its own result or error. Contract §6. */
export interface RedisPipelineRequest extends RequestBase {
  readonly type: 'pipeline';
  readonly pipeline: readonly RedisCommand[];
}

/** A request, however it was written: members have become words. */
export type RedisRequest = RedisCommandRequest | RedisPipelineRequest;

/** Whether a request is of many commands. */
export function isPipeline(request: RedisRequest): request is RedisPipelineRequest {
  return request.type === 'pipeline';
}
