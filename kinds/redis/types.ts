/** Types of requests to Redis: every command of the table, and those of ours. */
import type { Mode } from '../../proto/driver.ts';
import { modeOfCommand } from './effects.ts';
import { allCommands, isContainer } from './table.ts';

/** Those that answer events for as long as the caller stays. Contract §6, "Subscriptions". */
export const WATCHES = ['subscribe', 'psubscribe', 'ssubscribe', 'monitor'] as const;

/** The mode of each type, where its commands are not looked at. */
export const TYPES: { readonly [type: string]: Mode } = Object.fromEntries([
  ...[...allCommands()]
    .filter(({ name }) => name === 'command' || !isContainer(name))
    .map(({ name }): [string, Mode] => [name, modeOfCommand({ type: name, args: [] })]),
  ['pipeline', 'write'],
  ['raw_command', 'write'],
  ['raw_command_read_only', 'read'],
]);
