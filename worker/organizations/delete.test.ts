/** DELETE /organizations: who may, what stops at once, and what may be there again. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import { endpoints, organizations } from '../db/schema.ts';
import { givePassword, PASSWORD, storedAccount, tryLogin } from '../test/accounts.ts';
import { failure, insertEndpoint, insertUser, startGateway } from '../test/gateway.ts';
import { pingingRelay } from '../test/pinging-relay.ts';
import { startRunning } from '../test/running.ts';
import { markDeleted } from './store.ts';

const db = drizzle(env.DB);
const REVOKED = { status: 401, body: failure('TOKEN_REVOKED', 'Token is no longer valid') };
const QUERY = { query: 'select 1' };

async function start() {
  const relay = pingingRelay();
  const gateway = await startGateway('SuperAdmin', { relay: relay.methods });
  const { id } = gateway.organization;
  const deleted = {
    status: 200,
    body: { message: `Organization ${id} deleted`, orgId: id },
  };
  return { ...gateway, gateway, relay, id, deleted };
}

async function endpointsOf(orgUuid: string): Promise<string[]> {
  const rows = await db.select().from(endpoints).where(eq(endpoints.orgUuid, orgUuid));
  return rows.map(({ uuid }) => uuid);
}

test.each(['/organizations', '/org'])('DELETE %s answers the id, once', async (path) => {
  const { gateway, deleted } = await start();
  expect(await gateway.call('DELETE', path)).toEqual(deleted);
  expect(await gateway.call('DELETE', path)).toEqual(REVOKED);
});

test('of several at the same time, one deletes', async () => {
  const { gateway, deleted } = await start();
  const replies = await Promise.all([1, 2, 3, 4].map(() => gateway.call('DELETE', '/org')));
  expect(replies.filter(({ status }) => status === 200)).toEqual([deleted]);
  expect(replies.filter(({ status }) => status !== 200)).toEqual([REVOKED, REVOKED, REVOKED]);
});

test.each(['Admin', 'Write', 'Read', 'None', undefined] as const)(
  'refuses a caller of %s, and nothing is gone',
  async (level) => {
    const { gateway } = await start();
    await insertEndpoint(gateway, 'orders');
    const token = await gateway.token(await gateway.addUser(level));
    expect(await gateway.call('DELETE', '/organizations', undefined, token)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs SuperAdmin access on the organization'),
    });
    await gateway.settle();
    expect((await gateway.call('GET', '/endpoints/orders')).status).toBe(200);
  },
);

test("another organization's SuperAdmin deletes their own, whatever they send", async () => {
  const { gateway, id } = await start();
  const stranger = await start();
  const sent = await stranger.call('DELETE', '/organizations', { id });
  expect(sent.status).toBe(400);
  const { status } = await stranger.send('/organizations', {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${await stranger.token()}`, 'X-Org-Id': id },
  });
  expect(status).toBe(200);
  await stranger.settle();
  expect((await gateway.call('GET', '/organizations')).status).toBe(200);
  expect(await stranger.call('GET', '/organizations')).toEqual(REVOKED);
});

describe('after it', () => {
  test('every token is refused by the very next request, of every member, also to refresh', async () => {
    const { gateway } = await start();
    await insertEndpoint(gateway, 'orders');
    const reader = await gateway.token(await gateway.addUser('Read'));
    const own = await gateway.token();
    // What is asked before is remembered.
    for (const token of [own, reader]) {
      expect((await gateway.call('GET', '/endpoints/orders', undefined, token)).status).toBe(200);
    }
    expect((await gateway.call('DELETE', '/organizations')).status).toBe(200);
    for (const token of [own, reader]) {
      expect(await gateway.call('GET', '/endpoints/orders', undefined, token)).toEqual(REVOKED);
      expect(await gateway.call('POST', '/auth/refresh', undefined, token)).toEqual(REVOKED);
      expect(await gateway.call('GET', '/help', undefined, token)).toEqual(REVOKED);
    }
    await gateway.settle();
    expect(await gateway.call('GET', '/endpoints/orders', undefined, own)).toEqual(REVOKED);
  });

  test('isolates that remember refuse within POLICY_TTL_MS', async () => {
    const { gateway, clock, organization, settings } = await start();
    await gateway.call('GET', '/organizations');
    await gateway.call('GET', '/endpoints');
    const token = await gateway.token();
    // Another isolate deletes: this one is told nothing.
    await markDeleted(db, organization.uuid, clock.now);
    clock.now += settings.POLICY_TTL_MS;
    expect(await gateway.call('GET', '/endpoints', undefined, token)).toEqual(REVOKED);
    expect(await gateway.call('GET', '/organizations', undefined, token)).toEqual(REVOKED);
  });

  test('nobody logs in, by its id, its UUID, or what stands for its id', async () => {
    const { gateway, user, organization } = await start();
    await givePassword(user);
    expect((await tryLogin(gateway)).status).toBe(200);
    await gateway.call('DELETE', '/organizations');
    const [row] = await db
      .select()
      .from(organizations)
      .where(eq(organizations.uuid, organization.uuid));
    for (const name of [organization.id, organization.uuid, row?.id ?? '']) {
      expect(await tryLogin(gateway, { organization: name })).toEqual({
        status: 401,
        body: failure('INVALID_CREDENTIALS', 'Invalid credentials'),
      });
    }
  });

  test('its data key is destroyed with the mark', async () => {
    const { gateway, organization } = await start();
    await gateway.call('DELETE', '/organizations');
    const [row] = await db
      .select()
      .from(organizations)
      .where(eq(organizations.uuid, organization.uuid));
    expect(row?.sealedDataKey).toBe('');
  });

  test('its id can be used again at once, and nothing old is seen by the new', async () => {
    const { gateway, user, id, organization } = await start();
    await givePassword(user);
    await insertEndpoint(gateway, 'orders');
    const colleague = await gateway.addUser('SuperAdmin');
    const old = await gateway.token();
    await gateway.call('DELETE', '/organizations');
    const body = { id, super_admins: [{ username: user.username, password: PASSWORD }] };
    const made = await gateway.call('POST', '/new', body, '');
    expect(made.status).toBe(200);
    const login = await tryLogin(gateway);
    const { token } = login.body as { token: string };
    const { body: record } = await gateway.call('GET', '/organizations', undefined, token);
    expect(record).toMatchObject({
      id,
      endpoint_uuids: [],
      super_admin_uuids: [user.uuid],
      resources: { users: [{ email: user.username }], resourceCounts: { endpoints: 0 } },
    });
    expect(JSON.stringify(record)).not.toContain(organization.uuid);
    expect(await gateway.call('GET', '/endpoints/orders', undefined, token)).toEqual({
      status: 404,
      body: failure('ENDPOINT_NOT_FOUND', 'Endpoint orders does not exist'),
    });
    expect(await gateway.call('GET', '/organizations', undefined, old)).toEqual(REVOKED);
    expect((await tryLogin(gateway, { user: colleague.username })).status).toBe(401);
    await gateway.settle();
    expect((await gateway.call('GET', '/organizations', undefined, token)).status).toBe(200);
  });

  test('accounts stay, with what they are elsewhere', async () => {
    const { gateway, user } = await start();
    await givePassword(user);
    const before = await storedAccount(user.username);
    const elsewhere = await start();
    const body = {
      id: `again-${crypto.randomUUID()}`,
      super_admins: [{ username: user.username, password: PASSWORD }],
    };
    expect((await elsewhere.call('POST', '/new', body, '')).status).toBe(200);
    await gateway.call('DELETE', '/organizations');
    await gateway.settle();
    expect(await storedAccount(user.username)).toEqual(before);
    expect((await tryLogin(gateway, { organization: body.id })).status).toBe(200);
  });

  test('its endpoints are released at the relay, and no other', async () => {
    const { gateway, relay, organization } = await start();
    const others = await startGateway('SuperAdmin');
    await insertEndpoint(others);
    for (let at = 0; at < 15; at += 1) await insertEndpoint(gateway);
    const uuids = await endpointsOf(organization.uuid);
    await gateway.call('DELETE', '/organizations');
    await gateway.settle();
    expect(uuids).toHaveLength(15);
    expect(relay.released.map(({ endpoint }) => endpoint).toSorted()).toEqual(uuids.toSorted());
    expect(new Set(relay.released.map(({ keepRevision }) => keepRevision))).toEqual(new Set([0]));
    expect(await endpointsOf(organization.uuid)).toEqual([]);
    expect(await endpointsOf(others.organization.uuid)).toHaveLength(1);
  });
});

describe('while requests run', () => {
  test('one that is under way ends as it would have', async () => {
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let reached = (): void => {};
    const running = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const gateway = await startRunning({
      async run() {
        reached();
        await held;
        return { result: new TextEncoder().encode('{"rows":[]}') };
      },
    });
    const asked = gateway.ask('/read', QUERY);
    await running;
    expect((await gateway.call('DELETE', '/organizations')).status).toBe(200);
    letGo();
    expect(await asked).toMatchObject({ status: 200 });
    expect(await gateway.ask('/read', QUERY)).toEqual(REVOKED);
    await gateway.settle();
    expect(await endpointsOf(gateway.organization.uuid)).toEqual([]);
  });

  test('no endpoint is made once it is gone, though its backend was asked before', async () => {
    const relay = pingingRelay();
    const gateway = await startGateway('SuperAdmin', { relay: relay.methods });
    const { organization, clock } = gateway;
    relay.state.meanwhile = async () => {
      await markDeleted(db, organization.uuid, clock.now);
    };
    const body = {
      endpoint: 'orders',
      kind: 'postgres',
      config: { write_conn: { url: 'postgresql://u:p@db.test:5432/d' } },
    };
    expect(await gateway.call('POST', '/endpoints', body)).toEqual(REVOKED);
    expect(await endpointsOf(organization.uuid)).toEqual([]);
  });

  test('of changes at the same time each is made before it or refused', async () => {
    const { gateway } = await start();
    const user = await insertUser(gateway.organization.uuid, 'SuperAdmin');
    const token = await gateway.token(user);
    const work = [
      gateway.call('PATCH', '/organizations', { name: 'a' }, token),
      gateway.call('DELETE', '/organizations'),
      gateway.call('PATCH', '/organizations', { name: 'b' }, token),
      gateway.call('GET', '/organizations', undefined, token),
    ];
    for (const reply of await Promise.all(work)) {
      if (reply.status !== 200) expect(reply).toEqual(REVOKED);
    }
    expect(await gateway.call('GET', '/organizations', undefined, token)).toEqual(REVOKED);
  });
});
