/** Where in a cluster a command goes. */

import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { keysOf } from '../../../kinds/redis/keys.ts';
import { commandNamed, isContainer } from '../../../kinds/redis/table.ts';
import { slotOf } from './key-slot.ts';
import { wordBytes } from './words.ts';

/**
 * The slot of a command's first key; undefined when it has none. Of a command that the table does
 * not know the first word is taken for a key: the node says MOVED where that is right, and what it
 * is where it is wrong.
 */
export function slotOfCommand(command: RedisCommand): number | undefined {
  const plain = canonical(command);
  const [key] = commandNamed(plain.type) ? keysOf(plain) : plain.args;
  return key === undefined ? undefined : slotOf(wordBytes(key));
}

/** With its subcommand in its name, wherever the caller has it. */
export function canonical(command: RedisCommand): RedisCommand {
  const type = command.type.toLowerCase();
  const [subcommand, ...args] = command.args;
  if (!isContainer(type) || typeof subcommand !== 'string') return { ...command, type };
  return { type: `${type} ${subcommand.toLowerCase()}`, args };
}
