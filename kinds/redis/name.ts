/** A command's own name, however it was written: the first words say which command it is. */
import type { RedisCommand, Word } from './command.ts';
import { commandNamed, isContainer } from './table.ts';

/** Most characters of a name; no server's is as long. */
const NAME_MAX = 128;

/**
 * The command by its own name: `{type: 'xgroup create', args: ['orders', …]}` for `XGROUP` with
 * `CREATE` in front of its words, and for `xgroup|create`.
 */
export function commandFrom(type: string, args: readonly Word[]): RedisCommand {
  const words = namesIn(type);
  const [first = ''] = words;
  if (words.length > 1 || !isContainer(first)) return { type: words.join(' '), args };
  const [word, ...others] = args;
  const subcommand = word === undefined ? '' : asciiOf(word).toLowerCase();
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

/** A word's text; of bytes one character each. */
export function asciiOf(word: Word): string {
  return typeof word === 'string' ? word : atob(word.$bytes);
}
