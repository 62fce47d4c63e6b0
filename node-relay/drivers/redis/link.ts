/** What the rest of the driver needs of the wire: shared connections, and connections for one caller. */

import type { RedisCommand } from '../../../kinds/redis/command.ts';
import type { ReplyValue } from '../../../kinds/redis/reply-value.ts';
import type { Mode } from '../../../proto/driver.ts';

/** Bounds of what is sent. */
export interface SendBounds {
  readonly mode: Mode;
  readonly signal: AbortSignal;
  /** Largest reply in bytes, of all commands together; small values and long strings count as more (`decode.ts`). */
  readonly replyMaxBytes: number;
}

/**
 * One open connection, or what stands for one in a cluster. Replies come in the order of the
 * commands; a server's error is a `ReplyError` in its place, never thrown.
 */
interface RedisLink {
  /**
   * Sends commands in one write and answers one reply for each. Of the SUBSCRIBE family, which a
   * server answers once for each channel, that is the last of them; all go to `onPush` as well.
   * @throws GatewayError CONNECTION_FAILED when provably nothing was sent, OUTCOME_UNKNOWN, TIMED_OUT, RESULT_TOO_LARGE
   */
  send(commands: readonly RedisCommand[], sending: SendBounds): Promise<readonly ReplyValue[]>;
  /** Called with each message that the server pushes: subscriptions, MONITOR's lines, invalidations. */
  onPush: ((message: ReplyValue) => void) | undefined;
  /** Called once, when the connection is lost. */
  onLost: ((cause: Error) => void) | undefined;
  /** Why it is of no more use. */
  readonly lost: Error | undefined;
  /** Ends it without a word; a lease's pending commands fail. */
  cut(): void;
  /** Stops reading, so that what the server pushes waits there. */
  pause(): void;
  resume(): void;
}

/** An endpoint's server: one, a cluster, or the master that sentinels name. */
export interface RedisServer {
  /**
   * Sends commands on a connection that others use at the same time: none of them blocks or
   * leaves anything on the connection. Commands of concurrent callers go out together. In a
   * cluster each goes to the node of its keys, moved ones are followed.
   * @throws GatewayError as `RedisLink.send`, ADDRESS_REFUSED, POOL_EXHAUSTED
   */
  send(commands: readonly RedisCommand[], sending: SendBounds): Promise<readonly ReplyValue[]>;
  /**
   * A connection for one caller, within the endpoint's caps: for blocking commands, sessions,
   * transactions, subscriptions.
   * @param keys in a cluster, the node of the first is meant; without, any master
   * @throws GatewayError POOL_EXHAUSTED, CONNECTION_FAILED, TIMED_OUT, ADDRESS_REFUSED, BAD_REQUEST CROSSSLOT
   */
  borrow(keys: readonly Uint8Array[], signal: AbortSignal): Promise<BorrowedLink>;
  close(): Promise<void>;
}

/** A connection for one caller, until it is given back. */
export interface BorrowedLink extends RedisLink {
  /** Gives it back: `clean` when nothing was left on it, else it is reset (RESET) or ended. */
  release(clean: boolean): void;
}
