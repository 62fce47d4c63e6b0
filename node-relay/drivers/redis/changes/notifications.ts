/** Reads Redis's keyspace notifications: which key, what happened to it. Source: redis.io/docs/latest/develop/pubsub/keyspace-notifications. */
import { naturalJson } from '../../../../kinds/redis/replies/index.ts';
import { utf8Of } from '../../../../kinds/redis/replies/natural.ts';
import type { ReplyValue } from '../../../../kinds/redis/reply-value.ts';
import type { ChangeOperation } from '../../../../proto/changes.ts';

/** One notification. */
export interface Notice {
  /** As it was subscribed to. */
  readonly pattern: string;
  readonly key: Uint8Array;
  readonly event: string;
}

/** Keys that are no longer there after it. */
const DELETES = new Set(['del', 'expired', 'evicted', 'rename_from', 'move_from']);
/** What changes no value: times to live, readers of streams, reads of nothing. */
const ASIDE =
  /^(?:expire|persist|hexpire|hpersist|keymiss|new|overwritten|type_changed|xgroup-.*|xsetid)$/;

/** The pattern of the channel of a key or pattern of keys. */
export function channelOf(database: number, key: string): string {
  return `__keyspace@${database}__:${key}`;
}

/** What a push reports, as one line of text; undefined for any other push. */
export function noticeText(push: ReplyValue): string | undefined {
  if (!Array.isArray(push)) return undefined;
  const [kind = null, pattern = null, channel = null, event = null]: readonly ReplyValue[] = push;
  if (utf8Of(kind) !== 'pmessage' || !(channel instanceof Uint8Array)) return undefined;
  const key = channel.subarray(channel.indexOf(0x3a) + 1);
  return JSON.stringify([utf8Of(pattern), Buffer.from(key).toString('base64'), utf8Of(event)]);
}

/** Reads it back. */
export function noticeOf(bytes: Uint8Array): Notice {
  // What `noticeText` wrote.
  const [pattern, key, event] = JSON.parse(Buffer.from(bytes).toString()) as [
    string,
    string,
    string,
  ];
  return { pattern, key: Buffer.from(key, 'base64'), event };
}

/** What happened; undefined where no value changed. @param isNew the server said before that the key is new */
export function operationOf({ event }: Notice, isNew: boolean): ChangeOperation | undefined {
  if (DELETES.has(event)) return 'delete';
  if (ASIDE.test(event)) return undefined;
  return isNew ? 'insert' : 'update';
}

/** A key as JSON text: of bytes that are no text `{"$bytes": …}`. */
export function keyJson(key: Uint8Array): string {
  return naturalJson(key, { numbersAsStrings: false });
}
