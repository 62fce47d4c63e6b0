/** The driver's connection, which takes from a server only what it asked for and can read. */
import type { Socket } from 'node:net';
import { MongoError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import type { ConnectOptions } from 'mongodb/lib/cmap/connect.js';
import internals, { type CommandOptions } from 'mongodb/lib/cmap/connection.js';
import { checkHello, checkRefusal } from './hello.ts';
import { Replies } from './replies.ts';
import { REPLY_MAX_BYTES, ReplyFault } from './reply-fault.ts';

/** Most bytes of a reply before the login has succeeded, and to a monitor. Spec silent. */
const LOGIN_MAX_BYTES = 64 * 1024;

/** In the place of the driver's own: a fault in what a server sends ends this connection, and nothing else. */
export class GuardedConnection extends internals.Connection {
  /** Bytes that the next replies may have, once its login has ended. */
  replyMax = REPLY_MAX_BYTES;
  /** The last command was answered, whatever the answer is worth. */
  heard = false;
  readonly #replies = new Replies();
  #leavesBatch = false;

  constructor(socket: Socket, options: ConnectOptions) {
    super(socket, options);
    // The driver's own keeps what comes until there is as much as was told, which it believes.
    this.messageStream._transform = (piece: Buffer, _encoding, done) => {
      try {
        this.#take(piece);
        done();
      } catch (fault) {
        done(asFault(fault));
      }
    };
  }

  /**
   * Ends it in the middle: as after a time-out, for which the driver leaves other connections alone. At
   * once: a moment later the command may be answered, and the connection another call's.
   */
  cut(): void {
    this.cleanup(
      new MongoNetworkTimeoutError('the connection was cut', { beforeHandshake: false }),
    );
  }

  /** @throws what the driver throws, ReplyFault */
  override async command(
    namespace: unknown,
    command: Record<string, unknown>,
    options: CommandOptions = {},
    responseType?: unknown,
  ): Promise<unknown> {
    this.heard = false;
    this.#leavesBatch = options.raw === true && options.documentsReturnedIn !== undefined;
    try {
      const answer = await super.command(namespace, command, options, responseType);
      if (this.#isEntering) checkHello(answer);
      return answer;
    } catch (thrown) {
      throw this.#judged(thrown);
    }
  }

  protected override writeCommand(
    command: { readonly requestId: number; readonly moreToCome?: boolean },
    options: object,
  ): Promise<void> {
    if (command.moreToCome !== true) {
      this.#replies.awaited = {
        requestId: command.requestId,
        max: this.#isEntering ? LOGIN_MAX_BYTES : this.replyMax,
        leavesBatch: this.#leavesBatch,
      };
    }
    return super.writeCommand(command, options);
  }

  /** Numbers are of pools; a monitor's is a word. */
  get #isEntering(): boolean {
    return !this.established || typeof this.id !== 'number';
  }

  #take(piece: Buffer): void {
    if (this.delayedTimeoutId !== null) clearTimeout(this.delayedTimeoutId);
    this.delayedTimeoutId = null;
    const reply = this.#replies.push(piece);
    if (reply === undefined) return;
    this.heard = true;
    this.messageStream.push(reply);
  }

  /** What the driver stumbled over in a reply is a fault of the reply; the connection ends with it. */
  #judged(thrown: unknown): unknown {
    try {
      if (thrown instanceof MongoServerError) checkRefusal(thrown);
      const isReplys = thrown instanceof ReplyFault || !(thrown instanceof MongoError);
      if (!this.heard || !isReplys) return thrown;
      this.destroy();
      return asFault(thrown);
    } catch (fault) {
      this.destroy();
      return fault;
    }
  }
}

/** A failure in the driver's own form, so that the driver passes it on. */
export function asFault(thrown: unknown): MongoError {
  if (thrown instanceof MongoError) return thrown;
  const cause = thrown instanceof Error ? { cause: thrown } : undefined;
  return new ReplyFault('The reply cannot be read', cause);
}
