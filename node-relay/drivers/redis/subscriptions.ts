/** Says what a server says about subscriptions from replies: with RESP2 both look alike. Source: redis.io/docs/latest/develop/pubsub. */
import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { ReplyStatus, type ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { ProtocolError } from './scalars.ts';

/** The kind of subscription that a command or message is about. */
const KINDS: { readonly [word: string]: 'channels' | 'patterns' | 'shards' } = {
  subscribe: 'channels',
  unsubscribe: 'channels',
  psubscribe: 'patterns',
  punsubscribe: 'patterns',
  ssubscribe: 'shards',
  sunsubscribe: 'shards',
};
const MESSAGES: ReadonlySet<string> = new Set(['message', 'pmessage', 'smessage']);
/** MONITOR's lines come as simple strings: time, database and client, then the command. */
const MONITORED = /^\d+\.\d+ \[/;

/** Characters of names of one connection, each counting as some more. Spec silent. */
const NAMES_MAX = 67_108_864;
const NAME_COST = 64;

/** Whether a command is answered by one confirmation for each of its channels, not by a reply. */
export function isConfirmed({ type }: RedisCommand): boolean {
  return Object.hasOwn(KINDS, type);
}

/** One connection's subscriptions. */
export class Subscriptions {
  readonly #names = {
    channels: new Set<string>(),
    patterns: new Set<string>(),
    shards: new Set<string>(),
  };
  /** Characters of all names that were ever added. */
  #length = 0;
  /** Confirmations to come for the command that is being answered; 0 before its first. */
  #left = 0;
  /** MONITOR was asked for. */
  monitoring = false;

  /** Whether the connection gets messages now. */
  get any(): boolean {
    const { channels, patterns, shards } = this.#names;
    return channels.size + patterns.size + shards.size > 0;
  }

  /** Whether a reply answers no command: a message, or a line that the server sends by itself. */
  isMessage(value: ReplyValue): boolean {
    if (value instanceof ReplyStatus) return this.monitoring && MONITORED.test(value.text);
    const kind = kindOf(value);
    return kind !== undefined && (MESSAGES.has(kind) || Object.hasOwn(KINDS, kind));
  }

  /**
   * Takes note of a message.
   * @param asked the command whose answer is next
   * @returns whether the message is the last that answers it
   */
  note(message: ReplyValue, asked: RedisCommand | undefined): boolean {
    const kind = kindOf(message);
    const names = kind === undefined ? undefined : KINDS[kind];
    if (kind === undefined || names === undefined || !Array.isArray(message)) return false;
    const set = this.#names[names];
    const isAnswer = asked?.type === kind;
    if (isAnswer && this.#left === 0) this.#left = asked.args.length || Math.max(1, set.size);
    const name = latin1In(message[1]);
    if (kind.includes('unsubscribe')) set.delete(name);
    else this.#add(set, name);
    if (!isAnswer) return false;
    this.#left -= 1;
    return this.#left === 0;
  }

  /** @throws ProtocolError when a server confirms more than was asked for */
  #add(set: Set<string>, name: string): void {
    if (set.has(name)) return;
    this.#length += name.length + NAME_COST;
    if (this.#length > NAMES_MAX) throw new ProtocolError('too many subscriptions');
    set.add(name);
  }

  /** All have ended. */
  clear(): void {
    for (const names of Object.values(this.#names)) names.clear();
    this.monitoring = false;
  }

  /** The command that was being answered has got an error instead. */
  refused(): void {
    this.#left = 0;
  }
}

function kindOf(value: ReplyValue): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const [first] = value;
  return first instanceof Uint8Array && first.length <= 12 ? latin1In(first) : undefined;
}

function latin1In(value: ReplyValue | undefined): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : '';
}
