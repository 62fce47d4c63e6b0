/** Changing and removing users: of oneself, of others, and what ends with it. */
import { env } from 'cloudflare:test';
import { and, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import { memberActivity, rules } from '../db/schema.ts';
import { LEVELS, reaches } from '../levels.ts';
import { givePassword, PASSWORD, storedAccount, tryLogin } from '../test/accounts.ts';
import { failure, insertEndpoint, NOW, startGateway } from '../test/gateway.ts';

const REVOKED = { status: 401, body: failure('TOKEN_REVOKED', 'Token is no longer valid') };
const NEW_PASSWORD = 'staple battery horse';

describe('of oneself', () => {
  test('all is changed, and every token of before ends', async () => {
    const gateway = await startGateway(undefined);
    const { uuid } = gateway.user;
    await givePassword(gateway.user);
    const username = `Ada-${uuid}`;
    const token = await gateway.token();
    const body = {
      username,
      password: NEW_PASSWORD,
      current_password: PASSWORD,
      description: "Countess; drop table 'x'",
    };
    expect(await gateway.call('PATCH', `/iam/users/${uuid}`, body, token)).toEqual({
      status: 200,
      body: {
        message: `User ${username} changed: log in again`,
        userId: username,
        updatedFields: ['username', 'password', 'description'],
      },
    });
    expect(await gateway.call('GET', '/help', undefined, token)).toEqual(REVOKED);
    expect((await tryLogin(gateway, { user: username })).status).toBe(401);
    const login = await tryLogin(gateway, { user: username, password: NEW_PASSWORD });
    const { token: fresh } = login.body as { token: string };
    expect(await gateway.call('GET', `/iam/users/${uuid}`, undefined, fresh)).toMatchObject({
      status: 200,
      body: { userId: username, description: body.description, lastModifiedBy: username },
    });
  });

  test('the record tells that a username was changed, and by whom', async () => {
    const gateway = await startGateway('Read');
    const { uuid } = gateway.user;
    const record = () => gateway.call('GET', `/iam/users/${uuid}`);
    expect(await record()).toMatchObject({ body: { lastModifiedBy: 'test' } });
    const username = `Grace-${uuid}`;
    const token = await gateway.token();
    expect(await gateway.call('PATCH', `/iam/users/${uuid}`, { username }, token)).toEqual({
      status: 200,
      body: {
        message: `User ${username} changed: log in again`,
        userId: username,
        updatedFields: ['username'],
      },
    });
    expect(await gateway.call('GET', '/help', undefined, token)).toEqual(REVOKED);
    gateway.clock.now += 1;
    expect(await record()).toMatchObject({
      body: { lastModified: new Date(NOW).toISOString(), lastModifiedBy: username },
    });
  });

  test('a wrong current password changes nothing', async () => {
    const gateway = await startGateway('Read');
    const { uuid, username } = gateway.user;
    await givePassword(gateway.user);
    const before = await storedAccount(username);
    const body = { username: 'x', password: NEW_PASSWORD, current_password: 'guess guess' };
    expect(await gateway.call('PATCH', `/iam/users/${uuid}`, body)).toEqual({
      status: 401,
      body: failure('INVALID_CREDENTIALS', 'Invalid credentials'),
    });
    expect(await storedAccount(username)).toEqual(before);
  });

  test("another's username is refused, in any letter case", async () => {
    const [gateway, other] = [await startGateway('Read'), await startGateway('Read')];
    const username = other.user.username.toUpperCase();
    const reply = await gateway.call('PATCH', `/iam/users/${gateway.user.uuid}`, { username });
    expect(reply).toEqual({
      status: 409,
      body: failure('ACCOUNT_EXISTS', `User ${username} already exists`),
    });
  });

  test.each([{ password: NEW_PASSWORD }, { current_password: PASSWORD }])(
    '%j alone is 400',
    async (body) => {
      const gateway = await startGateway('Read');
      const message = 'goes with password, and password with it';
      expect(await gateway.call('PATCH', `/iam/users/${gateway.user.uuid}`, { ...body })).toEqual({
        status: 400,
        body: failure('BAD_REQUEST', `current_password: ${message}`, [
          { path: 'current_password', message },
        ]),
      });
    },
  );
});

describe('of another', () => {
  test.each(LEVELS)('the description of a %s is changed by who is above', async (level) => {
    const owner = await startGateway('SuperAdmin');
    const [user, admin] = [await owner.addUser(level), await owner.addUser('Admin')];
    const change = async (by: string) =>
      (await owner.call('PATCH', `/iam/users/${user.uuid}`, { description: 'New' }, by)).status;
    const mayAdmin = !reaches(level, 'Admin');
    expect([await change(await owner.token(admin)), await change(await owner.token())]).toEqual([
      mayAdmin ? 200 : 403,
      200,
    ]);
  });

  test.each(['username', 'password'])('the %s is changed by nobody', async (field) => {
    const gateway = await startGateway('SuperAdmin');
    const { uuid, username } = await gateway.addUser('Read');
    const body =
      field === 'username' ? { username: 'y' } : { password: NEW_PASSWORD, current_password: 'x' };
    expect(await gateway.call('PATCH', `/iam/users/${uuid}`, body)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', `Only ${username} changes this ${field}`, [
        { rule: 'an account is changed by its owner', field },
      ]),
    });
  });
});

describe('removing', () => {
  test('ends membership, rules and tokens at once; the account remains', async () => {
    const gateway = await startGateway('SuperAdmin');
    const user = await gateway.addUser('Write');
    await givePassword(user);
    const subject = user.username;
    const entity = await insertEndpoint(gateway);
    await gateway.call('POST', '/iam/rbac/endpoints/subjects', { subject, access: 'Read', entity });
    const token = await gateway.token(user);
    expect((await gateway.call('GET', '/endpoints', undefined, token)).status).toBe(200);
    await gateway.settle();
    expect(await gateway.call('DELETE', `/iam/users/${subject}`)).toEqual({
      status: 200,
      body: {
        message: `User ${subject} removed from ${gateway.organization.id}`,
        userId: subject,
      },
    });
    expect(await gateway.call('GET', '/endpoints', undefined, token)).toEqual(REVOKED);
    expect((await tryLogin(gateway, { user: subject })).status).toBe(401);
    const db = drizzle(env.DB);
    expect([
      await db.select().from(rules).where(eq(rules.subject, user.uuid)),
      await db.select().from(memberActivity).where(eq(memberActivity.accountUuid, user.uuid)),
      (await storedAccount(subject))?.uuid,
    ]).toEqual([[], [], user.uuid]);
    expect((await gateway.call('POST', '/iam/users', ['None', subject])).status).toBe(200);
    expect(await gateway.call('GET', `/iam/rbac/endpoints/subjects/${subject}`)).toMatchObject({
      body: { endpoints: {} },
    });
  });

  test.each(['Admin', 'SuperAdmin'] as const)(
    'a %s needs SuperAdmin, also on an endpoint only',
    async (level) => {
      const gateway = await startGateway('SuperAdmin');
      const admin = await gateway.token(await gateway.addUser('Admin'));
      const [whole, partly] = [await gateway.addUser(level), await gateway.addUser('Read')];
      const entity = await insertEndpoint(gateway);
      const body = { subject: partly.username, access: level, entity };
      await gateway.call('POST', '/iam/rbac/endpoints/subjects', body);
      for (const { uuid } of [whole, partly]) {
        const path = `/iam/users/${uuid}`;
        expect(await gateway.call('DELETE', path, undefined, admin)).toEqual({
          status: 403,
          body: failure('FORBIDDEN', 'This operation needs SuperAdmin access on the organization'),
        });
        expect((await gateway.call('DELETE', path)).status).toBe(200);
      }
    },
  );

  test('leaves the last SuperAdmin, also when all go at the same time', async () => {
    const gateway = await startGateway('SuperAdmin');
    const { uuid } = gateway.user;
    expect(await gateway.call('DELETE', `/iam/users/${uuid}`)).toEqual({
      status: 409,
      body: failure('LAST_SUPER_ADMIN', 'The organization needs a user who is SuperAdmin'),
    });
    const others = [await gateway.addUser('SuperAdmin'), await gateway.addUser('SuperAdmin')];
    const users = [gateway.user, ...others];
    const replies = await Promise.all(
      users.map(async (user, at) => {
        const by = await gateway.token(users[(at + 1) % users.length]);
        return gateway.call('DELETE', `/iam/users/${user.uuid}`, undefined, by);
      }),
    );
    const left = await drizzle(env.DB)
      .select()
      .from(rules)
      .where(and(eq(rules.orgUuid, gateway.organization.uuid), eq(rules.level, 'SuperAdmin')));
    const removed = replies.filter(({ status }) => status === 200).length;
    expect([left.length > 0, left.length + removed]).toEqual([true, users.length]);
  });
});
