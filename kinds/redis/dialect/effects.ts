/** What commands do to the connection that they come on. Source: redis.io/docs/latest/commands. */
import type { RedisCommand, Word } from '../command.ts';
import { optionName } from '../replies/words.ts';

/** Leave something on their connection, which no other caller may meet. */
const STATEFUL = new Set([
  ...['multi', 'exec', 'discard', 'watch', 'unwatch', 'select', 'readonly', 'readwrite', 'asking'],
  ...['client tracking', 'client caching', 'client setname', 'client setinfo', 'client capa'],
  ...['client no-evict', 'client no-touch', 'client import-source'],
]);

/** Commands that end the connection, or change its protocol or user: callers may never send them. */
const NEVER: Readonly<Record<string, string>> = {
  auth: "changes who is on the connection: the endpoint's configuration says who that is",
  hello: "changes who is on the connection: the endpoint's configuration says who that is",
  reset: 'forgets who is on the connection: end the session instead',
  quit: 'ends the connection: end the session instead',
  'client reply': 'would leave requests without their replies',
  'script debug': 'needs a terminal',
  sync: 'is for replicas',
  psync: 'is for replicas',
  replconf: 'is for replicas',
};

/** Answered by events. */
const SUBSCRIBING = new Set(['subscribe', 'psubscribe', 'ssubscribe', 'monitor']);
const UNSUBSCRIBING = new Set(['unsubscribe', 'punsubscribe', 'sunsubscribe']);

/** Commands whose first word belongs to their name, as far as it matters here. */
const CONTAINERS = new Set(['client', 'script']);

/**
 * A command as it is sent where nothing may change. PFCOUNT of one key keeps its estimate in the
 * key's bytes; of the same key twice it counts the union, which is the same, and keeps nothing.
 * Contract §6.
 */
export function withoutTrace(command: RedisCommand): RedisCommand {
  const { type, args } = command;
  const [only] = args;
  if (type !== 'pfcount' || only === undefined || args.length > 1) return command;
  return { ...command, args: [only, only] };
}

/** What a command does to its connection. */
export type Effect =
  | 'none'
  /** Only in a session. */
  | 'state'
  | 'subscribe'
  | 'unsubscribe'
  /** Waits for others. */
  | 'wait'
  | { readonly refused: string };

/** The name as this file has it, however the words are divided among type and arguments. */
export function canonicalName({ type, args }: RedisCommand): string {
  const [first = '', second = optionName(args[0])] = type.trim().toLowerCase().split(/\s+/);
  return CONTAINERS.has(first) ? `${first} ${second.toLowerCase()}` : first;
}

/** Types that do nothing to their connection, remembered: nearly all requests have one of them. */
const plain = new Map<string, boolean>();
const PLAIN_MAX = 1_000;

function isPlain(type: string): boolean {
  const known = plain.get(type);
  if (known !== undefined) return known;
  const name = canonicalName({ type, args: [] });
  const isSpecial =
    Object.hasOwn(NEVER, name) ||
    [STATEFUL, SUBSCRIBING, UNSUBSCRIBING, LAST, FIRST, OFTEN].some((each) => each.has(name));
  const [parent = ''] = name.split(' ');
  if (plain.size >= PLAIN_MAX) plain.clear();
  plain.set(type, !isSpecial && !CONTAINERS.has(parent));
  return !isSpecial && !CONTAINERS.has(parent);
}

/** What a command does to its connection. */
export function effectOf(command: RedisCommand): Effect {
  if (isPlain(command.type)) return 'none';
  const name = canonicalName(command);
  const refused = Object.hasOwn(NEVER, name) ? NEVER[name] : undefined;
  if (refused !== undefined) return { refused };
  if (STATEFUL.has(name)) return 'state';
  if (SUBSCRIBING.has(name)) return 'subscribe';
  if (UNSUBSCRIBING.has(name)) return 'unsubscribe';
  return waitPlace(command) === undefined ? 'none' : 'wait';
}

/** Where a command says how long it waits at most, and in what; 0 is for ever. */
interface WaitPlace {
  readonly at: number;
  readonly unit: 's' | 'ms';
  /** Its own answer says that it waited without success: a number of servers. */
  readonly answersAnyway?: true;
}

const LAST = new Set(['blpop', 'brpop', 'bzpopmin', 'bzpopmax', 'blmove', 'brpoplpush']);
const FIRST = new Set(['blmpop', 'bzmpop']);
/** Those that wait by an option, or answer anyway. */
const OFTEN = new Set(['xread', 'xreadgroup', 'wait', 'waitaof']);

/** Where a command says how long it waits; undefined for one that does not wait. */
export function waitPlace(command: RedisCommand): WaitPlace | undefined {
  const name = canonicalName(command);
  const { args } = command;
  if (LAST.has(name)) return { at: args.length - 1, unit: 's' };
  if (FIRST.has(name)) return { at: 0, unit: 's' };
  if (name === 'wait' || name === 'waitaof') {
    return { at: args.length - 1, unit: 'ms', answersAnyway: true };
  }
  return name === 'xread' || name === 'xreadgroup' ? blockOf(args) : undefined;
}

/** Words that an option of XREAD and XREADGROUP takes with itself: a group or consumer may be called as an option is. */
const TAKEN: Readonly<Record<string, number>> = { BLOCK: 2, COUNT: 2, CLAIM: 2, GROUP: 3 };

/** As servers read it: options in any order; the last counts, until STREAMS. */
function blockOf(args: readonly Word[]): WaitPlace | undefined {
  let place: WaitPlace | undefined;
  for (let at = 0; at < args.length; ) {
    const option = optionName(args[at]);
    if (option === 'STREAMS') return place;
    if (option === 'BLOCK') place = { at: at + 1, unit: 'ms' };
    at += TAKEN[option] ?? 1;
  }
  return place;
}
