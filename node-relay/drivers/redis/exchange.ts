/** Commands of one caller, from the request until the answer or until the caller has gone. */

import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { modeOfCommand } from '../../../kinds/redis/effects.ts';
import type { ReplyError, ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { GatewayError, outcomeUnknown } from '../../../proto/errors.ts';
import { fieldTooLarge } from '../field-limit.ts';
import { ConnectionLost } from '../loss.ts';
import { DEPTH_MAX } from './decode.ts';
import type { SendBounds } from './link.ts';
import { type Dropped, FIELD_TOO_LARGE, TOO_DEEP } from './receiver.ts';

/** The connection ended under a call. */
export class CallLost extends ConnectionLost {
  /** Whether the call's commands may have reached the server. */
  readonly sent: boolean;
  constructor(sent: boolean, cause: unknown) {
    super('The connection was lost', { cause });
    this.sent = sent;
  }
}

/** What a server says before it closes a new connection: that it takes none. */
export class Unasked extends Error {
  readonly reply: ReplyError;
  constructor(reply: ReplyError) {
    super('the server said something unasked');
    this.reply = reply;
  }
}

/** What a caller's promise becomes. */
interface ReplyHandlers {
  resolve(replies: readonly ReplyValue[]): void;
  reject(reason: unknown): void;
  /** Called once, when the caller has the answer or has gone. */
  settled(): void;
  /** Called when the caller goes before that; its promise has been rejected. */
  abandoned(exchange: Exchange): void;
}

/** One caller's commands under way. */
export class Exchange {
  readonly commands: readonly RedisCommand[];
  /** When it was handed to the network, in milliseconds; undefined before. */
  sentAt: number | undefined;
  settled = false;
  readonly #sending: SendBounds;
  readonly #outcome: ReplyHandlers;
  readonly #replies: ReplyValue[] = [];
  /** Bytes that replies may still have. */
  #room: number;
  #dropped: Dropped | undefined;

  constructor(commands: readonly RedisCommand[], sending: SendBounds, outcome: ReplyHandlers) {
    this.commands = commands;
    this.#sending = sending;
    this.#outcome = outcome;
    this.#room = sending.replyMaxBytes;
    sending.signal.addEventListener('abort', this.#onAbort);
  }

  /** The command whose reply is next. */
  get next(): RedisCommand | undefined {
    return this.commands[this.#replies.length];
  }

  /** Bytes that the next reply may have. */
  get room(): number {
    return this.settled || this.#dropped ? 0 : this.#room;
  }

  /** The next reply is not kept: the caller is told at once, unless later commands' outcome has to be known. */
  drop(why: Dropped): void {
    if (this.settled) return;
    this.#dropped ??= why;
    const isLast = this.#replies.length === this.commands.length - 1;
    if (!isLast && this.#sending.mode === 'write' && mayWrite(this.commands)) return;
    this.#replies.fill(null);
    this.fail(refused(this.#dropped, this.next, this.#sending));
  }

  /** Takes a reply; answers whether it was the last. */
  take(value: ReplyValue | Dropped, bytes: number): boolean {
    this.#room -= bytes;
    if (typeof value === 'symbol') this.#dropped ??= value;
    this.#replies.push(typeof value === 'symbol' || this.settled ? null : value);
    if (this.#replies.length < this.commands.length) return false;
    if (this.#dropped) this.fail(refused(this.#dropped, undefined, this.#sending));
    else if (this.#settle()) this.#outcome.resolve(this.#replies);
    return true;
  }

  fail(reason: unknown): void {
    if (this.#settle()) this.#outcome.reject(reason);
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.#sending.signal.removeEventListener('abort', this.#onAbort);
    this.#outcome.settled();
    return true;
  }

  readonly #onAbort = (): void => {
    const { signal, mode } = this.#sending;
    const isUncertain = mode === 'write' && this.sentAt !== undefined && mayWrite(this.commands);
    this.#replies.fill(null);
    this.fail(isUncertain ? outcomeUnknown(signal.reason, true) : signal.reason);
    this.#outcome.abandoned(this);
  };
}

/** Whether one of them changes something, wherever they were sent: a read is only late. Contract §2. */
export function mayWrite(commands: readonly RedisCommand[]): boolean {
  return commands.some((each) => modeOfCommand(each) === 'write');
}

/** A result that is more than any may be, whatever its caller takes; the server has done what was asked. */
export class BeyondAny extends GatewayError {}

function refused(
  why: Dropped,
  command: RedisCommand | undefined,
  { mode, replyMaxBytes }: SendBounds,
): GatewayError {
  const more = mode === 'write' ? { details: [{ rule: 'result', applied: true as const }] } : {};
  if (why === TOO_DEEP) {
    const told = `The result has more than ${DEPTH_MAX} lists within each other`;
    return new BeyondAny('RESULT_TOO_LARGE', told, more);
  }
  if (why === FIELD_TOO_LARGE) {
    const { code, message } = fieldTooLarge(`of ${command?.type ?? 'a command'}`);
    return new BeyondAny(code, message, more);
  }
  const message = `The result is larger than ${replyMaxBytes} bytes`;
  return new GatewayError('RESULT_TOO_LARGE', message, more);
}
