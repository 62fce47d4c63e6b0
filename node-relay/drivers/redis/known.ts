/** What the table of commands says of one, for this driver. */
import type { Mode } from '../../../proto/driver.ts';
import type { RedisCommand, Word } from '../../../proto/kinds/redis/command.ts';
import { commandNamed } from '../../../proto/kinds/redis/table.ts';

/** A word as it is sent. */
export function wordBytes(word: Word): Uint8Array {
  return typeof word === 'string' ? Buffer.from(word) : Buffer.from(word.$bytes, 'base64');
}

/** The keys among a command's words. */
export function keysOf({ type, args }: RedisCommand): Uint8Array[] {
  const { keys } = commandNamed(type) ?? {};
  const [first] = args;
  return keys === undefined || first === undefined ? [] : [wordBytes(first)];
}

/** Whether a command may change something. */
export function modeOfCommand({ type }: RedisCommand): Mode {
  const flags = commandNamed(type)?.flags ?? 'w';
  return flags.includes('r') && !/[wa]/.test(flags) ? 'read' : 'write';
}
