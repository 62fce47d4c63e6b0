/**
 * Commands without a key that mean the whole of a cluster: sent to every master, their replies
 * made one. Source: the `request_policy` and `response_policy` of redis.io/docs/latest/develop/reference/command-tips.
 */
import { ReplyError, type ReplyValue } from '../../../kinds/redis/reply-value.ts';

/** Makes one reply of all masters'. */
type Join = (replies: readonly ReplyValue[]) => ReplyValue;

const joins: { readonly [type: string]: Join } = {
  dbsize: sum,
  keys: listed,
  flushall: succeeded,
  flushdb: succeeded,
  'script load': succeeded,
  'script flush': succeeded,
  'script exists': everywhere,
  'function load': succeeded,
  'function delete': succeeded,
  'function flush': succeeded,
  'function restore': succeeded,
  'config set': succeeded,
  'config resetstat': succeeded,
  'config rewrite': succeeded,
  'pubsub channels': distinct,
  'pubsub shardchannels': distinct,
};

/** How the replies of all masters become one; undefined for a command that one node answers. */
export function joinOf(type: string): Join | undefined {
  return Object.hasOwn(joins, type) ? joins[type] : undefined;
}

function errorIn(replies: readonly ReplyValue[]): ReplyError | undefined {
  return replies.find((reply) => reply instanceof ReplyError);
}

/** The first reply, unless one is an error. */
function succeeded(replies: readonly ReplyValue[]): ReplyValue {
  return errorIn(replies) ?? replies[0] ?? null;
}

function sum(replies: readonly ReplyValue[]): ReplyValue {
  const whole = replies.reduce<number>((total, reply) => total + Number(reply), 0);
  return errorIn(replies) ?? whole;
}

function listed(replies: readonly ReplyValue[]): ReplyValue {
  return errorIn(replies) ?? replies.flatMap((reply) => (Array.isArray(reply) ? reply : []));
}

function distinct(replies: readonly ReplyValue[]): ReplyValue {
  const all = listed(replies);
  if (!Array.isArray(all)) return all;
  const names = all.map((name): [string, ReplyValue] => [
    name instanceof Uint8Array ? Buffer.from(name).toString('latin1') : String(name),
    name,
  ]);
  return [...new Map(names).values()];
}

/** Of lists of 0 and 1, where all have 1. */
function everywhere(replies: readonly ReplyValue[]): ReplyValue {
  const refusal = errorIn(replies);
  const [first] = replies;
  if (refusal || !Array.isArray(first)) return refusal ?? null;
  return first.map((_, index) =>
    Math.min(...replies.map((reply) => (Array.isArray(reply) ? Number(reply[index]) : 0))),
  );
}
