/** POST /auth/password/reset: starting one, and completing it. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { accounts } from '../db/schema.ts';
import { givePassword, PASSWORD, storedAccount, tryLogin } from '../test/accounts.ts';
import { failure, NOW, startGateway } from '../test/gateway.ts';
import { mailbox } from '../test/mailbox.ts';

const REDIRECT = 'https://app.test/reset';
const NEW_PASSWORD = 'another horse: "another" battery';
const STARTED = {
  status: 200,
  body: {
    message: 'If there is such an account, a link to reset its password is on its way',
    requestId: expect.any(String),
  },
};
const COMPLETED = {
  status: 200,
  body: { message: 'The password was changed: log in with it', requestId: expect.any(String) },
};
const REFUSED = {
  status: 400,
  body: failure('RESET_TOKEN_INVALID', 'The reset token is unknown, was used, or has expired'),
};

/** A gateway whose user has a password, and a mailbox for what it sends. */
async function start() {
  const box = mailbox();
  const gateway = await startGateway('Read', box.setup);
  await givePassword(gateway.user);
  const reset = (body: Json) => gateway.call('POST', '/auth/password/reset', body, '');
  return {
    ...gateway,
    gateway,
    box,
    reset,
    /** Starts a reset and answers its token. */
    async tokenFor(email: string): Promise<string> {
      expect(await reset({ email, redirectUrl: REDIRECT })).toEqual(STARTED);
      await gateway.settle();
      return box.token();
    },
    complete: (token: string, username = gateway.user.username, password = NEW_PASSWORD) =>
      reset({ username, token, new_password: password }),
  };
}

test('starting a reset sends a link to the address that is stored', async () => {
  const { user, box, tokenFor } = await start();
  await tokenFor(user.username.toUpperCase());
  const link = expect.stringMatching(/^https:\/\/app\.test\/reset\?token=[\w-]{43}$/);
  expect(box.delivered).toEqual([
    {
      url: 'https://mail.test/send',
      authorization: 'Bearer mail-token',
      mail: { to: user.username, subject: 'Set a new password', text: expect.any(String), link },
    },
  ]);
  expect(box.delivered[0]?.mail.text).toContain(box.delivered[0]?.mail.link);
});

test('an unknown address is answered alike, and nothing is sent', async () => {
  const { box, tokenFor } = await start();
  await tokenFor('unknown@example.com');
  expect(box.delivered).toEqual([]);
});

test('the reply does not wait for the mail, nor tell that it failed', async () => {
  const box = mailbox(500);
  const gateway = await startGateway('Read', box.setup);
  const body = { email: gateway.user.username, redirectUrl: REDIRECT };
  expect(await gateway.call('POST', '/auth/password/reset', body, '')).toEqual(STARTED);
  expect(box.delivered).toEqual([]);
  await gateway.settle();
  expect(box.delivered).toHaveLength(1);
});

test('completing a reset sets the password, and ends every token issued before', async () => {
  const { gateway, user, tokenFor, complete } = await start();
  const before = await gateway.token();
  expect((await gateway.call('GET', '/help', undefined, before)).status).toBe(200);
  const token = await tokenFor(user.username);
  expect(await complete(token)).toEqual(COMPLETED);
  const revoked = { status: 401, body: failure('TOKEN_REVOKED', 'Token is no longer valid') };
  expect(await gateway.call('GET', '/help', undefined, before)).toEqual(revoked);
  expect((await tryLogin(gateway)).status).toBe(401);
  const reply = await tryLogin(gateway, { password: NEW_PASSWORD });
  const { token: after } = reply.body as { token: string };
  expect((await gateway.call('GET', '/help', undefined, after)).status).toBe(200);
  expect((await storedAccount(user.username))?.verifiedAt).toBe(NOW);
});

test('the account may be named by its UUID', async () => {
  const { user, tokenFor, complete } = await start();
  const token = await tokenFor(user.username);
  expect(await complete(token, user.uuid)).toEqual(COMPLETED);
});

describe('a token', () => {
  test('completes one reset, also when it is used twice at once', async () => {
    const { gateway, user, tokenFor, complete } = await start();
    const token = await tokenFor(user.username);
    const passwords = ['first password', 'second password'];
    const replies = await Promise.all(
      passwords.map((password) => complete(token, user.username, password)),
    );
    expect(replies).toContainEqual(COMPLETED);
    expect(replies).toContainEqual(REFUSED);
    const winner = passwords[replies[0]?.status === 200 ? 0 : 1] ?? '';
    expect((await tryLogin(gateway, { password: winner })).status).toBe(200);
    expect(await complete(token)).toEqual(REFUSED);
  });

  test('lives for 30 minutes', async () => {
    const { clock, user, tokenFor, complete } = await start();
    const token = await tokenFor(user.username);
    clock.now = NOW + 30 * 60_000;
    expect(await complete(token)).toEqual(REFUSED);
    clock.now -= 1;
    expect(await complete(token)).toEqual(COMPLETED);
  });

  test('of an earlier reset ends with the one that is completed', async () => {
    const { user, tokenFor, complete } = await start();
    const [first, second] = [await tokenFor(user.username), await tokenFor(user.username)];
    expect(await complete(second)).toEqual(COMPLETED);
    expect(await complete(first)).toEqual(REFUSED);
  });

  test('is good for the name that it was sent to only, also if it was stored after the change', async () => {
    const { gateway, user, tokenFor, complete } = await start();
    const token = await tokenFor(user.username);
    const username = `new-${user.username}`;
    // As if the reset had read the account just before.
    await drizzle(env.DB).update(accounts).set({ username }).where(eq(accounts.uuid, user.uuid));
    expect(await complete(token)).toEqual(REFUSED);
    expect(await complete(token, user.uuid)).toEqual(REFUSED);
    expect((await storedAccount(username))?.verifiedAt).toBeNull();
    expect((await tryLogin(gateway, { user: user.uuid })).status).toBe(200);
  });

  test('is good for its own account only, and an unknown account is answered alike', async () => {
    const { gateway, user, tokenFor, complete } = await start();
    const other = await gateway.addUser('SuperAdmin');
    const token = await tokenFor(user.username);
    expect(await complete(token, other.username)).toEqual(REFUSED);
    expect(await complete(token, 'unknown@example.com')).toEqual(REFUSED);
    expect(await complete(token, "' or ''='")).toEqual(REFUSED);
    expect(await complete(`${token}x`)).toEqual(REFUSED);
    expect((await tryLogin(gateway, { password: PASSWORD })).status).toBe(200);
  });
});

describe('a body that is not as it should be changes nothing', () => {
  const fault = (path: string, message: string) => ({
    status: 400,
    body: failure('BAD_REQUEST', `${path}: ${message}`, [{ path, message }]),
  });
  test.each([
    [
      'an unknown member of the first shape',
      { email: 'a@b.test', redirectUrl: REDIRECT, colour: 'red' },
      fault('body', '"colour" is not known; known are email, redirectUrl'),
    ],
    [
      'members of both shapes',
      { username: 'a', token: 't', new_password: NEW_PASSWORD, email: 'a@b.test' },
      fault('body', '"email" is not known; known are username, token, new_password'),
    ],
    [
      'a short password',
      { username: 'a', token: 't', new_password: 'short' },
      fault('new_password', 'must have at least 8 characters'),
    ],
    ['no token', { username: 'a', new_password: NEW_PASSWORD }, fault('token', 'is required')],
    ['no object', [], fault('body', 'must be an object, not an array')],
    ['no body', undefined, fault('body', 'is required')],
  ])('%s', async (_what, body, expected) => {
    const { gateway } = await start();
    expect(await gateway.call('POST', '/auth/password/reset', body, '')).toEqual(expected);
  });
});
