/** What a command names, for `config.allow`: keys, channels, and patterns of either. keys-and-doors.md §4. */
import { type RedisCommand, type Word, wordText } from './command.ts';
import { keysOf } from './keys.ts';
import { commandNamed } from './table.ts';

/** All that a command names; undefined where that cannot be known from it. */
interface CommandTargets {
  readonly keys: readonly Word[];
  /** In the servers' own form. */
  readonly patterns: readonly Word[];
}

const NOTHING: CommandTargets = { keys: [], patterns: [] };

/** They name no key, and answer none. */
const KEYLESS: ReadonlySet<string> = new Set([
  ...['ping', 'echo', 'time', 'multi', 'exec', 'discard', 'unwatch', 'wait', 'waitaof', 'lastsave'],
  ...['dbsize', 'command', 'command count', 'command info', 'command docs', 'command list', 'role'],
  ...['client id', 'client getname', 'client setname', 'client setinfo', 'lolwut', 'info'],
  ...['unsubscribe', 'punsubscribe', 'sunsubscribe', 'readonly', 'readwrite', 'asking'],
]);
/** They have keys, and reach beyond them: scripts, other servers and databases. */
const BEYOND = /^(?:eval|fcall|function|script|migrate|move|ft\.)/;
const CHANNELS: ReadonlySet<string> = new Set(['subscribe', 'ssubscribe']);

/** What a command names; undefined where that cannot be known from it. */
export function namedBy(command: RedisCommand): CommandTargets | undefined {
  const { type, args } = command;
  if (KEYLESS.has(type)) return NOTHING;
  if (type === 'scan') return scanned(args);
  if (CHANNELS.has(type)) return { keys: args, patterns: [] };
  if (type === 'psubscribe') return { keys: [], patterns: args };
  if (type === 'publish') return { keys: args.slice(0, 1), patterns: [] };
  if (BEYOND.test(type) || reachesBeyond(type, args)) return undefined;
  // Without any, the server has its own idea of where they are.
  const keys = commandNamed(type)?.keys === undefined ? [] : keysOf(command);
  return keys.length > 0 ? { keys, patterns: [] } : undefined;
}

/** Every key whose name fits the last pattern, so all have to be inside. */
function scanned(args: readonly Word[]): CommandTargets | undefined {
  const patterns = args.flatMap((word, at) =>
    at > 0 && isWord(word, 'MATCH') ? [args[at + 1] ?? ''] : [],
  );
  return patterns.length > 0 ? { keys: [], patterns } : undefined;
}

/** Options with which a command reaches keys that none of its words is. */
function reachesBeyond(type: string, args: readonly Word[]): boolean {
  const has = (...words: readonly string[]) =>
    args.slice(1).filter((each) => words.some((word) => isWord(each, word))).length;
  switch (type) {
    case 'sort':
    case 'sort_ro':
      return has('BY', 'GET') > 0;
    case 'copy':
      return has('DB') > 0;
    case 'georadius':
    case 'georadiusbymember':
      // Of several the last counts.
      return has('STORE', 'STOREDIST') > 1;
    default:
      return false;
  }
}

function isWord(word: Word, name: string): boolean {
  return wordText(word).toUpperCase() === name;
}
