/** Speaks RESP on a socket: commands of many callers go out together, replies come back in their order. */
import type { Socket } from 'node:net';
import { GatewayError } from '../../../proto/errors.ts';
import type { RedisCommand } from '../../../proto/kinds/redis/command.ts';
import { ReplyError, type ReplyValue } from '../../../proto/kinds/redis/reply-value.ts';
import { ConnectionLost } from '../loss.ts';
import { Decoder, PUSH_MAX, TOO_LARGE } from './decode.ts';
import { Encoder } from './encode.ts';
import type { Sending } from './link.ts';
import { isConfirmed, Subscriptions } from './subscriptions.ts';

/** Bytes that wait to be taken by the network before callers wait themselves. Spec silent. */
const UNSENT_MAX = 1_048_576;
/** A server that says nothing for so many milliseconds, while a caller gives up, gets no new commands. Spec silent. */
export const SILENT_MS = 1_000;

/** The connection ended under a call. */
export class CallLost extends ConnectionLost {
  /** Whether the call's commands may have reached the server. */
  readonly sent: boolean;
  constructor(sent: boolean, cause: unknown) {
    super('The connection was lost', { cause });
    this.sent = sent;
  }
}

/** Commands of one caller under way. */
interface Exchange {
  readonly commands: readonly RedisCommand[];
  readonly sending: Sending;
  readonly replies: ReplyValue[];
  /** Bytes that replies may still have. */
  room: number;
  sentAt: number | undefined;
  tooLarge: boolean;
  /** The caller has his answer, or has gone. */
  settled: boolean;
  settle(outcome: 'replies' | Error): void;
}

/** First in, first out. */
class Queue<Item> {
  #items: (Item | undefined)[] = [];
  #first = 0;

  get head(): Item | undefined {
    return this.#items[this.#first];
  }

  get empty(): boolean {
    return this.#first === this.#items.length;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#items[this.#first];
    this.#items[this.#first] = undefined;
    this.#first += 1;
    if (this.#first === this.#items.length || this.#first > 1_000) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}

/** One connection's conversation. */
export class Wire {
  /** Why the connection is of no more use. */
  lost: ConnectionLost | undefined;
  /** Called once, when it is lost. */
  onLost: (() => void) | undefined;
  /** Called with what the server says unasked. */
  onPush: ((message: ReplyValue) => void) | undefined;
  /** Called whenever all replies have come. */
  onIdle: (() => void) | undefined;
  /** The server was silent while a caller gave up: new commands had better go elsewhere. */
  silent = false;
  /** Protocol version in force. */
  protocol = 2;
  /** Times that something was written, for measuring. */
  writes = 0;
  readonly #socket: Socket;
  readonly #decoder: Decoder;
  readonly #encoder = new Encoder();
  readonly #subscriptions = new Subscriptions();
  readonly #unsent = new Queue<Exchange>();
  readonly #sent = new Queue<Exchange>();
  /** Of those sent, how many a caller still waits for. */
  #awaited = 0;
  #scheduled = false;
  #heardAt = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#decoder = new Decoder({
      room: () => (this.#sent.head ? roomOf(this.#sent.head) : PUSH_MAX),
      reply: (value, bytes) => this.#reply(value, bytes),
      push: (message) => this.#push(message),
    });
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (cause) => this.lose(cause));
    socket.on('end', () => this.cut(new Error('the server ended it')));
    socket.on('close', () => this.lose(new Error('closed')));
    socket.on('drain', () => this.#flush());
    socket.resume();
  }

  /** Nothing is under way, whether awaited or not. */
  get idle(): boolean {
    return this.#sent.empty && this.#unsent.empty;
  }

  /** It gets messages, or MONITOR's lines. */
  get subscribed(): boolean {
    return this.#subscriptions.any || this.#subscriptions.monitoring;
  }

  /**
   * Sends commands and answers one reply for each; a command that is answered by confirmations
   * gets the last of them, and all go to `onPush`.
   * @throws CallLost; GatewayError OUTCOME_UNKNOWN, RESULT_TOO_LARGE; the signal's reason
   */
  send(commands: readonly RedisCommand[], sending: Sending): Promise<readonly ReplyValue[]> {
    return new Promise((resolve, reject) => {
      const { signal } = sending;
      if (signal.aborted) return reject(signal.reason);
      if (this.lost) return reject(new CallLost(false, this.lost));
      if (commands.length === 0) return resolve([]);
      const exchange: Exchange = {
        commands,
        sending,
        replies: [],
        room: sending.replyMaxBytes,
        sentAt: undefined,
        tooLarge: false,
        settled: false,
        settle(outcome) {
          if (exchange.settled) return;
          exchange.settled = true;
          signal.removeEventListener('abort', onAbort);
          if (outcome === 'replies') resolve(exchange.replies);
          else reject(outcome);
        },
      };
      const onAbort = (): void => this.#abandon(exchange);
      signal.addEventListener('abort', onAbort);
      this.#unsent.push(exchange);
      this.#schedule();
    });
  }

  /** Ends it without a word. */
  cut(cause: Error): void {
    this.lose(cause);
    this.#socket.destroy();
  }

  /** Says that nothing more is sent, and resolves when the server has let go. */
  end(): Promise<void> {
    this.lose(new Error('closed'));
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#socket.destroyed) resolve();
    this.#socket.once('close', () => resolve());
    this.#socket.end();
    return promise;
  }

  /** Stops reading, so that the server is held back; what has come already is still told. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Marks the connection as gone and fails what is under way. */
  lose(cause: Error): void {
    if (this.lost) return;
    this.lost = new ConnectionLost('The connection was lost', { cause });
    for (let each = this.#sent.shift(); each; each = this.#sent.shift()) {
      each.settle(new CallLost(true, cause));
    }
    for (let each = this.#unsent.shift(); each; each = this.#unsent.shift()) {
      each.settle(new CallLost(false, cause));
    }
    this.onLost?.();
  }

  /** What callers bring within one turn of the loop goes out in one write. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.lost || !this.#socket.writable || this.#unsent.empty) return;
    const now = performance.now();
    while (!this.#unsent.empty) {
      // The rest goes when the network has taken what is there.
      if (this.#encoder.size + this.#socket.writableLength >= UNSENT_MAX) break;
      const exchange = this.#unsent.shift();
      if (!exchange || exchange.settled) continue;
      for (const command of exchange.commands) this.#encoder.add(command);
      exchange.sentAt = now;
      this.#awaited += 1;
      this.#sent.push(exchange);
    }
    if (this.#encoder.size > 0) {
      this.writes += 1;
      this.#socket.write(this.#encoder.take());
    }
    this.#tellIdle();
  }

  #take(chunk: Buffer): void {
    if (this.lost) return;
    this.#heardAt = performance.now();
    this.silent = false;
    try {
      this.#decoder.write(chunk);
    } catch (cause) {
      this.cut(cause instanceof Error ? cause : new Error('unreadable'));
    }
  }

  #reply(value: ReplyValue | typeof TOO_LARGE, bytes: number): void {
    if (this.lost) return;
    const head = this.#sent.head;
    if (value !== TOO_LARGE && this.#isUnasked(value, head)) {
      this.#push(value);
      return;
    }
    if (!head) throw new Error('a reply that nobody asked for');
    head.room -= bytes;
    if (value === TOO_LARGE) head.tooLarge = true;
    this.#answer(head, value === TOO_LARGE ? null : value);
  }

  #isUnasked(value: ReplyValue, head: Exchange | undefined): boolean {
    const { monitoring, any } = this.#subscriptions;
    if (monitoring && this.#subscriptions.isMessage(value)) return true;
    const command = head && nextOf(head);
    if (this.protocol === 3 || (!any && !(command && isConfirmed(command)))) return false;
    return this.#subscriptions.isMessage(value);
  }

  #push(message: ReplyValue): void {
    if (this.lost) return;
    const head = this.#sent.head;
    const isAnswer = this.#subscriptions.note(message, head && nextOf(head));
    this.onPush?.(message);
    if (isAnswer && head) this.#answer(head, message);
  }

  #answer(head: Exchange, value: ReplyValue): void {
    const command = nextOf(head);
    if (command) this.#note(command, value);
    head.replies.push(head.settled || head.tooLarge ? null : value);
    if (head.replies.length < head.commands.length) return;
    this.#sent.shift();
    if (!head.settled) {
      this.#awaited -= 1;
      head.settle(head.tooLarge ? tooLarge(head.sending) : 'replies');
    }
    this.#tellIdle();
  }

  /** Some commands change what their connection is told from then on. */
  #note({ type, args }: RedisCommand, value: ReplyValue): void {
    if (value instanceof ReplyError) {
      this.#subscriptions.refused();
      return;
    }
    if (type === 'monitor') this.#subscriptions.monitoring = true;
    else if (type === 'hello' && args[0] !== undefined) this.protocol = args[0] === '3' ? 3 : 2;
    else if (type === 'reset') {
      this.protocol = 2;
      this.#subscriptions.clear();
    }
  }

  #tellIdle(): void {
    if (this.idle) this.onIdle?.();
  }

  /** The caller does not wait any longer; what still comes for him is dropped. */
  #abandon(exchange: Exchange): void {
    const { signal, mode } = exchange.sending;
    const { sentAt } = exchange;
    if (sentAt === undefined) {
      exchange.settle(signal.reason);
      return;
    }
    exchange.replies.fill(null);
    exchange.settle(mode === 'write' ? unknownOutcome(signal.reason) : signal.reason);
    this.#awaited -= 1;
    if (performance.now() - Math.max(sentAt, this.#heardAt) >= SILENT_MS) this.silent = true;
    // Nobody gains anything from a connection that is waited for by nobody and says nothing.
    if (this.silent && this.#awaited === 0) this.cut(new Error('the server is silent'));
  }
}

function nextOf({ commands, replies }: Exchange): RedisCommand | undefined {
  return commands[replies.length];
}

function roomOf({ settled, tooLarge, room }: Exchange): number {
  return settled || tooLarge ? 0 : room;
}

function unknownOutcome(cause: unknown): GatewayError {
  return new GatewayError('OUTCOME_UNKNOWN', 'The deadline passed after the write was sent', {
    cause,
  });
}

function tooLarge({ mode, replyMaxBytes }: Sending): GatewayError {
  return new GatewayError(
    'RESULT_TOO_LARGE',
    `The result is larger than ${replyMaxBytes} bytes`,
    mode === 'write' ? { details: [{ rule: 'result', applied: true }] } : {},
  );
}
