/** Making users members: both forms, whose account it is, and who may give which level. */
import { describe, expect, test } from 'vitest';
import type { Level } from '../levels.ts';
import { givePassword, PASSWORD, storedAccount, tryLogin } from '../test/accounts.ts';
import { failure, startGateway, type TestGateway } from '../test/gateway.ts';

const fresh = () => `user-${crypto.randomUUID()}@example.com`;
const added = (userId: string, what: string, accessLevel: Level) => ({
  status: 200,
  body: { message: `User ${userId} ${what}`, userId, accessLevel },
});
const exists = (username: string) => ({
  status: 409,
  body: failure(
    'ACCOUNT_EXISTS',
    `User ${username} already exists: name it with the password it has, or as [level, user]`,
  ),
});
const isMember = (username: string) => ({
  status: 409,
  body: failure('MEMBERSHIP_EXISTS', `User ${username} is a member already`),
});
const add = (gateway: TestGateway, body: object) =>
  gateway.call('POST', '/iam/users', Array.isArray(body) ? body : { ...body });

describe('an existing account', () => {
  test.each(['username', 'uuid'] as const)('is made a member by its %s', async (name) => {
    const gateway = await startGateway('Admin');
    const { user } = await startGateway('Read');
    expect(await add(gateway, ['Write', user[name]])).toEqual(
      added(user.username, 'was added', 'Write'),
    );
    expect(await gateway.call('GET', `/iam/rbac/subjects/${user.uuid}/organizations`)).toEqual({
      status: 200,
      body: { subject: user.username, organizations: { [gateway.organization.id]: 'Write' } },
    });
  });

  test('that is a member already keeps its level', async () => {
    const gateway = await startGateway('Admin');
    const { username } = await gateway.addUser('Read');
    expect(await add(gateway, ['Write', username])).toEqual(isMember(username));
    expect(await add(gateway, { username, access_level: 'Write' })).toEqual(isMember(username));
    const path = `/iam/rbac/subjects/${username}/organizations`;
    expect((await gateway.call('GET', path)).body).toEqual({
      subject: username,
      organizations: { [gateway.organization.id]: 'Read' },
    });
  });

  test('is made a member once, however many ask at the same time', async () => {
    const gateway = await startGateway('Admin');
    const { user } = await startGateway('Read');
    const replies = await Promise.all([1, 2, 3].map(() => add(gateway, ['Read', user.username])));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  test.each(["' or 1=1 --", '%', 'group:ops', 'nobody@example.com', crypto.randomUUID()])(
    'is not found by %s',
    async (name) => {
      const gateway = await startGateway('Admin');
      expect(await add(gateway, ['Read', name])).toEqual({
        status: 404,
        body: failure('USER_NOT_FOUND', 'User not found in organization'),
      });
    },
  );

  test('is not taken over by naming it', async () => {
    const gateway = await startGateway('Admin');
    const { user } = await startGateway('Read');
    await givePassword(user);
    const { username } = user;
    const before = await storedAccount(username);
    expect(await add(gateway, { username })).toEqual(exists(username));
    expect(await add(gateway, { username, password: 'not the password' })).toEqual(
      exists(username),
    );
    expect(await storedAccount(username)).toEqual(before);
    const body = { username, password: PASSWORD, access_level: 'Read' };
    expect(await add(gateway, body)).toEqual(added(username, 'was added', 'Read'));
  });

  test.each([
    ['a mailer', { MAIL_URL: 'http://mail.test' }, 409],
    ['REQUIRE_VERIFIED_ACCOUNTS', { REQUIRE_VERIFIED_ACCOUNTS: 'true' }, 409],
    [
      'a mailer that asks for nothing',
      { MAIL_URL: 'http://mail.test', REQUIRE_VERIFIED_ACCOUNTS: 'false' },
      200,
    ],
    ['neither', {}, 200],
  ])('of another organization, never verified, with %s: %3$i', async (_with, bindings, status) => {
    const gateway = await startGateway('Admin', { bindings });
    const { user } = await startGateway('Read');
    const refused = {
      status: 409,
      body: failure(
        'ACCOUNT_UNVERIFIED',
        `User ${user.username} must complete a password reset first`,
      ),
    };
    const expected = status === 409 ? refused : added(user.username, 'was added', 'Read');
    expect(await add(gateway, ['Read', user.username])).toEqual(expected);
  });
});

describe('a new account', () => {
  test('is made with a password, and logs in', async () => {
    const gateway = await startGateway('Admin');
    const username = fresh();
    const body = {
      username,
      password: 'open sesame, please',
      description: 'Cave',
      access_level: 'Read',
    };
    expect(await add(gateway, body)).toEqual(added(username, 'was created', 'Read'));
    const login = await tryLogin(gateway, { user: username, password: 'open sesame, please' });
    expect(login).toMatchObject({ status: 200, body: { user: { username, accessLevel: 'Read' } } });
  });

  test('without a password is sent a link to set one', async () => {
    const sent: Request[] = [];
    const gateway = await startGateway('Admin', {
      bindings: { MAIL_URL: 'http://mail.test/send', OWN_URL: 'http://127.0.0.1:8787' },
      fetch: async (request) => {
        sent.push(request.clone());
        return new Response();
      },
    });
    const username = fresh();
    const message = 'was created; a link to set a password is on its way';
    expect(await add(gateway, { username })).toEqual(added(username, message, 'None'));
    await gateway.settle();
    const mails = await Promise.all(sent.map((each) => each.json<{ to: string; link: string }>()));
    expect(mails.map(({ to }) => to)).toEqual([username]);
    expect(mails[0]?.link).toMatch(/^http:\/\/127\.0\.0\.1:8787\/docs\?token=/);
    const token = new URL(mails[0]?.link ?? '').searchParams.get('token');
    const body = { username, token, new_password: 'open sesame, please' };
    expect((await gateway.call('POST', '/auth/password/reset', body, '')).status).toBe(200);
    const login = await tryLogin(gateway, { user: username, password: 'open sesame, please' });
    expect(login.status).toBe(200);
  });

  test('is sent no link where nobody knows where it would lead, which the reply says', async () => {
    const gateway = await startGateway('Admin', {
      bindings: { MAIL_URL: 'http://mail.test/send' },
    });
    const username = fresh();
    const message =
      'was created; no link to set a password was sent, as neither PUBLIC_URL nor RESET_REDIRECT_URLS is set';
    // Mail that is sent would fail the request: nothing outside is reachable.
    expect(await add(gateway, { username })).toEqual(added(username, message, 'None'));
  });

  test('is sent no link where there is no mailer, which the reply says', async () => {
    const gateway = await startGateway('Admin', {
      bindings: { PUBLIC_URL: 'https://gateway.example' },
    });
    const username = fresh();
    const message =
      'was created; no link to set a password was sent, as this gateway has no mailer (MAIL_URL)';
    expect(await add(gateway, { username })).toEqual(added(username, message, 'None'));
  });

  test('is made once, however many ask at the same time', async () => {
    const gateways = [await startGateway('Admin'), await startGateway('Admin')];
    const username = fresh();
    const replies = await Promise.all(gateways.map((gateway) => add(gateway, { username })));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const members = await Promise.all(
      gateways.map(async (each) => (await each.call('GET', `/iam/users/${username}`)).status),
    );
    expect(members.toSorted()).toEqual([200, 404]);
  });

  test.each(["o'hara", '"', '` -- ;', '__proto__', '株式会社'])(
    'may be called %s, by any caller',
    async (prefix) => {
      const gateway = await startGateway('Admin');
      const username = `${prefix} ${crypto.randomUUID()}`;
      expect((await add(gateway, { username, access_level: 'Read' })).status).toBe(200);
      const path = `/iam/users/${encodeURIComponent(username.toUpperCase())}`;
      expect(await gateway.call('GET', path)).toMatchObject({
        status: 200,
        body: { userId: username },
      });
    },
  );

  test.each([
    [
      { username: 'a:b' },
      'username',
      'must be 1 to 255 characters, without control characters and colons',
    ],
    [
      { username: 'group:ops' },
      'username',
      'must be 1 to 255 characters, without control characters and colons',
    ],
    [{ username: crypto.randomUUID() }, 'username', 'may not be a UUID'],
    [{ username: 'a', password: 'short' }, 'password', 'must have at least 8 characters'],
    [
      { username: 'a', level: 'Read' },
      'body',
      '"level" is not known; did you mean "access_level"?',
    ],
    [
      ['read', 'a'],
      '0',
      'must be one of "None", "Read", "Write", "Admin", "SuperAdmin"; did you mean "Read"?',
    ],
  ])('of %j is 400', async (body, path, message) => {
    const gateway = await startGateway('Admin');
    expect(await add(gateway, body)).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', `${path}: ${message}`, [{ path, message }]),
    });
  });
});

describe('Admin and SuperAdmin', () => {
  test.each(['Admin', 'SuperAdmin'] as const)('%s is given by a SuperAdmin only', async (level) => {
    const { user } = await startGateway('Read');
    const bodies = [[level, user.username], { username: fresh(), access_level: level }];
    const [admin, superAdmin] = [await startGateway('Admin'), await startGateway('SuperAdmin')];
    for (const body of bodies) {
      expect(await add(admin, body)).toEqual({
        status: 403,
        body: failure('FORBIDDEN', 'This operation needs SuperAdmin access on the organization'),
      });
      expect((await add(superAdmin, body)).status).toBe(200);
    }
  });
});
