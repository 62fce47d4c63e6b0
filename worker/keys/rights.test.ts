/** What keys may: their rules, their owners' levels, and what no key may. Spec: keys-and-doors.md §1. */
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { failure, insertEndpoint, startGateway, type TestGateway } from '../test/gateway.ts';
import { grantGroup, openProvider, signingKey, startTrusting } from '../test/identity-provider.ts';
import { freeName, makeKey, makeOwnKey } from '../test/keys.ts';

const refusal = (status: number, code: ErrorCode, message: unknown, details?: object[]) => ({
  status,
  body: failure(code, message, details as never),
});
const NO_TOKENS = [{ rule: 'keys make, change and refresh no tokens' }];
const subjectsOf = (name: string) => `/iam/rbac/subjects/${encodeURIComponent(name)}`;

describe("an organization's key is a subject of rules", () => {
  test('shown and changed by /iam/rbac, in documents under users, and gone with the key', async () => {
    const gateway = await startGateway('SuperAdmin');
    const endpoint = await insertEndpoint(gateway);
    const { id, name, key } = await makeKey(gateway, {
      access_level: 'Read',
      endpoints: { [endpoint]: 'Write' },
    });
    const subject = `key:${name}`;
    const summary = { templates: {}, workflows: {}, subject };
    const { organization, user } = gateway;
    expect(await gateway.call('GET', subjectsOf(subject))).toEqual({
      status: 200,
      body: {
        ...summary,
        organizations: { [organization.id]: 'Read' },
        endpoints: { [endpoint]: 'Write' },
      },
    });
    expect((await gateway.call('GET', '/iam/rbac/organizations')).body).toEqual({
      organization_id: organization.id,
      users: { [user.username]: 'SuperAdmin', [subject]: 'Read' },
      groups: {},
    });
    const given = { subject, access_level: 'None', endpoint_id: endpoint };
    expect((await gateway.call('POST', '/iam/rbac/endpoints/subjects', given)).body).toEqual({
      message: `${subject} has None on endpoint ${endpoint}`,
      subject,
      accessLevel: 'None',
      endpointId: endpoint,
    });
    expect((await gateway.call('GET', `/endpoints/${endpoint}`, undefined, key)).status).toBe(403);
    expect((await gateway.call('GET', `/iam/keys/${id}`)).body).toMatchObject({
      access_level: 'Read',
      endpoints: { [endpoint]: 'None' },
    });
    await gateway.call('DELETE', subjectsOf(subject));
    expect((await gateway.call('GET', `/iam/keys/${id}`)).body).toMatchObject({
      access_level: null,
      endpoints: {},
    });
    await gateway.call('POST', '/iam/rbac/organizations/subjects', { subject, access: 'Write' });
    await gateway.call('DELETE', `/iam/keys/${id}`);
    expect((await gateway.call('GET', '/iam/rbac/organizations')).body).toMatchObject({
      users: { [user.username]: 'SuperAdmin' },
    });
    expect(await gateway.call('GET', subjectsOf(subject))).toEqual(
      refusal(404, 'KEY_NOT_FOUND', `Key ${name} does not exist`),
    );
  });

  test('an explicit None on the organization denies it everything', async () => {
    const gateway = await startGateway('Admin');
    const endpoint = await insertEndpoint(gateway);
    const { key } = await makeKey(gateway, {
      access_level: 'None',
      endpoints: { [endpoint]: 'Read' },
    });
    expect((await gateway.call('GET', `/endpoints/${endpoint}`, undefined, key)).status).toBe(403);
  });

  test('is no user: it is not the SuperAdmin that has to remain, and reads no record', async () => {
    const gateway = await startGateway('SuperAdmin');
    const { key, name } = await makeKey(gateway, { access_level: 'SuperAdmin' });
    const last = refusal(
      409,
      'LAST_SUPER_ADMIN',
      'The organization needs a user who is SuperAdmin',
    );
    const { user } = gateway;
    const lower = { subject: user.username, access: 'Read' };
    const ways: [string, string, Json?][] = [
      ['POST', '/iam/rbac/organizations/subjects', lower],
      ['DELETE', '/iam/rbac/organizations'],
      ['DELETE', subjectsOf(user.username)],
      ['DELETE', `/iam/users/${user.username}`],
    ];
    for (const [method, path, body] of ways) {
      expect(await gateway.call(method, path, body, key)).toEqual(last);
    }
    expect(await gateway.call('GET', `/iam/users/${encodeURIComponent(`key:${name}`)}`)).toEqual(
      refusal(404, 'USER_NOT_FOUND', 'User not found in organization'),
    );
    const { body } = await gateway.call('GET', '/organizations');
    expect(body).toMatchObject({ super_admin_uuids: [user.uuid] });
  });
});

describe('no key', () => {
  const sorts: [string, (gateway: TestGateway) => Promise<{ id: string; key: string }>][] = [
    ["an organization's", (gateway) => makeKey(gateway, { access_level: 'SuperAdmin' })],
    ['a personal one', (gateway) => makeOwnKey(gateway)],
  ];
  test.each(sorts)('makes, changes or rotates keys, or refreshes: %s', async (_sort, make) => {
    const gateway = await startGateway('SuperAdmin');
    const { id, key } = await make(gateway);
    const other = await makeKey(gateway);
    const denied = (message: string) => refusal(403, 'FORBIDDEN', message, NO_TOKENS);
    const ways: [string, string, Json?][] = [
      ['POST', '/iam/keys', { name: freeName() }],
      ['POST', '/iam/keys/self', { name: freeName() }],
      ...[id, other.id].flatMap((each): [string, string, Json?][] => [
        ['PATCH', `/iam/keys/${each}`, { access_level: 'SuperAdmin' }],
        ['POST', `/iam/keys/${each}/rotate`, {}],
      ]),
    ];
    for (const [method, path, body] of ways) {
      expect(await gateway.call(method, path, body, key)).toEqual(
        denied('Keys cannot make, change or rotate keys: log in'),
      );
    }
    for (const method of ['POST', 'GET']) {
      expect(await gateway.call(method, '/auth/refresh', undefined, key)).toEqual(
        denied('A key is not refreshed: it is rotated by who may'),
      );
    }
  });

  test.each(sorts)('changes a password or a username: %s', async (_sort, make) => {
    const gateway = await startGateway('SuperAdmin');
    const { key } = await make(gateway);
    const path = `/iam/users/${gateway.user.username}`;
    for (const body of [
      { password: 'a new password', current_password: 'the old one' },
      { username: 'another@example.com' },
    ]) {
      expect(await gateway.call('PATCH', path, body, key)).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN' },
      });
    }
  });

  test.each(sorts)('is the author of a workflow that starts by itself: %s', async (_sort, make) => {
    const gateway = await startGateway('SuperAdmin');
    const { key } = await make(gateway);
    const workflow = {
      name: freeName(),
      trigger: { type: 'event', source: 'shop', event: 'paid' },
      actions: [{ id: 'wait', type: 'wait', mode: 'duration', duration: 'PT1H' }],
    };
    expect(await gateway.call('POST', '/workflows', workflow, key)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('needs an author with an account') },
    });
  });

  test('of an organization lifts itself by rules', async () => {
    const gateway = await startGateway('SuperAdmin');
    const endpoint = await insertEndpoint(gateway);
    const { key, name } = await makeKey(gateway, { access_level: 'Admin' });
    const subject = `key:${name}`;
    const before = await gateway.call('GET', subjectsOf(subject));
    const ways: [string, Json][] = [
      ['organizations', { subject, access: 'SuperAdmin' }],
      ['organizations', { subject: 'group:a', access: 'Admin' }],
      ['endpoints', { subject, access: 'SuperAdmin', entity: endpoint }],
      ['endpoints', { subject, access: 'Read', entity: endpoint }],
    ];
    for (const [kind, body] of ways) {
      const reply = await gateway.call('POST', `/iam/rbac/${kind}/subjects`, body, key);
      expect(reply).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    }
    expect(await gateway.call('GET', subjectsOf(subject))).toEqual(before);
  });
});

describe('who comes with an external token', () => {
  test('has no personal keys, and makes one of the organization as Admin', async () => {
    const signing = await signingKey('ES256');
    const provider = openProvider([signing]);
    const gateway = await startTrusting(provider, { entry: { max_level: 'Admin' } });
    await grantGroup(gateway, 'ops', 'Admin');
    const token = await gateway.sign(signing, { groups: ['ops'] });
    expect(await gateway.call('POST', '/iam/keys/self', { name: 'own' }, token)).toEqual(
      refusal(403, 'FORBIDDEN', 'A personal key is of an account, and you have none here', [
        { rule: 'a caller known only by an external token has no personal keys' },
      ]),
    );
    const made = await gateway.call('POST', '/iam/keys', { name: 'app' }, token);
    expect(made.status).toBe(200);
    const { id } = made.body as { id: string };
    expect((await gateway.call('GET', `/iam/keys/${id}`, undefined, token)).body).toMatchObject({
      created_by: `${provider.issuer}#ada`,
    });
  });
});

describe('the audit names', () => {
  test.each([
    ['an organization’s key', makeKey, (_gateway: TestGateway, name: string) => `key:${name}`],
    [
      'a personal one with its owner',
      makeOwnKey,
      ({ user }: TestGateway, name: string) => `key:${user.username}/${name}`,
    ],
  ])('%s', async (_sort, make, actor) => {
    const gateway = await startGateway('SuperAdmin');
    const { key, name } = await make(gateway, { access_level: 'Admin' });
    await gateway.call('POST', '/iam/users', { username: `${freeName()}@example.com` }, key);
    const { body } = await gateway.call('GET', '/audit');
    expect((body as { entries: object[] }).entries).toContainEqual(
      expect.objectContaining({ actor: actor(gateway, name), action: 'user.create' }),
    );
  });
});
