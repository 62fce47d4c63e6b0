/** Where in a cluster a command goes. */
import type { RedisCommand, Word } from '../../../proto/kinds/redis/command.ts';
import { slotOf } from './key-slot.ts';

/** Commands without a key; of any other the first word is taken for one. */
const KEYLESS = new Set([
  'ping',
  'echo',
  'info',
  'time',
  'dbsize',
  'keys',
  'scan',
  'flushall',
  'flushdb',
  'randomkey',
  'publish',
  'subscribe',
  'unsubscribe',
  'psubscribe',
  'punsubscribe',
  'monitor',
  'role',
  'lastsave',
  'wait',
  'waitaof',
  'multi',
  'exec',
  'discard',
  'unwatch',
  'reset',
  'hello',
  'auth',
  'select',
]);
const KEYLESS_PARENTS =
  /^(?:acl|client|cluster|command|config|function|latency|module|pubsub|script|slowlog|memory (?!usage)) /;

/** The slot of a command's first key; undefined when it has none. */
export function slotOfCommand(command: RedisCommand): number | undefined {
  const { type, args } = command;
  if (KEYLESS.has(type) || KEYLESS_PARENTS.test(`${type} `)) return undefined;
  const [first] = args;
  return first === undefined ? undefined : slotOf(bytesOf(first));
}

function bytesOf(word: Word): Uint8Array {
  return typeof word === 'string' ? Buffer.from(word) : Buffer.from(word.$bytes, 'base64');
}
