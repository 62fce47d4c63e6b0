/**
 * What every command of every server is: a read, a write, for administrators. The lists are
 * committed, so that a change of one is seen. `SHOW_COMMANDS=1` prints them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isForAdmins, modeOfCommand } from '../../kinds/redis/effects.ts';
import { allCommands, commandNamed, isContainer } from '../../kinds/redis/table.ts';
import { type BackendKind, backend } from '../../test/servers/backends.ts';
import { commandsOf, type ServedCommand } from './commands.ts';
import { ADMIN_READS, ADMINS, READS, WRITES } from './effects.ts';

/** The class of a command by its name alone. */
function classOf(name: string): 'read' | 'write' | 'admin' {
  const command = { type: name, args: [] };
  if (isForAdmins(command)) return 'admin';
  return modeOfCommand(command);
}

const SERVERS: readonly BackendKind[] = ['redis', 'redis-7', 'valkey'];
const known = new Map<BackendKind, ServedCommand[]>();
beforeAll(async () => {
  for (const kind of SERVERS) known.set(kind, await commandsOf((await backend(kind)).url));
});

const sorted = (names: Iterable<string>) => [...names].sort();
const words = (text: string) => text.trim().split(/\s*,\s*/);

test('each command is in one of three lists, and it is the one that is committed', () => {
  const names = [...allCommands()]
    .map(({ name }) => name)
    .filter((name) => !isContainer(name) || name === 'command');
  const lists = Object.groupBy(names, classOf);
  expect(sorted(lists.read ?? [])).toEqual(sorted(words(READS)));
  expect(sorted(lists.admin ?? [])).toEqual(sorted(words(ADMINS)));
  expect(sorted(lists.write ?? [])).toEqual(sorted(words(WRITES)));
});

describe.each(SERVERS)('%s', (kind) => {
  const served = () => known.get(kind) ?? [];

  test('has no command that the table does not know', () => {
    const unknown = served().filter(({ name }) => commandNamed(name) === undefined);
    // Run tooling/redis-table/write-table.ts, give members of modules in kinds/redis/grammars,
    // and put the new names into the lists of tooling/redis-table/effects.ts.
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  test('calls nothing a read that is flagged to write, or for administrators', () => {
    const commands = served().filter(({ isContainer: has }) => !has);
    const reads = commands.filter(({ name }) => classOf(name) === 'read');
    const admins = commands.filter(({ name }) => classOf(name) === 'admin');
    const writes = commands.length - reads.length - admins.length;
    console.error(
      `${kind}: ${reads.length} read, ${writes} write, ${admins.length} are for administrators`,
    );
    if (process.env.SHOW_COMMANDS) {
      const lists = Object.groupBy(commands, ({ name }) => classOf(name));
      for (const [list, each] of Object.entries(lists)) {
        console.error(`${list}: ${each.map(({ name }) => name).join(', ')}`);
      }
    }
    const flagged = reads.filter(({ flags }) => flags.includes('write') || flags.includes('admin'));
    expect(flagged.map(({ name }) => name)).toEqual([]);
    const ofAdmins = reads.filter(({ categories }) => categories.includes('@admin'));
    expect(sorted(ofAdmins.map(({ name }) => name))).toEqual(sorted(ADMIN_READS));
  });

  test('has no command of its administrators that others may run', () => {
    const missed = served().filter(
      ({ name, categories }) =>
        categories.includes('@admin') && !ADMIN_READS.includes(name) && classOf(name) !== 'admin',
    );
    expect(missed.map(({ name }) => name)).toEqual([]);
  });
});

afterAll(() => known.clear());
