/** Promises of what is remembered of callers: no trip in the steady state, no stale right. */
import { env } from 'cloudflare:test';
import { and, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import { accounts, memberships, rules } from '../db/schema.ts';
import { failure, startGateway } from '../test/gateway.ts';
import { countTrips } from '../test/trips.ts';
import { forgetOrganization } from './policy.ts';

const db = drizzle(env.DB);

describe('a steady caller', () => {
  test('makes one trip to D1 for the first request and none for the next', async () => {
    const trips = countTrips(env.DB);
    const gateway = await startGateway('Read', { bindings: { DB: trips.binding } });
    const counted = [];
    for (let request = 0; request < 3; request += 1) {
      await gateway.call('GET', '/help');
      counted.push(trips.count());
    }
    expect(counted).toEqual([1, 1, 1]);
  });

  test('waits for no trip while what is remembered is renewed after the reply', async () => {
    const trips = countTrips(env.DB);
    const gateway = await startGateway('Read', { bindings: { DB: trips.binding } });
    await gateway.call('GET', '/help');
    gateway.clock.now += 700;
    trips.hold();
    expect((await gateway.call('GET', '/help')).status).toBe(200);
    trips.letGo();
    await gateway.settle();
    expect(trips.count()).toBe(2);
  });

  test('asks again once the time to live has passed', async () => {
    const trips = countTrips(env.DB);
    const gateway = await startGateway('Read', { bindings: { DB: trips.binding } });
    await gateway.call('GET', '/help');
    gateway.clock.now += 1_000;
    await gateway.call('GET', '/help');
    expect(trips.count()).toBe(2);
  });

  test('asks every time when POLICY_TTL_MS is 0', async () => {
    const trips = countTrips(env.DB);
    const bindings = { DB: trips.binding, POLICY_TTL_MS: '0' };
    const gateway = await startGateway('Read', { bindings });
    await gateway.call('GET', '/help');
    await gateway.call('GET', '/help');
    expect(trips.count()).toBe(2);
  });
});

describe('a token ends', () => {
  const revoked = { status: 401, body: failure('TOKEN_REVOKED', 'Token is no longer valid') };

  test('with the membership', async () => {
    const gateway = await startGateway('Read');
    await gateway.call('GET', '/help');
    await db.delete(memberships).where(eq(memberships.orgUuid, gateway.organization.uuid));
    forgetOrganization(gateway.organization.uuid);
    expect(await gateway.call('GET', '/help')).toEqual(revoked);
  });

  test('with a change of the password', async () => {
    const gateway = await startGateway('Read');
    const token = await gateway.token();
    await db
      .update(accounts)
      .set({ passwordChangedAt: gateway.clock.now + 1 })
      .where(eq(accounts.uuid, gateway.user.uuid));
    expect(await gateway.call('GET', '/help', undefined, token)).toEqual(revoked);
  });
});

test('a revoked right is gone for the next request of the isolate', async () => {
  const gateway = await startGateway('Read');
  expect((await gateway.call('GET', '/endpoints')).status).toBe(200);
  await db
    .delete(rules)
    .where(and(eq(rules.orgUuid, gateway.organization.uuid), eq(rules.subject, gateway.user.uuid)));
  forgetOrganization(gateway.organization.uuid);
  expect(await gateway.call('GET', '/endpoints')).toEqual({
    status: 403,
    body: failure('FORBIDDEN', 'This operation needs Read access on the organization'),
  });
});
