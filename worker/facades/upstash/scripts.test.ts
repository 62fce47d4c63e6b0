/** Scripts with a flag of Upstash's own: sent without it, known by the digests of what was written. */

import { expect, test } from 'vitest';
import { hexOf } from '../../../proto/bytes.ts';
import type { Commands } from './commands.ts';
import { withOwnDigests, withoutKeyLocking } from './scripts.ts';

const command = (type: string, ...args: string[]): Commands => ({
  way: 'command',
  commands: [{ type, args }],
});
const sent = async (asked: Commands, owner = 'a') => (await withoutKeyLocking(owner, asked)).sent;

async function digestOf(script: string): Promise<string> {
  const bytes = new TextEncoder().encode(script);
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-1', bytes)));
}

const BODY = '\nreturn redis.call("GET", KEYS[1])';
const FLAGGED = `#!lua flags=allow-key-locking${BODY}`;
const PLAIN = `#!lua${BODY}`;
const [OWN, THEIRS] = await Promise.all([digestOf(FLAGGED), digestOf(PLAIN)]);
const OTHER = await digestOf('x');

test.each([
  [FLAGGED, PLAIN],
  [`#!lua flags=no-writes,allow-key-locking${BODY}`, `#!lua flags=no-writes${BODY}`],
  [
    `#!lua flags=allow-key-locking,no-writes,allow-stale${BODY}`,
    `#!lua flags=no-writes,allow-stale${BODY}`,
  ],
  [`#!lua name=x flags=allow-key-locking${BODY}`, `#!lua name=x${BODY}`],
])('%j is sent as %j', async (script, expected) => {
  for (const type of ['eval', 'eval_ro']) {
    expect(await sent(command(type, script, '1', 'k'))).toEqual(command(type, expected, '1', 'k'));
  }
  expect(await sent(command('script', 'load', script))).toEqual(
    command('script', 'load', expected),
  );
});

test.each([
  PLAIN,
  `#!lua flags=no-writes${BODY}`,
  'return "#!lua flags=allow-key-locking"',
  'return 1\n#!lua flags=allow-key-locking',
  '#!lua flags=allow-key-locking-too',
])('%j is sent as it is', async (script) => {
  const asked = command('eval', script, '0');
  expect(await sent(asked)).toEqual(asked);
});

test('a digest means the script that was sent, for the endpoint alone that it was sent to', async () => {
  const asked = (type: string, ...args: string[]) => command(type, ...args);
  await sent(asked('eval', FLAGGED, '0'));
  expect(await sent(asked('evalsha', OWN.toUpperCase(), '0', OWN))).toEqual(
    asked('evalsha', THEIRS, '0', OWN),
  );
  expect(await sent(asked('script', 'EXISTS', OWN, OTHER))).toEqual(
    asked('script', 'EXISTS', THEIRS, OTHER),
  );
  expect(await sent(asked('evalsha', OWN, '0'), 'b')).toEqual(asked('evalsha', OWN, '0'));
});

test.each([
  [
    'json',
    (own: string) => `[{"result":9007199254740993},{"result":"${own}"},{"result":"${THEIRS}"}]`,
  ],
  [
    'base64',
    (own: string) =>
      `[{"result":9007199254740993},{"result":"${btoa(own)}"},{"result":"${btoa(THEIRS)}"}]`,
  ],
] as const)(
  'what is loaded is told by its own digest, and nothing else, in %s',
  async (form, text) => {
    const commands = [
      { type: 'incrbyfloat', args: ['a', '1.1'] },
      { type: 'script', args: ['LOAD', FLAGGED] },
      { type: 'get', args: ['digest'] },
    ];
    const sendable = await withoutKeyLocking('a', { way: 'pipeline', commands });
    const reply = new TextEncoder().encode(text(THEIRS));
    const told = await withOwnDigests(reply, sendable, form);
    expect(await new Response(told).text()).toBe(text(OWN));
  },
);

test('what is loaded is told by its own digest in RESP', async () => {
  const sendable = await withoutKeyLocking('a', command('script', 'load', FLAGGED));
  const reply = Uint8Array.of(0xff, ...Buffer.from(`$40\r\n${THEIRS}\r\n`));
  const told = await withOwnDigests(reply, sendable, 'resp2');
  expect(
    Buffer.from(told as Uint8Array)
      .subarray(1)
      .toString(),
  ).toBe(`$40\r\n${OWN}\r\n`);
});
