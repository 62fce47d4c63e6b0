/** What becomes of a call's commands on the connections that they are sent on. */
import { MongoError } from 'mongodb';
import { GatewayError } from '../../../proto/errors.ts';
import { asFault } from './guarded-connection.ts';
import { REPLY_MAX_BYTES, ReplyFault } from './reply-fault.ts';
import type { Observer, PooledConnection } from './sockets.ts';

/** Milliseconds that the server gets to stop a call by itself before its connection is cut. */
export const KILL_MS = 1_000;

/** What of a call was sent and is not answered. */
export class Progress implements Observer {
  aborted = false;
  reply: Uint8Array | undefined;
  /** A change was sent, and there was no answer yet. */
  uncertain = false;
  replyMax: number;
  readonly #writes: boolean;
  readonly #lines = new Set<PooledConnection>();
  #waiting: (() => void)[] = [];
  /** Where the last answer came from. */
  #heard: PooledConnection | undefined;

  constructor(writes: boolean, resultMaxBytes: number) {
    this.#writes = writes;
    const wanted = Math.max(REPLY_MIN_BYTES, resultMaxBytes * BSON_FACTOR);
    this.replyMax = Math.min(REPLY_MAX_BYTES, wanted);
  }

  get line(): PooledConnection | undefined {
    return this.#lines.values().next().value;
  }

  sent(command: Readonly<Record<string, unknown>>, line: PooledConnection): void {
    this.#lines.add(line);
    // A retry after the end of the call.
    if (this.aborted) setImmediate(() => this.#lines.has(line) && line.cut());
    if (this.#writes && !READS.has(Object.keys(command)[0] ?? '')) this.uncertain = true;
  }

  answered(line: PooledConnection, heard: boolean, reply: Uint8Array | undefined): void {
    this.reply = reply;
    if (heard) this.#heard = line;
    this.#lines.delete(line);
    if (this.#lines.size > 0) return;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /**
   * An error after a server's answer that is not the server's: the answer is not what the command
   * answers. Its connection ends, unless another call has it already.
   */
  faultOf(thrown: unknown): unknown {
    const isForeign = !(thrown instanceof MongoError || thrown instanceof GatewayError);
    const isFault = thrown instanceof ReplyFault || (isForeign && this.#heard !== undefined);
    if (!isFault) return thrown;
    if (this.#heard?.busy === 0) this.#heard.end();
    return asFault(thrown);
  }

  cut(): void {
    for (const line of this.#lines) line.cut();
  }

  /** When nothing is under way, or the time is up. */
  async idle(maxMs = KILL_MS): Promise<void> {
    if (this.#lines.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await Promise.race([promise, later(maxMs)]);
  }
}

/** Bytes that a value of one character may take in BSON: its type, the name of its place, eight of a number. */
const BSON_FACTOR = 9;
const REPLY_MIN_BYTES = 64 * 1024;

/** Commands of calls on `/write` that change nothing by themselves. */
const READS = new Set([
  'find',
  'getMore',
  'count',
  'distinct',
  'listCollections',
  'listIndexes',
  'listDatabases',
  'killCursors',
  'ping',
  'hello',
  'abortTransaction',
]);

/** So many milliseconds later. */
export function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
