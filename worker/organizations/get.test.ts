/** GET /organizations: the whole record, and what of it a caller below Admin sees. */
import { env } from 'cloudflare:test';
import { and, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { accounts, endpoints, memberships, organizations, rules } from '../db/schema.ts';
import type { Level } from '../levels.ts';
import { selectStored } from '../limits/quotas/store.ts';
import { defaultNode } from '../nodes/default-node.ts';
import { failure, insertEndpoint, NOW, startGateway, type TestGateway } from '../test/gateway.ts';
import { countTrips } from '../test/trips.ts';
import { sizeText } from './size-text.ts';

const db = drizzle(env.DB);
const TIME = '2026-01-01T00:00:00.000Z';

async function endpointUuid(gateway: TestGateway, id: string): Promise<string> {
  const orgUuid = gateway.organization.uuid;
  const [row] = await db
    .select({ uuid: endpoints.uuid })
    .from(endpoints)
    .where(and(eq(endpoints.orgUuid, orgUuid), eq(endpoints.id, id)));
  return row?.uuid ?? '';
}

/** A gateway whose organization has endpoints `a` and `b`; answers their UUIDs too. */
async function withEndpoints(level: Level | undefined, bindings: Record<string, unknown> = {}) {
  const gateway = await startGateway(level, { bindings });
  const uuids: string[] = [];
  for (const id of ['a', 'b']) {
    uuids.push(await endpointUuid(gateway, await insertEndpoint(gateway, id)));
  }
  const [a = '', b = ''] = uuids;
  return { ...gateway, gateway, a, b };
}

async function ruleOn(gateway: TestGateway, resourceUuid: string, level: Level) {
  await db.insert(rules).values({
    orgUuid: gateway.organization.uuid,
    resourceKind: 'endpoint',
    resourceUuid,
    subject: gateway.user.uuid,
    level,
    createdAt: NOW,
    createdBy: 'test',
  });
}

/** The record's member, by the path. */
const member = (body: Json, name: string) => (body as { [name: string]: Json })[name];

test('shows an Admin the whole record, under both paths', async () => {
  const { gateway, organization, user, settings, a, b } = await withEndpoints('SuperAdmin');
  const reader = await gateway.addUser('Read');
  const idle = await gateway.addUser(undefined);
  await db
    .update(memberships)
    .set({ lastLoginAt: NOW - 5 })
    .where(eq(memberships.accountUuid, reader.uuid));
  await db
    .update(organizations)
    .set({ description: `"Engines" & 'steam'`, lastModifiedBy: user.uuid, updatedAt: NOW + 1 })
    .where(eq(organizations.uuid, organization.uuid));
  const record = {
    id: organization.id,
    uuid: organization.uuid,
    name: organization.id,
    super_admin_uuids: [user.uuid],
    gateway_node_uuids: [(await defaultNode(settings)).uuid],
    endpoint_uuids: [a, b],
    description: `"Engines" & 'steam'`,
    created_at: TIME,
    updated_at: '2026-01-01T00:00:00.001Z',
    last_modified_by: user.username,
    settings: {
      defaultRegion: 'auto',
      enableAdvancedFeatures: false,
      dataRetentionDays: 90,
      maxEndpoints: 1000,
    },
    usage: {
      endpoints: { count: 2, limit: 1000 },
      templates: { count: 0, limit: 1000 },
      workflows: { count: 0, limit: 1000 },
      storage: { used: expect.stringMatching(/^\d+(\.\d+)? (?:B|KiB)$/), limit: '1 GiB' },
    },
    resources: {
      users: expect.any(Array),
      resourceCounts: { endpoints: 2, templates: 0, workflows: 0 },
    },
  };
  const reply = await gateway.call('GET', '/organizations');
  expect(reply).toEqual({ status: 200, body: record });
  const { users } = member(reply.body, 'resources') as { users: Json[] };
  expect(new Set(users)).toEqual(
    new Set([
      { email: user.username, accessLevel: 'SuperAdmin', lastActive: null },
      { email: reader.username, accessLevel: 'Read', lastActive: '2025-12-31T23:59:59.995Z' },
      { email: idle.username, accessLevel: 'None', lastActive: null },
    ]),
  );
  const other = await gateway.call('GET', '/org');
  expect(other).toEqual({ status: 200, body: record });
});

describe('a caller below Admin', () => {
  test('sees themselves among the users, no SuperAdmin, and what they may read', async () => {
    const { gateway, user, a, b } = await withEndpoints('Read');
    await gateway.addUser('SuperAdmin');
    await ruleOn(gateway, a, 'None');
    const { status, body } = await gateway.call('GET', '/organizations');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      super_admin_uuids: [],
      endpoint_uuids: [b],
      usage: { endpoints: { count: 2 } },
      resources: {
        users: [{ email: user.username, accessLevel: 'Read', lastActive: null }],
        resourceCounts: { endpoints: 2 },
      },
    });
    expect(JSON.stringify(body)).not.toContain(a);
  });

  test('without Read on the organization sees nothing, whatever they have on an endpoint', async () => {
    for (const level of ['None', undefined] as const) {
      const { gateway, a } = await withEndpoints(level);
      await ruleOn(gateway, a, 'Admin');
      expect(await gateway.call('GET', '/organizations')).toEqual({
        status: 403,
        body: failure('FORBIDDEN', 'This operation needs Read access on the organization'),
      });
    }
  });
});

test("shows nothing about another organization, also to its SuperAdmin's token", async () => {
  const { organization, user, a } = await withEndpoints('SuperAdmin');
  const stranger = await startGateway('SuperAdmin');
  const { status, body } = await stranger.call('GET', '/organizations');
  expect({ status, id: member(body, 'id') }).toEqual({ status: 200, id: stranger.organization.id });
  for (const secret of [organization.uuid, user.uuid, a]) {
    expect(JSON.stringify(body)).not.toContain(secret);
  }
});

test('takes no body and no query', async () => {
  const gateway = await startGateway('Read');
  expect((await gateway.call('GET', '/organizations?id=other')).status).toBe(400);
});

async function storedBytes(orgUuid: string): Promise<number> {
  const [row] = await selectStored(db, orgUuid);
  return row?.bytes ?? 0;
}

test('tells the limits in force, and what storage is used', async () => {
  const QUOTAS = JSON.stringify({ endpoints: 7, templates: 3, workflows: 2, storage: 1536 });
  const { gateway, organization } = await withEndpoints('SuperAdmin', { QUOTAS });
  const used = async () => {
    const { body } = await gateway.call('GET', '/organizations');
    return member(body, 'usage') as { storage: { used: string } };
  };
  const stored = await storedBytes(organization.uuid);
  const before = await used();
  expect(before).toEqual({
    endpoints: { count: 2, limit: 7 },
    templates: { count: 0, limit: 3 },
    workflows: { count: 0, limit: 2 },
    storage: { used: sizeText(stored), limit: '1.5 KiB' },
  });
  await db
    .update(endpoints)
    .set({ description: 'é'.repeat(5 * 512) })
    .where(and(eq(endpoints.orgUuid, organization.uuid), eq(endpoints.id, 'a')));
  expect(await storedBytes(organization.uuid)).toBe(stored + 5 * 1024);
  expect((await used()).storage).toEqual({
    used: sizeText(stored + 5 * 1024),
    limit: '1.5 KiB',
  });
  // A quota that was lowered bounds what the organization chose before.
  await db
    .update(organizations)
    .set({ settings: { maxEndpoints: 900 } })
    .where(eq(organizations.uuid, organization.uuid));
  expect((await gateway.call('GET', '/organizations')).body).toMatchObject({
    settings: { maxEndpoints: 7 },
    usage: { endpoints: { limit: 7 } },
  });
});

test('of 1,200 users lists the first 1,000 by name, in one trip to D1', async () => {
  const trips = countTrips(env.DB);
  const gateway = await startGateway('Admin', { bindings: { DB: trips.binding } });
  const orgUuid = gateway.organization.uuid;
  const people = Array.from({ length: 1200 }, (_each, at) => ({
    uuid: crypto.randomUUID(),
    name: `${orgUuid.slice(0, 8)}-${String(at).padStart(4, '0')}`,
  }));
  const list = JSON.stringify(people);
  await db.run(sql`insert into ${accounts} ("uuid", "username", "username_key", "password_changed_at", "created_by_org", "created_at")
    select value ->> 'uuid', value ->> 'name', value ->> 'name', 0, ${orgUuid}, 0 from json_each(${list})`);
  await db.run(sql`insert into ${memberships} ("org_uuid", "account_uuid", "created_at", "created_by", "last_modified_at", "last_modified_by")
    select ${orgUuid}, value ->> 'uuid', 0, 'test', 0, 'test' from json_each(${list})`);
  await gateway.call('GET', '/organizations');
  await gateway.settle();
  const before = trips.count();
  const { body } = await gateway.call('GET', '/organizations');
  expect(trips.count()).toBe(before + 1);
  const { users } = member(body, 'resources') as { users: { email: string }[] };
  expect(users).toHaveLength(1000);
  expect(users.slice(0, 2).map(({ email }) => email)).toEqual(
    people.slice(0, 2).map(({ name }) => name),
  );
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [1024 ** 3, '1 GiB'],
  [5.25 * 1024 ** 4, '5.25 TiB'],
  [1024 ** 5, '1024 TiB'],
])('%d bytes read %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));
