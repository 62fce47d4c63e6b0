/** Commands that `/read` takes, with words that are valid, over keys of every type. */

import type { RedisCommand, Word } from '../../../kinds/redis/command.ts';
import { LINES } from '../../../kinds/redis/describe/test/lines/index.ts';
import { modeOfCommand } from '../../../kinds/redis/effects.ts';
import { splitLine } from '../../../kinds/redis/split.ts';
import { commandFrom } from '../../../kinds/redis/table.ts';
import { CORE } from '../../../node-relay/drivers/redis/test/differential/core.ts';
import {
  JSON_VALUES,
  PROBABLE,
  SERIES,
  VECTORS,
} from '../../../node-relay/drivers/redis/test/differential/modules.ts';
import { SEARCH } from '../../../node-relay/drivers/redis/test/differential/search.ts';
import { SERVER } from '../../../node-relay/drivers/redis/test/differential/server.ts';
import { SORTED, STREAMS } from '../../../node-relay/drivers/redis/test/differential/sets.ts';
import { commandsIn } from '../../../node-relay/drivers/redis/test/differential/words.ts';

/** They would empty or move what the others have filled. */
const EMPTYING = /^(?:FLUSHALL|FLUSHDB|SWAPDB|SELECT|CONFIG RESETSTAT|DEBUG|FT\.DROPINDEX)\b/i;

/** A command as words, and as the request that it is. */
export interface Case {
  readonly words: readonly Buffer[];
  readonly command: RedisCommand;
  readonly reads: boolean;
}

/** A command of words. */
export function caseOf(words: readonly Buffer[]): Case {
  const [name = Buffer.alloc(0), ...rest] = words;
  const args = rest.map((bytes): Word => {
    const text = bytes.toString();
    return Buffer.from(text).equals(bytes) ? text : { $bytes: bytes.toString('base64') };
  });
  const command = commandFrom(name.toString().toLowerCase(), args);
  return { words, command, reads: modeOfCommand(command) === 'read' };
}

/** Every type of key, and every command on it, one after another. */
export function filling(): Case[] {
  const groups = [CORE, SORTED, STREAMS, JSON_VALUES, PROBABLE, SERIES, VECTORS, SEARCH, SERVER];
  return groups
    .flatMap(commandsIn)
    .filter((words) => !EMPTYING.test(words.join(' ')))
    .map(caseOf);
}

/** One example of every command that reads, with every option. */
export function examples(): Case[] {
  return LINES.split('\n').flatMap((line) => {
    const words = line === '' || line.startsWith('#') ? undefined : splitLine(line);
    if (words === undefined || words.length === 0) return [];
    const each = caseOf(
      words.map((word) =>
        typeof word === 'string' ? Buffer.from(word) : Buffer.from(word.$bytes, 'base64'),
      ),
    );
    return each.reads ? [each] : [];
  });
}

/** Numbers from a seed. Source: mulberry32. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const COMMON = [
  '0',
  '-1',
  '1',
  '2',
  '*',
  '-',
  '+',
  'WITHSCORES',
  'LATEST',
  'COUNT',
  '0.5',
  '$',
  '',
];

/** Another of the same command: some words are keys of any type, others such as commands take. */
export function varied(
  { words }: Case,
  keys: readonly Buffer[],
  random: (below: number) => number,
): Case {
  const [name = Buffer.alloc(0), ...rest] = words;
  const any = <Each>(list: readonly Each[]): Each | undefined => list[random(list.length)];
  // The words of a name and of a family's subcommand stay.
  const isFamily = caseOf(words).command.type.includes(' ');
  const args = rest.map((word, at) => {
    if (isFamily && at === 0) return word;
    const choice = random(at === 0 ? 2 : 6);
    if (choice === 0) return any(keys) ?? word;
    return choice === 1 && at > 0 ? Buffer.from(any(COMMON) ?? '') : word;
  });
  if (random(8) === 0) args.pop();
  if (random(8) === 0) args.push(any(keys) ?? Buffer.alloc(0));
  return caseOf([name, ...args]);
}
