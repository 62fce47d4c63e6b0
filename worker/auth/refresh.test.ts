/** POST and GET /auth/refresh, and what ends a token. */
import { env } from 'cloudflare:test';
import { and, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import { verifyToken } from '../access/tokens.ts';
import { accounts, memberships, organizations } from '../db/schema.ts';
import { failure, NOW, startGateway, type TestGateway } from '../test/gateway.ts';

const DAY_MS = 24 * 3600 * 1000;
const HOUR_MS = 3600 * 1000;
const refusal = (code: 'TOKEN_EXPIRED' | 'TOKEN_INVALID' | 'TOKEN_REVOKED', message: string) => ({
  status: 401,
  body: failure(code, message),
});
const EXPIRED = refusal('TOKEN_EXPIRED', 'Token has expired');
const REVOKED = refusal('TOKEN_REVOKED', 'Token is no longer valid');

async function refreshed(gateway: TestGateway, token: string): Promise<string> {
  const { status, body } = await gateway.call('POST', '/auth/refresh', undefined, token);
  expect(status).toBe(200);
  return (body as { token: string }).token;
}

describe.each(['POST', 'GET'])('%s /auth/refresh', (method) => {
  test.each(['Write', 'None', undefined] as const)(
    'answers both documented shapes to a member with the rule %s',
    async (level) => {
      const gateway = await startGateway(level);
      const { status, body } = await gateway.call(method, '/auth/refresh');
      const { token } = body as { token: string };
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          status: 'success',
          data: { token },
          token: expect.any(String),
          expires: '2026-01-01T01:00:00.000Z',
          user: { username: gateway.user.username, accessLevel: level ?? 'None' },
        },
      });
    },
  );
});

test('a new token keeps the time of the login, and is issued again', async () => {
  const gateway = await startGateway('Read');
  const first = await gateway.token();
  gateway.clock.now += HOUR_MS / 2;
  const second = await refreshed(gateway, first);
  expect(await verifyToken(gateway.settings, second, gateway.clock.now)).toEqual({
    ...(await verifyToken(gateway.settings, first, gateway.clock.now)),
    issuedAt: NOW + HOUR_MS / 2,
    expiresAt: NOW + (3 * HOUR_MS) / 2,
  });
});

test('it names the user as they are called now', async () => {
  const gateway = await startGateway('Read');
  const username = `renamed-${gateway.user.username}`;
  await drizzle(env.DB)
    .update(accounts)
    .set({ username })
    .where(eq(accounts.uuid, gateway.user.uuid));
  const { body } = await gateway.call('POST', '/auth/refresh');
  const { token } = body as { token: string };
  expect(body).toMatchObject({ user: { username } });
  expect((await verifyToken(gateway.settings, token, NOW)).userId).toBe(username);
});

test('a token that has expired is not refreshed', async () => {
  const gateway = await startGateway('Read');
  const token = await gateway.token();
  gateway.clock.now += HOUR_MS;
  expect(await gateway.call('POST', '/auth/refresh', undefined, token)).toEqual(EXPIRED);
});

test('a login can be refreshed for 30 days, and no token lives longer', async () => {
  const gateway = await startGateway('Read');
  const { user, organization, settings, clock } = gateway;
  const { issueToken } = await import('../access/tokens.ts');
  const subject = {
    userId: user.username,
    userUuid: user.uuid,
    orgId: organization.id,
    orgUuid: organization.uuid,
    loginAt: NOW,
  };
  clock.now = NOW + 30 * DAY_MS - HOUR_MS / 2;
  const { token } = await issueToken(settings, subject, clock.now);
  const last = await gateway.call('POST', '/auth/refresh', undefined, token);
  expect(last).toMatchObject({ status: 200, body: { expires: '2026-01-31T00:00:00.000Z' } });
  clock.now = NOW + 30 * DAY_MS;
  const { token: lastToken } = last.body as { token: string };
  expect(await gateway.call('POST', '/auth/refresh', undefined, lastToken)).toEqual(EXPIRED);
});

test('a shorter LOGIN_MAX_S ends logins that are older, though their tokens still live', async () => {
  const gateway = await startGateway('Read', { bindings: { LOGIN_MAX_S: '60' } });
  const longer = { ...gateway.settings, LOGIN_MAX_S: DAY_MS / 1000 };
  const { user, organization, clock } = gateway;
  const { issueToken } = await import('../access/tokens.ts');
  const { token } = await issueToken(
    longer,
    {
      userId: user.username,
      userUuid: user.uuid,
      orgId: organization.id,
      orgUuid: organization.uuid,
      loginAt: NOW,
    },
    NOW,
  );
  clock.now = NOW + 61_000;
  expect((await gateway.call('GET', '/help', undefined, token)).status).toBe(200);
  expect(await gateway.call('POST', '/auth/refresh', undefined, token)).toEqual(EXPIRED);
});

describe('a token is void, for a refresh at once', () => {
  const db = drizzle(env.DB);
  test.each([
    [
      'when the password was changed',
      ({ user }: TestGateway) =>
        db
          .update(accounts)
          .set({ passwordChangedAt: NOW + 1 })
          .where(eq(accounts.uuid, user.uuid)),
    ],
    [
      'when the account is gone',
      ({ user }: TestGateway) => db.delete(accounts).where(eq(accounts.uuid, user.uuid)),
    ],
    [
      'when the membership is gone',
      ({ user, organization }: TestGateway) =>
        db
          .delete(memberships)
          .where(
            and(eq(memberships.orgUuid, organization.uuid), eq(memberships.accountUuid, user.uuid)),
          ),
    ],
    [
      'when the organization is gone',
      ({ organization }: TestGateway) =>
        db.delete(organizations).where(eq(organizations.uuid, organization.uuid)),
    ],
  ])('%s', async (_when, change) => {
    const gateway = await startGateway('SuperAdmin');
    const token = await gateway.token();
    // What is remembered of the caller from here on is out of date below.
    expect((await gateway.call('GET', '/help', undefined, token)).status).toBe(200);
    await change(gateway);
    expect(await gateway.call('POST', '/auth/refresh', undefined, token)).toEqual(REVOKED);
  });
});

test('keys rotate without logging anyone out, and the key before the previous opens nothing', async () => {
  const [older, old, current] = ['a', 'b', 'c'].map((each) => each.repeat(32));
  const gateway = await startGateway('Read', { bindings: { JWT_SECRET: old } });
  const token = await gateway.token();
  const rotated = { ...gateway.bindings, JWT_SECRET: current, JWT_SECRET_PREVIOUS: old };
  const after = await startGateway('Read', { bindings: rotated });
  const next = await refreshed(after, token);
  const twice = await startGateway('Read', {
    bindings: { JWT_SECRET: older, JWT_SECRET_PREVIOUS: current },
  });
  expect(await twice.call('POST', '/auth/refresh', undefined, token)).toEqual(
    refusal('TOKEN_INVALID', 'Invalid token format'),
  );
  expect((await refreshed(twice, next)).length).toBeGreaterThan(0);
});
