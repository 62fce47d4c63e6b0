/** A connection for one caller to a node of a cluster: it moves to the right node before it holds any state. */

import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { ReplyError, type ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { BorrowedLink, SendBounds } from './link.ts';
import type { Address } from './settings.ts';
import { type Redirection, redirectionOf } from './slot-map.ts';

/** Nodes that one call may be sent on to. */
const REDIRECTIONS_MAX = 5;

const ASKING: RedisCommand = { type: 'asking', args: [] };

/** What the link needs of its cluster. */
interface Neighbours {
  moved(redirection: Redirection): void;
  borrowAt(address: Address, signal: AbortSignal): Promise<BorrowedLink>;
}

/** Stands for the connection to one node. */
export class ClusterLink implements BorrowedLink {
  onPush: ((message: ReplyValue) => void) | undefined;
  onLost: ((cause: Error) => void) | undefined;
  readonly #neighbours: Neighbours;
  #link: BorrowedLink;
  #address: Address;
  /** Nothing that a command has left is on the connection: it may be another's as well. */
  #fresh = true;
  #released = false;

  constructor(link: BorrowedLink, address: Address, neighbours: Neighbours) {
    this.#neighbours = neighbours;
    this.#link = link;
    this.#address = address;
    this.#listen();
  }

  get lost(): Error | undefined {
    return this.#link.lost;
  }

  async send(
    commands: readonly RedisCommand[],
    sending: SendBounds,
  ): Promise<readonly ReplyValue[]> {
    for (let hop = 0; ; hop += 1) {
      const replies = await this.#link.send(commands, sending);
      const redirection = this.#redirectionIn(replies);
      if (!redirection) {
        this.#fresh = false;
        return replies;
      }
      const mayFollow = this.#fresh && hop < REDIRECTIONS_MAX && hasDoneNothing(commands, replies);
      if (!mayFollow) return replies.map((reply) => withoutAddress(reply, this.#address));
      if (redirection.kind === 'moved') this.#neighbours.moved(redirection);
      await this.#moveTo(redirection.address, sending.signal);
      const asked = redirection.kind === 'ask' && commands.length === 1;
      if (!asked) continue;
      this.#fresh = false;
      const [, ...own] = await this.#link.send([ASKING, ...commands], sending);
      return own.map((reply) => withoutAddress(reply, this.#address));
    }
  }

  cut(): void {
    this.#link.cut();
  }

  pause(): void {
    this.#link.pause();
  }

  resume(): void {
    this.#link.resume();
  }

  release(clean: boolean): void {
    this.#released = true;
    this.#link.release(clean);
  }

  #listen(): void {
    const link = this.#link;
    link.onPush = (message) => this.onPush?.(message);
    link.onLost = (cause) => {
      if (link === this.#link && !this.#released) this.onLost?.(cause);
    };
  }

  #redirectionIn(replies: readonly ReplyValue[]): Redirection | undefined {
    for (const reply of replies) {
      const redirection = redirectionOf(reply, this.#address);
      if (redirection) return redirection;
    }
    return undefined;
  }

  async #moveTo(address: Address, signal: AbortSignal): Promise<void> {
    const next = await this.#neighbours.borrowAt(address, signal);
    const before = this.#link;
    this.#link = next;
    this.#address = address;
    this.#listen();
    before.onPush = undefined;
    before.onLost = undefined;
    before.release(false);
    if (!this.#released) return;
    next.release(true);
    throw new GatewayError('CONNECTION_FAILED', 'The connection was given back');
  }
}

/** Whether commands that were sent to the wrong node have changed nothing there: all refused, or queued and dropped. */
function hasDoneNothing(
  commands: readonly RedisCommand[],
  replies: readonly ReplyValue[],
): boolean {
  const last = replies.at(-1);
  const isDropped = last instanceof ReplyError && last.code === 'EXECABORT';
  if (commands[0]?.type === 'multi') return isDropped;
  return replies.every((reply) => reply instanceof ReplyError);
}

/** A redirection names an address, which is not for callers. */
function withoutAddress(reply: ReplyValue, asked: Address): ReplyValue {
  if (!redirectionOf(reply, asked) || !(reply instanceof ReplyError)) return reply;
  return new ReplyError(`${reply.code} The key is on another node than this connection`);
}
