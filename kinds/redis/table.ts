/** The table of commands: what servers say about them, and what is added by hand; and which command a name is. */

import { type RedisCommand, type Word, wordText } from './command.ts';
import { COMMANDS } from './generated/commands.ts';
import { MODULES } from './generated/modules.ts';
import { SUBCOMMANDS } from './generated/subcommands.ts';
import { grammarOf, type Scope } from './grammar.ts';
import { GRAMMARS } from './grammars.ts';

/** What is known of a command. */
export interface CommandEntry {
  /** In lower case, with its subcommand after a blank. */
  readonly name: string;
  /** Servers that have it: `8` and `7` of Redis, `v` of Valkey; empty for what only servers hide. */
  readonly servers: string;
  /** As in the generated tables. */
  readonly flags: string;
  /** Where its keys are, as in the generated tables; undefined without any. */
  readonly keys: string | undefined;
  /** Its members; undefined where only `args` say what is meant. */
  readonly grammar: Scope | undefined;
}

/** Where keys are, where a server's own account of it is wrong or none. In the notation of the generated tables. */
const KEYS: Readonly<Record<string, string>> = {
  'cms.merge': '1,2#0:1:1',
  'json.mget': '1:-2',
  'tdigest.merge': '1,2#0:1:1',
  'ts.createrule': '1:1',
  'ts.deleterule': '1:1',
  'memory usage': '2',
};

/** Most characters of a name; no server's is as long. */
const NAME_MAX = 128;

const entries = new Map<string, CommandEntry>();
/** Commands whose first word is a subcommand. */
const containers = new Set<string>();

const rows = [COMMANDS, SUBCOMMANDS, MODULES].flatMap((each) => each.trim().split('\n'));
// As in one table: a command is before its subcommands.
for (const line of rows.toSorted()) {
  const [key = '', servers = '', flags = '', keys = '', ...grammar] = line.split(' ');
  const name = key.replace('|', ' ');
  if (flags.includes('c')) containers.add(name);
  add(name, servers, flags, keys, grammar.join(' '));
}
// Search and JSON look for their subcommands themselves, so that servers tell nothing about them.
for (const name of Object.keys(GRAMMARS)) {
  const [parent = '', subcommand] = name.split(' ');
  if (entries.has(name) || subcommand === undefined) continue;
  const { servers = '', flags = '-', keys = '-' } = entries.get(parent) ?? {};
  containers.add(parent);
  add(name, servers, flags, keys, '');
}

function add(name: string, servers: string, flags: string, keys: string, generated: string): void {
  let grammar: Scope | undefined;
  const own = GRAMMARS[name];
  const isModule = name.includes('.') || /^v[a-z]+$/.test(name);
  entries.set(name, {
    name,
    servers,
    flags: flags === '-' ? '' : flags,
    keys: KEYS[name] ?? (keys === '-' ? undefined : keys),
    get grammar() {
      // Servers tell nothing about the members of their modules' commands.
      if (own === undefined && isModule && generated === '') return undefined;
      grammar ??= grammarOf(own ?? generated);
      return grammar;
    },
  });
}

/** All commands, by name. */
export function allCommands(): Iterable<CommandEntry> {
  return entries.values();
}

/** The command of that name in lower case. */
export function commandNamed(name: string): CommandEntry | undefined {
  return entries.get(name);
}

/** Whether a command's first word is its subcommand. */
export function isContainer(name: string): boolean {
  return containers.has(name);
}

/**
 * The command by its own name: `{type: 'xgroup create', args: ['orders', …]}` for `XGROUP` with
 * `CREATE` in front of its words, and for `xgroup|create`.
 */
export function commandFrom(type: string, args: readonly Word[]): RedisCommand {
  const words = namesIn(type);
  const [first = ''] = words;
  if (words.length > 1 || !isContainer(first)) return { type: words.join(' '), args };
  const [word, ...others] = args;
  const subcommand = word === undefined ? '' : wordText(word).toLowerCase();
  // What no server knows as a subcommand stays where it was.
  const name = `${first} ${subcommand}`;
  return commandNamed(name) === undefined ? { type: first, args } : { type: name, args: others };
}

/** Whether a type can be a command's name. */
export function isName(type: string): boolean {
  return type.length <= NAME_MAX && /^[!-~]+(?: +[!-~]+)?$/.test(type.trim());
}

/** In lower case, one or two words. */
function namesIn(type: string): string[] {
  return type.trim().toLowerCase().split(/ +|\|/);
}
