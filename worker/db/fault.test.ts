/** What a log says about a failed statement: the storage's own word, and nothing from what was sent. */
import { env } from 'cloudflare:test';
import { Code, ConnectError } from '@connectrpc/connect';
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { type Bindings, databaseOf } from '../context.ts';
import { loggedFault, storageFault } from './fault.ts';
import { accounts } from './schema.ts';

const bindings = env as unknown as Bindings; // wrangler.toml binds them.
const SECRET = 'a-password-hash-that-no-log-may-hold';

test('a statement that fails is logged without its text and its parameters', async () => {
  const fails = databaseOf(bindings)
    .select({ x: sql`no_such_function(${SECRET})` })
    .from(accounts)
    .where(eq(accounts.username, SECRET));
  const thrown: unknown = await fails.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(String(thrown)).toContain(SECRET);
  const told = loggedFault(thrown);
  expect(told.cause).toMatch(/no such function/);
  expect(JSON.stringify(told)).not.toContain(SECRET);
  expect(JSON.stringify(told)).not.toContain('select');
  expect(told.stack).toMatch(/^\s+at /);
});

test('any other error is logged with its name, its message and where it was thrown', () => {
  const thrown = new TypeError('is no list');
  expect(loggedFault(thrown)).toEqual({
    cause: 'TypeError: is no list',
    stack: expect.stringMatching(/^\s+at /),
  });
  expect(loggedFault('a text')).toEqual({ cause: 'a text' });
});

test('of a long message the beginning is logged, and lines in it are no frames', () => {
  const message = `begin\n    at forged (a.ts:1)\n${'M'.repeat(20_000_000)}\n    at forged (b.ts:2)`;
  const { cause, stack = '' } = loggedFault(new TypeError(message, { cause: new Error(message) }));
  expect(cause).toMatch(/^TypeError: begin/);
  expect(cause.length).toBeLessThanOrEqual(4_000);
  expect(stack).toMatch(/^\s+at /);
  expect(stack).not.toContain('forged');
  expect(stack.length).toBeLessThanOrEqual(4_000);
});

test('what a node says is no fault of the storage', () => {
  expect(storageFault(new Error('x', { cause: new Error('SQLITE_FULL: disk') }))).toBe(
    'SQLITE_FULL',
  );
  expect(storageFault(new ConnectError('SQLITE_FULL: disk', Code.Internal))).toBeUndefined();
});
