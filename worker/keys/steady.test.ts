/** What is remembered of keys: no trip to D1 in the steady state, and no stale right. Contract §4, last point. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import { apiKeys } from '../db/keys.ts';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';
import { makeKey, makeOwnKey } from '../test/keys.ts';
import { countTrips } from '../test/trips.ts';

const db = drizzle(env.DB);

describe('a steady caller with a key', () => {
  test.each([
    ['an organization’s', makeKey],
    ['a personal one', makeOwnKey],
  ])('makes no trip to D1: %s', async (_sort, make) => {
    const trips = countTrips(env.DB);
    const gateway = await startGateway('Admin', { bindings: { DB: trips.binding } });
    const { key } = await make(gateway, { access_level: 'Read' });
    const before = trips.count();
    const counted = [];
    for (let request = 0; request < 4; request += 1) {
      await gateway.call('GET', '/help', undefined, key);
      counted.push(trips.count() - before);
    }
    // Which key it is, and what it may.
    expect(counted).toEqual([2, 2, 2, 2]);
  });

  test('waits for none while what is remembered is renewed after the reply', async () => {
    const trips = countTrips(env.DB);
    const gateway = await startGateway('Admin', { bindings: { DB: trips.binding } });
    const { key } = await makeKey(gateway, { access_level: 'Read' });
    await gateway.call('GET', '/help', undefined, key);
    await gateway.settle();
    gateway.clock.now += 700;
    trips.hold();
    expect((await gateway.call('GET', '/help', undefined, key)).status).toBe(200);
    trips.letGo();
    await gateway.settle();
  });

  test('after a pause makes one, as with another token', async () => {
    const trips = countTrips(env.DB);
    const gateway = await startGateway('Admin', { bindings: { DB: trips.binding } });
    const { key } = await makeKey(gateway, { access_level: 'Read' });
    await gateway.call('GET', '/help', undefined, key);
    await gateway.settle();
    gateway.clock.now += 60_000;
    trips.hold();
    const before = trips.count();
    const reply = gateway.call('GET', '/help', undefined, key);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(trips.count() - before).toBe(1);
    trips.letGo();
    expect((await reply).status).toBe(200);
  });

  test('costs what another costs in the steady state: one trip after a reply, for both what is remembered', async () => {
    const trips = countTrips(env.DB);
    const gateway = await startGateway('Admin', { bindings: { DB: trips.binding } });
    const { key } = await makeKey(gateway, { access_level: 'Read' });
    const tripsOf = async (token: string) => {
      await gateway.call('GET', '/help', undefined, token);
      await gateway.settle();
      const before = trips.count();
      gateway.clock.now += 700;
      await gateway.call('GET', '/help', undefined, token);
      await gateway.call('GET', '/help', undefined, token);
      await gateway.settle();
      return trips.count() - before;
    };
    // With a key it is also written when it was last used.
    expect([await tripsOf(await gateway.token()), await tripsOf(key)]).toEqual([1, 2]);
  });
});

test('the audit tells the present name of a key, once its change is in force', async () => {
  const gateway = await startGateway('Admin');
  const endpoint = await insertEndpoint(gateway);
  const { id, key, name } = await makeKey(gateway, { access_level: 'Read' });
  const refused = async () => {
    const reply = await gateway.call('DELETE', `/endpoints/${endpoint}`, undefined, key);
    expect(reply.status).toBe(403);
    await gateway.settle();
    const { body } = await gateway.call('GET', '/audit?outcome=denied');
    return (body as { entries: { actor: unknown }[] }).entries.map(({ actor }) => actor);
  };
  expect(await refused()).toEqual([`key:${name}`]);
  await gateway.call('PATCH', `/iam/keys/${id}`, { name: `${name}-2` });
  await gateway.call('GET', '/help', undefined, key);
  expect(await refused()).toEqual([`key:${name}-2`, `key:${name}`]);
});

test('what another isolate revoked is refused within the time to live', async () => {
  const gateway = await startGateway('Admin');
  const { id, key } = await makeKey(gateway, { access_level: 'Read' });
  const get = () => gateway.call('GET', '/endpoints', undefined, key);
  expect((await get()).status).toBe(200);
  // Nothing here is told.
  await db.delete(apiKeys).where(eq(apiKeys.uuid, id));
  expect((await get()).status).toBe(200);
  gateway.clock.now += gateway.settings.POLICY_TTL_MS;
  expect(await get()).toEqual({
    status: 401,
    body: failure('TOKEN_REVOKED', 'Token is no longer valid'),
  });
});
