/** Each example of a command becomes the words that redis-cli would send. */
import { expect, test } from 'vitest';
import type { RedisCommand } from '../command.ts';
import { plainName } from '../grammar.ts';
import { RedisRequest } from '../request.ts';
import { splitLine } from '../split.ts';
import { allCommands, commandFrom } from '../table.ts';
import { FAMILIES } from './examples/index.ts';
import { LINES } from './test/lines/index.ts';

const examples = Object.values(FAMILIES).flatMap((family) => Object.entries(family));
const lines = LINES.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

/** The command of a line. */
function commandOf(line: string): RedisCommand {
  const [name, ...args] = splitLine(line) ?? [];
  return commandFrom(String(name), args);
}

test('members of every command can be read, and all that is counted is there', () => {
  const counted = [...allCommands()].flatMap(({ name, grammar }) =>
    (grammar?.nodes ?? []).map((node) => ({ name, node, slots: grammar?.slots })),
  );
  const astray = counted.filter(
    ({ node, slots }) => node.is === 'count' && slots?.has(plainName(node.of)) !== true,
  );
  expect(astray.map(({ name }) => name)).toEqual([]);
});

test('there is one of each command that clients know members of', () => {
  expect(examples.length).toBe(480);
  expect(new Set(examples.map(([type]) => type)).size).toBe(480);
  expect(lines.length).toBe(480);
});

test.each(examples.map(([type, members], at) => [lines[at] ?? '', { type, ...members }] as const))(
  '%s',
  (line, request) => {
    const parsed = RedisRequest.parse(request);
    expect(parsed).toEqual(commandOf(line));
    expect(parsed.type).toBe(request.type);
    // As the relay reads what the worker sent.
    expect(RedisRequest.parse(JSON.parse(JSON.stringify(parsed)))).toEqual(parsed);
  },
);

test.each(examples)('%s refuses a member that it does not have, by its name', (type, members) => {
  const { error } = RedisRequest.safeParse({ type, ...members, not_there: 1 });
  expect(error?.issues[0]?.path).toEqual(['not_there']);
  expect(error?.issues[0]?.message).toMatch(/^is not a member of this command/);
});
