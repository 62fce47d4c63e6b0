/** Making, showing, changing, rotating and ending API keys. Spec: keys-and-doors.md §1. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { apiKeyDigests, apiKeys } from '../db/keys.ts';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';
import { freeName, makeKey, makeOwnKey } from '../test/keys.ts';

const db = drizzle(env.DB);
const CREATED = '2026-01-01T00:00:00.000Z';
const EXPIRES = '2026-01-01T01:00:00.000Z';
const refusal = (status: number, code: ErrorCode, message: unknown) => ({
  status,
  body: failure(code, message),
});
const REVOKED = refusal(401, 'TOKEN_REVOKED', 'Token is no longer valid');

describe('POST /iam/keys', () => {
  test('tells the key once, and keeps its digest alone', async () => {
    const gateway = await startGateway('Admin');
    const endpoint = await insertEndpoint(gateway);
    const body = {
      name: 'reporting',
      description: 'The reports',
      expires: '2026-01-01T02:00:00+01:00',
      access_level: 'Read',
      endpoints: { [endpoint]: 'Write' },
      addresses: ['127.0.0.0/8'],
    };
    const made = await gateway.call('POST', '/iam/keys', body);
    const { id, key } = made.body as { id: string; key: string };
    expect(made).toEqual({
      status: 200,
      body: {
        id: expect.any(String),
        name: 'reporting',
        key: expect.stringMatching(/^cwk_[0-9A-Za-z]{49}$/),
        access_level: 'Read',
        created: CREATED,
        expires: EXPIRES,
      },
    });
    const record = {
      id,
      name: 'reporting',
      description: 'The reports',
      access_level: 'Read',
      endpoints: { [endpoint]: 'Write' },
      templates: {},
      workflows: {},
      addresses: ['127.0.0.0/8'],
      created: CREATED,
      created_by: gateway.user.username,
      expires: EXPIRES,
      status: 'active',
    };
    expect(await gateway.call('GET', `/iam/keys/${id}`)).toEqual({ status: 200, body: record });
    expect(await gateway.call('GET', '/iam/keys')).toEqual({
      status: 200,
      body: { keys: [record] },
    });
    const kept = JSON.stringify([
      await db.select().from(apiKeys).where(eq(apiKeys.uuid, id)),
      await db.select().from(apiKeyDigests).where(eq(apiKeyDigests.keyUuid, id)),
    ]);
    expect(kept).toContain(id);
    expect(kept).not.toContain(key.slice(4, 20));
  });

  test('without a level there is no rule on the organization: single levels alone count', async () => {
    const gateway = await startGateway('Admin');
    const [open, closed] = [await insertEndpoint(gateway), await insertEndpoint(gateway)];
    const { id, key } = await makeKey(gateway, { endpoints: { [open]: 'Read' } });
    expect((await gateway.call('GET', `/iam/keys/${id}`)).body).toMatchObject({
      access_level: null,
    });
    expect((await gateway.call('GET', `/endpoints/${open}`, undefined, key)).status).toBe(200);
    expect((await gateway.call('GET', `/endpoints/${closed}`, undefined, key)).status).toBe(403);
    const listed = await gateway.call('GET', '/endpoints', undefined, key);
    expect(listed.body).toMatchObject({ data: { endpoints: [{ id: open }] } });
  });

  test.each([
    { expires: '2025-12-31T23:59:59Z' },
    { expires: CREATED },
    { expires: 'tomorrow' },
    { addresses: [] },
    { addresses: ['10.0.0.1'] },
    { addresses: ['10.0.0.0/33'] },
    { addresses: ['300.0.0.0/8'] },
    { addresses: ['fe80::1%eth0/64'] },
    { access_level: 'Owner' },
    { endpoints: ['e'] },
    { name: 'a/b' },
    { name: '' },
    { name: 'd3b07384-d9a0-4c9b-8f3e-2a6f1b0c4e52' },
    { owner: 'somebody' },
  ] satisfies { [member: string]: Json }[])('refuses %j', async (wrong) => {
    const gateway = await startGateway('SuperAdmin');
    for (const path of ['/iam/keys', '/iam/keys/self']) {
      const reply = await gateway.call('POST', path, { name: 'k', ...wrong });
      expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    }
    expect((await gateway.call('GET', '/iam/keys')).body).toEqual({ keys: [] });
  });

  test.each([
    [{ expires: 'tomorrow' }, 'expires: must be a time in ISO 8601, such as 2026-01-31T00:00:00Z'],
    [
      { addresses: ['10.0.0.1'] },
      'addresses.0: must be a network in CIDR notation, such as 203.0.113.0/24 or 2001:db8::/32',
    ],
  ] satisfies [Json, string][])('says what must be in place of %j', async (wrong, message) => {
    const gateway = await startGateway('SuperAdmin');
    const reply = await gateway.call('POST', '/iam/keys', { name: 'k', ...wrong });
    expect(reply).toMatchObject({ status: 400, body: { message } });
  });

  test('names are unique among the keys of the organization, and of each owner', async () => {
    const gateway = await startGateway('Admin');
    const other = await gateway.addUser('Read');
    const taken = refusal(409, 'KEY_EXISTS', 'Key one already exists');
    await makeKey(gateway, { name: 'one' });
    await makeOwnKey(gateway, { name: 'one' });
    await makeOwnKey(gateway, { name: 'one' }, other);
    expect(await gateway.call('POST', '/iam/keys', { name: 'one' })).toEqual(taken);
    expect(await gateway.call('POST', '/iam/keys/self', { name: 'one' })).toEqual(taken);
    const { body } = await gateway.call('GET', '/iam/keys');
    expect((body as { keys: object[] }).keys).toHaveLength(3);
  });

  test('names a resource that is not there, and one that is named twice', async () => {
    const gateway = await startGateway('Admin');
    const endpoint = await insertEndpoint(gateway);
    const { body } = await gateway.call('GET', `/endpoints/${endpoint}`);
    const { uuid } = (body as { data: { uuid: string } }).data;
    const send = (endpoints: Json) =>
      gateway.call('POST', '/iam/keys', { name: freeName(), endpoints });
    expect(await send({ nowhere: 'Read' })).toEqual(
      refusal(404, 'ENDPOINT_NOT_FOUND', 'Endpoint nowhere does not exist'),
    );
    expect(await send({ [endpoint]: 'Read', [uuid]: 'Write' })).toMatchObject({ status: 400 });
    expect(await send({ [uuid.toUpperCase()]: 'Read' })).toMatchObject({ status: 200 });
  });
});

describe('POST /iam/keys/{key}/rotate', () => {
  test('tells a new key; the old one serves for an hour', async () => {
    const gateway = await startGateway('Admin');
    const made = await makeKey(gateway, { access_level: 'Read' });
    const reply = await gateway.call('POST', `/iam/keys/${made.id}/rotate`);
    const { key } = reply.body as { key: string };
    expect(reply).toEqual({
      status: 200,
      body: { ...made, key: expect.stringMatching(/^cwk_/) },
    });
    expect(key).not.toBe(made.key);
    gateway.clock.now += 3_600_000 - 1;
    for (const each of [made.key, key]) {
      expect((await gateway.call('GET', '/endpoints', undefined, each)).status).toBe(200);
    }
    gateway.clock.now += 1;
    expect(await gateway.call('GET', '/endpoints', undefined, made.key)).toEqual(REVOKED);
    expect((await gateway.call('GET', '/endpoints', undefined, key)).status).toBe(200);
  });

  test('without grace it ends the old one at once; each rotated one has its own time', async () => {
    const gateway = await startGateway('Admin');
    const { id, key: first } = await makeKey(gateway, { access_level: 'Read' });
    const rotate = async (grace_s: number) => {
      const { body } = await gateway.call('POST', `/iam/keys/${id}/rotate`, { grace_s });
      return (body as { key: string }).key;
    };
    const second = await rotate(60);
    const third = await rotate(0);
    const status = async (key: string) =>
      (await gateway.call('GET', '/endpoints', undefined, key)).status;
    expect([await status(first), await status(second), await status(third)]).toEqual([
      200, 401, 200,
    ]);
    gateway.clock.now += 60_000;
    expect([await status(first), await status(third)]).toEqual([401, 200]);
  });

  test.each([{ grace_s: -1 }, { grace_s: 86_401 }, { grace_s: 0.5 }, { grace: 5 }])(
    'refuses %j',
    async (body) => {
      const gateway = await startGateway('Admin');
      const { id } = await makeKey(gateway);
      const reply = await gateway.call('POST', `/iam/keys/${id}/rotate`, body);
      expect(reply).toMatchObject({ status: 400 });
    },
  );

  test.each([
    ['a change of what it may', { access_level: 'Write' }, 401],
    ['a change of its description', { description: 'x' }, 200],
  ])('after %s the old one is %s', async (_what, change, status) => {
    const gateway = await startGateway('Admin');
    const { id, key } = await makeKey(gateway, { access_level: 'Read' });
    await gateway.call('POST', `/iam/keys/${id}/rotate`, {});
    await gateway.call('PATCH', `/iam/keys/${id}`, change);
    expect((await gateway.call('GET', '/endpoints', undefined, key)).status).toBe(status);
  });
});

describe('PATCH /iam/keys/{key}', () => {
  test('replaces what is given, in force for the next call, and keeps the rest', async () => {
    const gateway = await startGateway('Admin');
    const [one, two] = [await insertEndpoint(gateway), await insertEndpoint(gateway)];
    const { id, key, name } = await makeKey(gateway, {
      access_level: 'Read',
      endpoints: { [one]: 'None', [two]: 'Write' },
    });
    expect((await gateway.call('GET', `/endpoints/${one}`, undefined, key)).status).toBe(403);
    const changed = await gateway.call('PATCH', `/iam/keys/${id}`, {
      name: `${name}-2`,
      endpoints: { [one]: 'Read' },
      access_level: null,
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: `${name}-2`, access_level: null, endpoints: { [one]: 'Read' } },
    });
    expect((await gateway.call('GET', `/endpoints/${one}`, undefined, key)).status).toBe(200);
    expect((await gateway.call('GET', `/endpoints/${two}`, undefined, key)).status).toBe(403);
    const shown = await gateway.call('GET', `/iam/keys/${id}`);
    // It was used meanwhile.
    expect(shown.body).toMatchObject({ ...(changed.body as object) });
  });

  test('of another of that name nothing is changed', async () => {
    const gateway = await startGateway('Admin');
    const { name } = await makeKey(gateway);
    const { id, key } = await makeKey(gateway, { access_level: 'Read' });
    const body = { name, access_level: 'Write' };
    expect(await gateway.call('PATCH', `/iam/keys/${id}`, body)).toEqual(
      refusal(409, 'KEY_EXISTS', `Key ${name} already exists`),
    );
    expect((await gateway.call('GET', `/iam/keys/${id}`)).body).toMatchObject({
      access_level: 'Read',
    });
    expect((await gateway.call('GET', '/endpoints', undefined, key)).status).toBe(200);
  });
});

test('when a key was last used is told seconds late, by whatever it was used for', async () => {
  const gateway = await startGateway('Admin');
  const { id, key } = await makeKey(gateway);
  expect((await gateway.call('GET', `/iam/keys/${id}`)).body).not.toHaveProperty('last_used');
  gateway.clock.now += 5_000;
  expect((await gateway.call('GET', '/endpoints', undefined, key)).status).toBe(403);
  await gateway.settle();
  expect((await gateway.call('GET', `/iam/keys/${id}`)).body).toMatchObject({
    last_used: '2026-01-01T00:00:05.000Z',
  });
});
