/** POST and GET /auth/login. */
import { env } from 'cloudflare:test';
import { and, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import { verifyToken } from '../access/tokens.ts';
import { accounts, memberships } from '../db/schema.ts';
import type { Level } from '../levels.ts';
import {
  basic,
  givePassword,
  hashOf,
  PASSWORD,
  storedAccount,
  storeHash,
  tryLogin,
} from '../test/accounts.ts';
import { failure, NOW, startGateway, type TestGateway } from '../test/gateway.ts';

/** A gateway whose user can log in with `PASSWORD`. */
async function startWithPassword(level: Level | undefined) {
  const gateway = await startGateway(level);
  await givePassword(gateway.user);
  return gateway;
}

const sessionOf = ({ user }: TestGateway, accessLevel: string) => ({
  token: expect.any(String),
  expires: '2026-01-01T01:00:00.000Z',
  user: { username: user.username, accessLevel },
});
const REFUSED = { status: 401, body: failure('INVALID_CREDENTIALS', 'Invalid credentials') };

describe.each(['POST', 'GET'] as const)('%s /auth/login', (method) => {
  test('answers a token of the documented claims, its end and the user', async () => {
    const gateway = await startWithPassword('Write');
    const reply = await tryLogin(gateway, { method });
    expect(reply).toEqual({ status: 200, body: sessionOf(gateway, 'Write') });
    const { token } = reply.body as { token: string };
    const [header, payload] = token.split('.', 2).map((part) => JSON.parse(atob(part)));
    const { organization, user } = gateway;
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(payload).toEqual({
      user_id: user.username,
      user_uuid: user.uuid,
      org_id: organization.id,
      org_uuid: organization.uuid,
      iat: NOW / 1000,
      exp: NOW / 1000 + 3600,
      jti: expect.stringMatching(new RegExp(`^${NOW}\\.${NOW}\\.[0-9a-f-]{36}$`)),
    });
  });

  test('a password of 64 bytes of Unicode, with colons and quotes, is taken as it is', async () => {
    const gateway = await startGateway('Read');
    const password = `:"'密码🔑:${'ß'.repeat(25)}`;
    await storeHash(gateway.user, await hashOf(password));
    expect(new TextEncoder().encode(password).byteLength).toBe(64);
    expect((await tryLogin(gateway, { method, password })).status).toBe(200);
    expect(await tryLogin(gateway, { method, password: password.slice(0, -1) })).toEqual(REFUSED);
  });
});

describe('whom a login names', () => {
  test.each([
    [
      'the organization by UUID',
      ({ organization }: TestGateway) => organization.uuid.toUpperCase(),
    ],
    ['the organization by id', ({ organization }: TestGateway) => organization.id],
  ])('%s', async (_what, named) => {
    const gateway = await startWithPassword('Write');
    const reply = await tryLogin(gateway, { organization: named(gateway) });
    expect(reply).toEqual({ status: 200, body: sessionOf(gateway, 'Write') });
  });

  test.each([
    ['the user by UUID', ({ user }: TestGateway) => user.uuid.toUpperCase()],
    ['the user in another letter case', ({ user }: TestGateway) => user.username.toUpperCase()],
  ])('%s', async (_what, named) => {
    const gateway = await startWithPassword('Write');
    const reply = await tryLogin(gateway, { user: named(gateway) });
    expect(reply).toEqual({ status: 200, body: sessionOf(gateway, 'Write') });
  });

  test.each([undefined, 'None', 'Read', 'SuperAdmin'] as const)(
    'a member with the rule %s on the organization',
    async (level) => {
      const gateway = await startWithPassword(level);
      const reply = await tryLogin(gateway);
      expect(reply).toEqual({ status: 200, body: sessionOf(gateway, level ?? 'None') });
    },
  );
});

describe('a login is refused', () => {
  const quotes = `' or '1'='1`;
  test.each([
    ['an unknown organization', { organization: 'org-unknown' }],
    ['an unknown organization by UUID', { organization: crypto.randomUUID() }],
    ['quotes in the organization', { organization: quotes }],
    ['an unknown user', { user: 'unknown@example.com' }],
    ['an unknown user by UUID', { user: crypto.randomUUID() }],
    ['quotes in the username', { user: `${quotes}"\`;--` }],
    ['no username', { user: '' }],
    ['a wrong password', { password: `${PASSWORD}.` }],
    ['quotes in the password', { password: quotes }],
  ])('for %s, in the same words', async (_what, attempt) => {
    const gateway = await startWithPassword('Write');
    expect(await tryLogin(gateway, attempt)).toEqual(REFUSED);
  });

  test('for a user of another organization, and for an account without a password', async () => {
    const gateway = await startWithPassword('SuperAdmin');
    const stranger = await startGateway('SuperAdmin');
    expect(await tryLogin(gateway, { organization: stranger.organization.id })).toEqual(REFUSED);
    expect(await tryLogin(stranger)).toEqual(REFUSED);
  });

  test('after as much work whether the user exists or not', async () => {
    const gateway = await startWithPassword('Write');
    const time = async (attempt: Parameters<typeof tryLogin>[1]) => {
      const started = performance.now();
      await tryLogin(gateway, attempt);
      return performance.now() - started;
    };
    let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let turn = 0; turn < 5; turn += 1) {
      known = Math.min(known, await time({ password: 'wrong' }));
      unknown = Math.min(unknown, await time({ user: 'unknown' }));
    }
    // A login without a hash takes some 2 ms.
    expect(unknown).toBeGreaterThan(known / 4);
  });

  const noPassword = {
    status: 400,
    body: failure('PASSWORD_REQUIRED', 'password not provided', [
      { path: 'Authorization', message: 'must be Basic, with username and password' },
    ]),
  };
  test.each([
    ['no credentials', ''],
    ['a bearer token', 'Bearer abc'],
    ['a scheme alone', 'Basic'],
    ['no base64', 'Basic ***'],
    ['no UTF-8', `Basic ${btoa('\xff\xfe:password')}`],
    ['no colon', `Basic ${btoa('ada')}`],
    ['an empty password', basic('ada', '')],
  ])('for %s', async (_what, sent) => {
    const gateway = await startGateway('Read');
    expect(await tryLogin(gateway, { headers: { Authorization: sent } })).toEqual(noPassword);
  });

  test.each(['', '  '])('without X-Org-Id (%j), whatever else is missing', async (organization) => {
    const gateway = await startGateway('Read');
    const headers = { Authorization: '' };
    expect(await tryLogin(gateway, { organization, headers })).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', 'The header X-Org-Id is required', [
        { path: 'X-Org-Id', message: 'is required: the id of the organization' },
      ]),
    });
  });
});

test('a login is remembered on the membership, after the reply', async () => {
  const gateway = await startWithPassword('Write');
  const { organization, user } = gateway;
  await tryLogin(gateway);
  gateway.clock.now += 5000;
  await tryLogin(gateway);
  await tryLogin(gateway, { password: 'wrong password' });
  await gateway.settle();
  const [row] = await drizzle(env.DB)
    .select({ at: memberships.lastLoginAt, count: memberships.loginCount })
    .from(memberships)
    .where(and(eq(memberships.orgUuid, organization.uuid), eq(memberships.accountUuid, user.uuid)));
  expect(row).toEqual({ at: NOW + 5000, count: 2 });
});

test('a hash of older parameters is replaced at login, and ends no token', async () => {
  const gateway = await startGateway('Read');
  const { user } = gateway;
  const older = '$scrypt$ln=10,r=8,p=16$TmFDbA$_bq-HJ00cgB4VucZDQHp_nxq18vII3gw53N2Y0s3MWI';
  await storeHash(user, older);
  const reply = await tryLogin(gateway, { password: 'password' });
  await gateway.settle();
  const row = await storedAccount(user.username);
  expect(row?.passwordHash).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$/);
  expect((await tryLogin(gateway, { password: 'password' })).status).toBe(200);
  const { token } = reply.body as { token: string };
  expect((await gateway.call('GET', '/help', undefined, token)).status).toBe(200);
});

test('a token that was issued in the millisecond of a change of the password is after it', async () => {
  const gateway = await startWithPassword('Write');
  await drizzle(env.DB)
    .update(accounts)
    .set({ passwordChangedAt: NOW + 1 })
    .where(eq(accounts.uuid, gateway.user.uuid));
  const { token } = (await tryLogin(gateway)).body as { token: string };
  expect((await verifyToken(gateway.settings, token, NOW)).issuedAt).toBe(NOW + 1);
  expect((await gateway.call('GET', '/help', undefined, token)).status).toBe(200);
});
