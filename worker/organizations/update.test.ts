/** PATCH /organizations: what it changes, what it leaves, and who may. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { organizations } from '../db/schema.ts';
import { entriesOf } from '../test/audit.ts';
import { failure, NOW, startGateway, type TestGateway } from '../test/gateway.ts';
import { pingingRelay } from '../test/pinging-relay.ts';

const db = drizzle(env.DB);

async function stored({ organization }: TestGateway) {
  const [row] = await db
    .select()
    .from(organizations)
    .where(eq(organizations.uuid, organization.uuid));
  return row;
}

async function start(bindings: Record<string, unknown> = {}) {
  const gateway = await startGateway('SuperAdmin', { bindings });
  const patch = (body: Json | undefined, bearer?: string) =>
    gateway.call('PATCH', '/organizations', body, bearer);
  const { id, uuid } = gateway.organization;
  const updated = (...updatedFields: string[]) => ({
    status: 200,
    body: { message: `Organization ${id} updated`, updatedFields },
  });
  return { ...gateway, gateway, patch, updated, id, uuid };
}

test('changes what is given, leaves the rest, and names what was given', async () => {
  const { gateway, patch, updated, clock, user } = await start();
  const before = await stored(gateway);
  clock.now += 1000;
  const name = `O'Brien "& Søns" \`; drop table organizations; --`;
  const description = `'"\\ { "a": 1 } 密码 \u{1f680}`;
  const defaultRegion = `eu'); --"`;
  expect(
    await patch({
      name,
      description,
      settings: { defaultRegion, enableAdvancedFeatures: true, dataRetentionDays: 0 },
    }),
  ).toEqual(
    updated(
      'name',
      'description',
      'settings.defaultRegion',
      'settings.enableAdvancedFeatures',
      'settings.dataRetentionDays',
    ),
  );
  expect(await stored(gateway)).toEqual({
    ...before,
    name,
    description,
    settings: { defaultRegion, enableAdvancedFeatures: true, dataRetentionDays: 0 },
    updatedAt: NOW + 1000,
    lastModifiedBy: user.uuid,
    revision: 2,
  });
  expect(await patch({ settings: { dataRetentionDays: 30 } })).toEqual(
    updated('settings.dataRetentionDays'),
  );
  expect((await gateway.call('GET', '/org')).body).toMatchObject({
    name,
    description,
    last_modified_by: user.username,
    updated_at: '2026-01-01T00:00:01.000Z',
    settings: {
      defaultRegion,
      enableAdvancedFeatures: true,
      dataRetentionDays: 30,
      maxEndpoints: 1000,
    },
  });
});

test('a setting that is null has its default again; empty texts stay empty', async () => {
  const { gateway, patch, updated } = await start();
  await patch({ description: 'x', settings: { defaultRegion: 'eu', dataRetentionDays: 7 } });
  expect(await patch({ description: '', settings: { defaultRegion: null } })).toEqual(
    updated('description', 'settings.defaultRegion'),
  );
  expect(await stored(gateway)).toMatchObject({
    description: '',
    settings: { dataRetentionDays: 7 },
  });
  expect((await gateway.call('GET', '/organizations')).body).toMatchObject({
    settings: { defaultRegion: 'auto', dataRetentionDays: 7 },
  });
});

test.each([[{}], [{ settings: {} }]])('%j changes nothing, and says so', async (body) => {
  const { gateway, patch, id, clock } = await start();
  const before = await stored(gateway);
  clock.now += 1000;
  expect(await patch(body)).toEqual({
    status: 200,
    body: { message: `Nothing of organization ${id} was to change`, updatedFields: [] },
  });
  expect(await stored(gateway)).toEqual(before);
});

test('changes of different settings at the same time all hold', async () => {
  const { gateway, patch } = await start();
  const changes = [
    { settings: { defaultRegion: 'eu' } },
    { settings: { enableAdvancedFeatures: true } },
    { settings: { dataRetentionDays: 7 } },
    { settings: { maxEndpoints: 9 } },
    { name: 'New' },
  ];
  const replies = await Promise.all(changes.map((each) => patch(each)));
  expect(replies.map(({ status }) => status)).toEqual(changes.map(() => 200));
  expect(await stored(gateway)).toMatchObject({
    name: 'New',
    settings: {
      defaultRegion: 'eu',
      enableAdvancedFeatures: true,
      dataRetentionDays: 7,
      maxEndpoints: 9,
    },
  });
});

test('is written to the audit, without a value of it', async () => {
  const { gateway, patch, user, id, uuid } = await start();
  await patch({ name: 'Secret plans', settings: { maxEndpoints: 5 } });
  await gateway.settle();
  expect(await entriesOf(uuid)).toMatchObject([
    {
      actor: user.username,
      action: 'organization.update',
      resource: `organization:${uuid}`,
      outcome: 'success',
      details: { id, fields: ['name', 'settings.maxEndpoints'] },
    },
  ]);
});

describe('refused, with nothing changed:', () => {
  const rows: [string, Json | undefined, string, string][] = [
    ['no body', undefined, 'body', 'is required'],
    [
      'an unknown member',
      { id: 'other' },
      'body',
      '"id" is not known; known are name, description, settings',
    ],
    [
      'a member of the record',
      { uuid: 'x', name: 'a' },
      'body',
      '"uuid" is not known; known are name, description, settings',
    ],
    [
      'an unknown setting',
      { settings: { colour: 1 } },
      'settings',
      '"colour" is not known; known are defaultRegion, enableAdvancedFeatures, dataRetentionDays, maxEndpoints',
    ],
    [
      'a prototype for a setting',
      JSON.parse('{"settings":{"__proto__":{"maxEndpoints":9}}}') as Json,
      'settings',
      '"__proto__" is not known; known are defaultRegion, enableAdvancedFeatures, dataRetentionDays, maxEndpoints',
    ],
    ['a name that is empty', { name: '' }, 'name', 'may not be empty'],
    ['null for a name', { name: null }, 'name', 'must be a string, not null'],
    ['half a character', { name: '\ud800' }, 'name', 'must be valid Unicode'],
    [
      'a name of 256 characters',
      { name: 'n'.repeat(256) },
      'name',
      'must have at most 255 characters',
    ],
    [
      'negative days',
      { settings: { dataRetentionDays: -1 } },
      'settings.dataRetentionDays',
      'must be at least 0',
    ],
    [
      'half a day',
      { settings: { dataRetentionDays: 0.5 } },
      'settings.dataRetentionDays',
      'must be an integer, not a number',
    ],
    [
      'days as text',
      { settings: { dataRetentionDays: '7' } },
      'settings.dataRetentionDays',
      'must be a number, not a string',
    ],
    [
      'less than no endpoints',
      { settings: { maxEndpoints: -1 } },
      'settings.maxEndpoints',
      'must be at least 0',
    ],
  ];
  test.each(rows)('%s', async (_what, body, path, message) => {
    const { gateway, patch } = await start();
    const before = await stored(gateway);
    expect(await patch(body)).toEqual({
      status: 400,
      body: { ...failure('BAD_REQUEST', expect.any(String)), details: [{ path, message }] },
    });
    expect(await stored(gateway)).toEqual(before);
  });

  test('more endpoints than the installation allows', async () => {
    const { gateway, patch } = await start({ QUOTAS: '{"endpoints":5}' });
    const before = await stored(gateway);
    const message = 'is more than the 5 that the installation allows';
    expect(await patch({ name: 'New', settings: { maxEndpoints: 6 } })).toEqual({
      status: 403,
      body: failure('QUOTA_EXCEEDED', `settings.maxEndpoints: ${message}`, [
        { path: 'settings.maxEndpoints', message },
      ]),
    });
    expect(await stored(gateway)).toEqual(before);
    expect((await patch({ settings: { maxEndpoints: 5 } })).status).toBe(200);
  });

  test.each(['Admin', 'Write', 'Read', 'None', undefined] as const)(
    'a caller of %s',
    async (level) => {
      const { gateway, patch } = await start();
      const before = await stored(gateway);
      const token = await gateway.token(await gateway.addUser(level));
      expect(await patch({ name: 'Mine' }, token)).toEqual({
        status: 403,
        body: failure('FORBIDDEN', 'This operation needs SuperAdmin access on the organization'),
      });
      expect(await stored(gateway)).toEqual(before);
    },
  );
});

test("another organization's SuperAdmin changes their own alone", async () => {
  const { gateway } = await start();
  const before = await stored(gateway);
  const stranger = await start();
  expect((await stranger.patch({ name: 'Mine' })).status).toBe(200);
  expect([await stored(gateway), (await stored(stranger.gateway))?.name]).toEqual([before, 'Mine']);
});

describe('of 20 endpoints created at the same time as many are made as there may be', () => {
  test.each([
    ["the installation's quota", '{"endpoints":7}', undefined, 7],
    ["the organization's own limit", '{"endpoints":100}', 4, 4],
    ['none', '{"endpoints":100}', 0, 0],
  ])('%s', async (_what, QUOTAS, maxEndpoints, room) => {
    const gateway = await startGateway('SuperAdmin', {
      bindings: { QUOTAS },
      relay: pingingRelay().methods,
    });
    if (maxEndpoints !== undefined) {
      await gateway.call('PATCH', '/org', { settings: { maxEndpoints } });
    }
    const config = { write_conn: { url: 'postgresql://u:p@db.test:5432/d' } };
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_each, at) =>
        gateway.call('POST', '/endpoints', { endpoint: `e${at}`, kind: 'postgres', config }),
      ),
    );
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toEqual(
      Array.from({ length: 20 - room }, () => ({
        status: 403,
        body: failure('QUOTA_EXCEEDED', 'The organization has as many endpoints as it may have'),
      })),
    );
    expect((await gateway.call('GET', '/org')).body).toMatchObject({
      usage: { endpoints: { count: room, limit: room } },
    });
  });
});

test('no endpoint is made once the storage is used up, and again when there is room', async () => {
  const gateway = await startGateway('SuperAdmin', {
    bindings: { QUOTAS: '{"storage":2500}' },
    relay: pingingRelay().methods,
  });
  const config = { write_conn: { url: 'postgresql://u:p@db.test:5432/d' } };
  const create = (endpoint: string, description = '') =>
    gateway.call('POST', '/endpoints', { endpoint, description, kind: 'postgres', config });
  expect((await create('large', 'd'.repeat(1500))).status).toBe(200);
  expect(await create('small')).toEqual({
    status: 403,
    body: failure('QUOTA_EXCEEDED', "The organization's storage is used up"),
  });
  await gateway.call('PATCH', '/endpoints/large', { description: '' });
  expect((await create('small')).status).toBe(200);
});
