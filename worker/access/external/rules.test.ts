/** What who comes with an external token may do: rules of their groups, within their issuer's bound. Contract §3, §4. */

import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import type { Level } from '../../levels.ts';
import { failure, insertEndpoint } from '../../test/gateway.ts';
import {
  grantGroup,
  openProvider,
  SECONDS,
  signingKey,
  startTrusting,
} from '../../test/identity-provider.ts';
import { countTrips } from '../../test/trips.ts';

const key = await signingKey('ES256');
const TIME = new Date(SECONDS * 1000).toISOString();

async function start(setup: Parameters<typeof startTrusting>[1] = {}) {
  const provider = openProvider([key]);
  const gateway = await startTrusting(provider, setup);
  const as = async (claims: object, method: string, path: string) =>
    gateway.call(method, path, undefined, await gateway.sign(key, { ...claims }));
  const self = `${provider.issuer}#ada`;
  return { ...gateway, provider, as, self, own: encodeURIComponent(self) };
}

describe('the level', () => {
  test('is None without a group that has one', async () => {
    const { as, ...gateway } = await start();
    await grantGroup(gateway, 'ops', 'Read');
    expect(await as({ groups: ['dev'] }, 'GET', '/endpoints')).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Read access on the organization', [
        {
          allowed: false,
          level: 'None',
          needed: 'Read',
          rule: 'no rule',
          considered: [
            { rule: 'no rule', decides: true, why: 'Without a rule there is no access' },
          ],
          grant: { access_level: 'Read', subject: 'group:dev' },
        },
      ]),
    });
  });

  const sources: [string, object, object][] = [
    ['a group', { groups: ['dev', 'ops'] }, {}],
    ['the one group', { groups: 'ops' }, {}],
    ['a permission', { permissions: ['ops'] }, {}],
    ['one of several permissions in a text', { permissions: 'dev ops' }, {}],
    ['a group elsewhere', { roles: ['ops'] }, { groups: 'roles' }],
    ['a group deep in a claim', { realm: { roles: ['ops'] } }, { groups: 'realm.roles' }],
    [
      'a group in a claim with dots',
      { 'https://a.example.com/g': ['ops'] },
      { groups: 'https://a.example.com/g' },
    ],
  ];
  test.each(sources)('comes from %s', async (_what, claims, mapping) => {
    const gateway = await start({ entry: { claims: { organization: 'org', ...mapping } } });
    await grantGroup(gateway, 'ops', 'Read');
    expect((await gateway.as(claims, 'GET', '/endpoints')).status).toBe(200);
  });

  const nothing: [string, object][] = [
    ['a group of another name', { groups: ['Ops'] }],
    ['a group in an object', { groups: { ops: true } }],
    ['a group in a list in a list', { groups: [['ops']] }],
    ['a text of groups', { groups: 'dev ops' }],
    ['a name like that of a rule', { groups: ['group:ops'] }],
    ['a claim that nothing maps', { roles: ['ops'] }],
  ];
  test.each(nothing)('does not come from %s', async (_what, claims) => {
    const { as, ...gateway } = await start();
    await grantGroup(gateway, 'ops', 'Read');
    expect((await as(claims, 'GET', '/endpoints')).status).toBe(403);
  });

  test('does not come from a rule of a user whose UUID or name they bear', async () => {
    const gateway = await start({ level: 'SuperAdmin' });
    for (const sub of [gateway.user.uuid, gateway.user.username]) {
      expect((await gateway.as({ sub, groups: [sub] }, 'GET', '/endpoints')).status).toBe(403);
    }
  });

  test('is the most restrictive of their groups on one resource', async () => {
    const gateway = await start();
    await grantGroup(gateway, 'ops', 'Write');
    await grantGroup(gateway, 'guests', 'None');
    expect((await gateway.as({ groups: ['ops'] }, 'GET', '/endpoints')).status).toBe(200);
    expect((await gateway.as({ groups: ['ops', 'guests'] }, 'GET', '/endpoints')).status).toBe(403);
  });
});

async function withEndpoints() {
  const gateway = await start();
  const [open, shut] = [await insertEndpoint(gateway), await insertEndpoint(gateway)];
  const uuids = await env.DB.prepare('select id, uuid from endpoints where org_uuid = ?')
    .bind(gateway.organization.uuid)
    .all<{ id: string; uuid: string }>();
  const uuid = (id: string) => uuids.results.find((each) => each.id === id)?.uuid ?? '';
  await grantGroup(gateway, 'a', 'Read', uuid(open));
  await grantGroup(gateway, 'a', 'Read', uuid(shut));
  await grantGroup(gateway, 'b', 'None', uuid(shut));
  await grantGroup(gateway, 'c', 'Read', uuid(shut));
  const ids = async (groups: string[]) => {
    const { status, body } = await gateway.as({ groups }, 'GET', '/endpoints');
    const { data } = body as { data?: { endpoints: { id: string }[] } }; // Where it is 200.
    return data?.endpoints.map(({ id }) => id) ?? status;
  };
  return { ...gateway, open, shut, ids };
}

describe('rules on endpoints', () => {
  test('open those to their groups, unless one of them is shut out', async () => {
    const { ids, open, shut } = await withEndpoints();
    expect(await ids(['a'])).toEqual([open, shut].toSorted());
    expect(await ids(['a', 'b'])).toEqual([open]);
    expect(await ids(['b'])).toBe(403);
    expect(await ids(['c'])).toEqual([shut]);
    expect(await ids(['b', 'c'])).toBe(403);
    expect(await ids([])).toBe(403);
  });

  test('are told in their own permissions, and tell what they may read', async () => {
    const { as, own, self, open, shut } = await withEndpoints();
    expect(
      await as({ groups: ['a', 'b'] }, 'GET', `/iam/rbac/endpoints/subjects/${own}`),
    ).toMatchObject({
      status: 200,
      body: { subject: self, endpoints: { [open]: 'Read', [shut]: 'None' } },
    });
  });
});

describe('the bound of the issuer', () => {
  test('is Write: an Admin group gives no more, and the refusal says why', async () => {
    const { as, ...gateway } = await start();
    await grantGroup(gateway, 'ops', 'Admin');
    expect(await as({ groups: ['ops'] }, 'GET', '/iam/users')).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Admin access on the organization', [
        {
          allowed: false,
          level: 'Write',
          needed: 'Admin',
          rule: "organization: Write for group:ops (Admin, lowered by the issuer's max_level)",
          considered: [
            {
              rule: "organization: Write for group:ops (Admin, lowered by the issuer's max_level)",
              decides: true,
              why: 'It is the level on the organization',
            },
          ],
        },
      ]),
    });
  });

  test('may be raised', async () => {
    const gateway = await start({ entry: { max_level: 'Admin' } });
    await grantGroup(gateway, 'ops', 'SuperAdmin');
    const ops = { groups: ['ops'] };
    expect((await gateway.as(ops, 'GET', '/iam/users')).status).toBe(200);
    expect((await gateway.as(ops, 'DELETE', '/organizations')).status).toBe(403);
  });

  test('holds on a resource too', async () => {
    const gateway = await start({ entry: { max_level: 'Read' } });
    await grantGroup(gateway, 'ops', 'Admin');
    const endpoint = await insertEndpoint(gateway);
    const ops = { groups: ['ops'] };
    expect((await gateway.as(ops, 'GET', `/endpoints/${endpoint}`)).status).toBe(200);
    expect((await gateway.as(ops, 'DELETE', `/endpoints/${endpoint}`)).status).toBe(403);
  });
});

describe('without an account', () => {
  test('their own record tells what their token says', async () => {
    const { as, own, self, provider, ...gateway } = await start();
    await grantGroup(gateway, 'ops', 'Read');
    const claims = { groups: ['ops'], permissions: ['deploy'], iat: SECONDS };
    expect(await as(claims, 'GET', `/iam/users/${own}`)).toEqual({
      status: 200,
      body: {
        userId: self,
        uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f-]{16}$/),
        description: '',
        accessLevel: 'Read',
        status: 'active',
        created: TIME,
        createdBy: provider.issuer,
        lastModified: TIME,
        lastModifiedBy: provider.issuer,
        lastActive: TIME,
        groups: ['deploy', 'ops'],
        managedResources: { endpoints: 0, templates: 0, workflows: 0 },
        activity: { lastLogin: TIME, loginCount: 0, lastOperations: [] },
      },
    });
  });

  test("another's record is none of their own", async () => {
    const { as, provider } = await start();
    const other = encodeURIComponent(`${provider.issuer}#bob`);
    expect((await as({}, 'GET', `/iam/users/${other}`)).status).toBe(404);
  });

  test('there is nothing to change, and no rule can be for them', async () => {
    const { as, own, self, call, sign } = await start({ level: 'SuperAdmin' });
    const bearer = await sign(key);
    expect((await call('PATCH', `/iam/users/${own}`, { description: 'x' }, bearer)).status).toBe(
      403,
    );
    expect((await as({}, 'DELETE', `/iam/users/${own}`)).status).toBe(404);
    const grant = { access_level: 'Read', subject: self };
    expect((await call('POST', '/iam/rbac/organizations/subjects', grant)).status).toBe(404);
  });

  test('their token is refreshed by their provider, not here', async () => {
    const { as } = await start();
    expect(await as({}, 'POST', '/auth/refresh')).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', 'A token of an identity provider is refreshed there'),
    });
  });

  test('an Admin who asks what a user may do is not told their own rights', async () => {
    const gateway = await start({ entry: { max_level: 'Admin' }, level: 'Read' });
    await grantGroup(gateway, 'ops', 'Admin');
    const query = `resource=organization&operation=${encodeURIComponent('GET /iam/users')}`;
    const asked = (subject: string) =>
      gateway.as({ groups: ['ops'] }, 'GET', `/iam/rbac/check?${query}${subject}`);
    expect(await asked('')).toMatchObject({ status: 200, body: { allowed: true } });
    const user = `&subject=${encodeURIComponent(gateway.user.username)}`;
    expect(await asked(user)).toMatchObject({
      status: 200,
      body: {
        allowed: false,
        rule: `organization: Read for ${gateway.user.username}`,
      },
    });
  });
});

test('a steady caller makes no trip to D1 after those of their first request', async () => {
  const trips = countTrips(env.DB);
  const gateway = await start({ bindings: { DB: trips.binding } });
  const token = await gateway.sign(key);
  const counted = [];
  for (let request = 0; request < 3; request += 1) {
    await gateway.call('GET', '/help', undefined, token);
    counted.push(trips.count());
  }
  expect(counted).toEqual([2, 2, 2]);
});

test('what is remembered of them is not for their next token, when that has other groups', async () => {
  const { as, ...gateway } = await start();
  await grantGroup(gateway, 'ops', 'Read');
  expect((await as({ groups: ['ops'] }, 'GET', '/endpoints')).status).toBe(200);
  expect((await as({ groups: ['dev'] }, 'GET', '/endpoints')).status).toBe(403);
  expect((await as({ groups: ['ops'] }, 'GET', '/endpoints')).status).toBe(200);
});

test.each<[Level, number]>([
  ['Read', 200],
  ['None', 403],
])('a group that is given %s has it for the next request', async (level, status) => {
  const gateway = await start({ level: 'SuperAdmin' });
  await grantGroup(gateway, 'ops', level === 'None' ? 'Read' : 'None');
  const token = await gateway.sign(key, { groups: ['ops'] });
  const read = async () => (await gateway.call('GET', '/endpoints', undefined, token)).status;
  expect(await read()).toBe(status === 200 ? 403 : 200);
  const grant = { access_level: level, subject: 'group:ops' };
  await gateway.call('POST', '/iam/rbac/organizations/subjects', grant);
  expect(await read()).toBe(status);
});
