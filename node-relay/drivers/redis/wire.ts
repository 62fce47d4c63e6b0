/** Speaks RESP on a socket: commands of many callers go out together, replies come back in their order. */
import type { Socket } from 'node:net';
import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { ReplyError, type ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { ConnectionLost } from '../loss.ts';
import { Decoder, PUSH_MAX } from './decode.ts';
import { Encoder } from './encode.ts';
import { CallLost, Exchange, Unasked } from './exchange.ts';
import type { SendBounds } from './link.ts';
import { Queue } from './queue.ts';
import type { Dropped } from './receiver.ts';
import { ProtocolError } from './scalars.ts';
import { isConfirmed, Subscriptions } from './subscriptions.ts';

/** Bytes that wait to be taken by the network before callers wait themselves. Spec silent. */
const UNSENT_MAX = 1_048_576;
/** Milliseconds of silence after which a server gets no new commands, where a caller gives up meanwhile. Spec silent. */
const SILENT_MS = 1_000;

/** Bytes that are read for nothing, so that what is set on a connection lasts. Spec silent. */
const DRAINED_MAX = 67_108_864;
/** The same where others wait behind them: as many as a server's longest string has. */
const DRAINED_FOR_OTHERS_MAX = 536_870_912;
/** Most messages in a row that have no listener. Spec silent. */
const UNHEARD_MAX = 10_000;
/** Bytes of a reply behind which new commands should not wait. Spec silent. */
const LADEN_BYTES = 1_048_576;

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
  /** The server was silent while a caller gave up: new commands should go elsewhere. */
  silent = false;
  /** Protocol version in force. */
  protocol = 2;
  readonly #socket: Socket;
  readonly #decoder: Decoder;
  readonly #encoder = new Encoder();
  readonly #subscriptions = new Subscriptions();
  readonly #unsent = new Queue<Exchange>();
  readonly #sent = new Queue<Exchange>();
  /** Callers that wait for an answer. */
  #awaited = 0;
  #leaving = false;
  #scheduled = false;
  #heardAt = 0;
  #unheard = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#decoder = new Decoder({
      room: () => this.#sent.head?.room ?? PUSH_MAX,
      dropped: (why) => this.#drop(why),
      reply: (value, bytes) => this.#reply(value, bytes),
      push: (message) => this.#push(message),
    });
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (cause) => this.lose(cause));
    socket.on('end', () => this.cut(new Error('the server ended it')));
    socket.on('close', () => this.lose(new Error('closed')));
    socket.resume();
  }

  /** Nothing is under way, whether awaited or not. */
  get idle(): boolean {
    return this.#sent.empty && this.#unsent.empty;
  }

  /** A large reply is on its way: new commands should go elsewhere. */
  get laden(): boolean {
    return this.#decoder.underWay > LADEN_BYTES;
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
  send(commands: readonly RedisCommand[], sending: SendBounds): Promise<readonly ReplyValue[]> {
    return new Promise((resolve, reject) => {
      if (sending.signal.aborted) return reject(sending.signal.reason);
      if (this.lost) return reject(new CallLost(false, this.lost));
      if (commands.length === 0) return resolve([]);
      this.#awaited += 1;
      const settled = this.#settled;
      const abandoned = this.#abandoned;
      this.#unsent.push(new Exchange(commands, sending, { resolve, reject, settled, abandoned }));
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

  /** No new commands come: once no caller waits for those under way, it ends or is idle. */
  leave(): void {
    this.#leaving = true;
    this.#cutIfUseless();
  }

  /** It goes on as before `leave`. */
  stay(): void {
    this.#leaving = false;
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
    for (const [queue, sent] of [
      [this.#sent, true],
      [this.#unsent, false],
    ] as const) {
      for (let each = queue.shift(); each; each = queue.shift()) {
        each.fail(new CallLost(sent, cause));
      }
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
      this.#sent.push(exchange);
    }
    if (this.#encoder.size > 0) {
      this.#socket.write(this.#encoder.take(), this.#written);
    }
    this.#tellIdle();
  }

  /** The network has taken what was written: what had to wait for that goes now. */
  readonly #written = (): void => {
    if (!this.#unsent.empty) this.#flush();
  };

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

  #reply(value: ReplyValue | Dropped, bytes: number): void {
    if (this.lost) return;
    const head = this.#sent.head;
    if (typeof value !== 'symbol' && this.#isUnasked(value, head)) {
      this.#push(value);
      return;
    }
    if (!head) {
      throw value instanceof ReplyError ? new Unasked(value) : new Error('nobody asked for it');
    }
    this.#answer(head, value, bytes);
  }

  /** The call ends now; the connection too, unless others wait for what comes after. */
  #drop(why: Dropped): void {
    this.#sent.head?.drop(why);
    const { underWay } = this.#decoder;
    const most = this.#awaited === 0 ? DRAINED_MAX : DRAINED_FOR_OTHERS_MAX;
    if (underWay > most) throw new ProtocolError('a reply that nobody takes');
  }

  #isUnasked(value: ReplyValue, head: Exchange | undefined): boolean {
    const { monitoring, any } = this.#subscriptions;
    if (monitoring && this.#subscriptions.isMessage(value)) return true;
    const command = head?.next;
    if (this.protocol === 3 || (!any && !(command && isConfirmed(command)))) return false;
    return this.#subscriptions.isMessage(value);
  }

  #push(message: ReplyValue): void {
    if (this.lost) return;
    const head = this.#sent.head;
    const isAnswer = this.#subscriptions.note(message, head?.next);
    this.#unheard = this.onPush || isAnswer ? 0 : this.#unheard + 1;
    if (this.#unheard > UNHEARD_MAX) throw new ProtocolError('messages that nobody asked for');
    this.onPush?.(message);
    if (isAnswer && head) this.#answer(head, message, 0);
  }

  #answer(head: Exchange, value: ReplyValue | Dropped, bytes: number): void {
    if (head.next) this.#note(head.next, typeof value === 'symbol' ? null : value);
    if (!head.take(value, bytes)) return;
    this.#sent.shift();
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
    else if (this.#leaving) this.#cutIfUseless();
  }

  readonly #settled = (): void => {
    this.#awaited -= 1;
  };

  /** A caller no longer waits; its replies are dropped. */
  readonly #abandoned = ({ sentAt }: Exchange): void => {
    if (sentAt === undefined) return;
    if (performance.now() - Math.max(sentAt, this.#heardAt) >= SILENT_MS) this.silent = true;
    if (this.silent || this.#leaving) this.#cutIfUseless();
  };

  /** Replies without a waiting caller are not worth reading. */
  #cutIfUseless(): void {
    if (this.#awaited === 0 && !this.idle) this.cut(new Error('nobody waits for it'));
  }
}
