/** Taking levels away: what goes, what stays, and who must remain. */
import { describe, expect, test } from 'vitest';
import { failure, insertEndpoint, startGateway, type TestGateway } from '../test/gateway.ts';

const ON_ORGANIZATION = '/iam/rbac/organizations/subjects';
const ON_ENDPOINTS = '/iam/rbac/endpoints/subjects';
const LAST = {
  status: 409,
  body: failure('LAST_SUPER_ADMIN', 'The organization needs a user who is SuperAdmin'),
};

/** A reader with a rule on each of two endpoints. */
async function startWithRules() {
  const gateway = await startGateway('SuperAdmin');
  const { username } = await gateway.addUser('Read');
  const endpoints = [await insertEndpoint(gateway), await insertEndpoint(gateway)].toSorted();
  for (const entity of endpoints) {
    await gateway.call('POST', ON_ENDPOINTS, { subject: username, access: 'Write', entity });
  }
  const [first = '', second = ''] = endpoints;
  return { gateway, username, first, second };
}

async function summaryOf(gateway: TestGateway, subject: string) {
  return (await gateway.call('GET', `/iam/rbac/subjects/${subject}`)).body;
}

describe('of one subject', () => {
  test('the level on the organization goes, and those on resources stay', async () => {
    const { gateway, username, first, second } = await startWithRules();
    expect(await gateway.call('DELETE', `${ON_ORGANIZATION}/${username}`)).toEqual({
      status: 200,
      body: {
        message: `Permissions of ${username} on organization ${gateway.organization.id} removed`,
        subject: username,
        organizationId: gateway.organization.id,
      },
    });
    expect(await summaryOf(gateway, username)).toEqual({
      subject: username,
      organizations: {},
      endpoints: { [first]: 'Write', [second]: 'Write' },
      templates: {},
      workflows: {},
    });
  });

  test('the level on one endpoint goes, then those on all', async () => {
    const { gateway, username, first, second } = await startWithRules();
    expect(
      await gateway.call('DELETE', `${ON_ENDPOINTS}/${username}?endpoint_id=${first}`),
    ).toEqual({
      status: 200,
      body: {
        message: `Permissions of ${username} on endpoint ${first} removed`,
        subject: username,
        endpointId: first,
      },
    });
    expect(await summaryOf(gateway, username)).toMatchObject({ endpoints: { [second]: 'Write' } });
    expect(await gateway.call('DELETE', `${ON_ENDPOINTS}/${username}`)).toEqual({
      status: 200,
      body: {
        message: `Permissions of ${username} on all endpoints removed`,
        subject: username,
        endpointId: null,
      },
    });
    expect(await summaryOf(gateway, username)).toEqual({
      subject: username,
      organizations: { [gateway.organization.id]: 'Read' },
      endpoints: {},
      templates: {},
      workflows: {},
    });
  });

  test('everything goes at once; the member stays', async () => {
    const { gateway, username } = await startWithRules();
    expect(await gateway.call('DELETE', `/iam/rbac/subjects/${username}`)).toEqual({
      status: 200,
      body: {
        message: `All permissions of ${username} removed`,
        subject: username,
        organizationId: null,
        endpointId: null,
        templateId: null,
        workflowId: null,
      },
    });
    expect(await summaryOf(gateway, username)).toEqual({
      subject: username,
      organizations: {},
      endpoints: {},
      templates: {},
      workflows: {},
    });
  });

  test("another organization's user is not found", async () => {
    const gateway = await startGateway('SuperAdmin');
    const { user } = await startGateway('Read');
    const replies = [];
    for (const name of [user.username, user.uuid, "' or 1=1 --", '%']) {
      for (const path of [ON_ORGANIZATION, ON_ENDPOINTS, '/iam/rbac/subjects']) {
        replies.push(await gateway.call('DELETE', `${path}/${encodeURIComponent(name)}`));
      }
    }
    const notFound = {
      status: 404,
      body: failure('USER_NOT_FOUND', 'User not found in organization'),
    };
    expect(replies).toEqual(replies.map(() => notFound));
  });
});

describe('of a document', () => {
  test('all rules on an endpoint go', async () => {
    const { gateway, username, first, second } = await startWithRules();
    await gateway.call('POST', ON_ENDPOINTS, {
      subject: 'group:ops',
      access: 'Read',
      entity: first,
    });
    expect(await gateway.call('DELETE', `/iam/rbac/endpoints/${first}`)).toEqual({
      status: 200,
      body: {
        message: `Permissions on endpoint ${first} removed`,
        removed_subjects: { users: [username], groups: ['ops'] },
      },
    });
    expect(await summaryOf(gateway, username)).toMatchObject({ endpoints: { [second]: 'Write' } });
  });

  test("all rules on the organization go but the caller's own SuperAdmin", async () => {
    const gateway = await startGateway('SuperAdmin');
    const other = await gateway.addUser('SuperAdmin');
    await gateway.call('POST', ON_ORGANIZATION, { subject: 'group:ops', access: 'Read' });
    expect(await gateway.call('DELETE', '/iam/rbac/organizations')).toEqual({
      status: 200,
      body: {
        message: `Permissions on organization ${gateway.organization.id} removed`,
        removed_subjects: { users: [other.username], groups: ['ops'] },
      },
    });
    expect((await gateway.call('GET', '/iam/rbac/organizations')).body).toEqual({
      organization_id: gateway.organization.id,
      users: { [gateway.user.username]: 'SuperAdmin' },
      groups: {},
    });
  });
});

describe('the last SuperAdmin stays', () => {
  test.each<[string, (self: string) => [string, string, object?]]>([
    ['remove their level', (self) => ['DELETE', `${ON_ORGANIZATION}/${self}`]],
    ['remove all they have', (self) => ['DELETE', `/iam/rbac/subjects/${self}`]],
    ['lower themselves', (self) => ['POST', ON_ORGANIZATION, { subject: self, access: 'Admin' }]],
    ['deny themselves', (self) => ['POST', ON_ORGANIZATION, { subject: self, access: 'None' }]],
    [
      'lower themselves while a group is raised',
      (self) => [
        'POST',
        ON_ORGANIZATION,
        {
          subjects: [
            ['group:a', 'SuperAdmin'],
            [self, 'Read'],
          ],
        },
      ],
    ],
  ])('when they %s, whatever groups there are', async (_what, request) => {
    const gateway = await startGateway('SuperAdmin');
    const group = { subject: 'group:roots', access: 'SuperAdmin' };
    expect((await gateway.call('POST', ON_ORGANIZATION, group)).status).toBe(200);
    const [method, path, body] = request(gateway.user.username);
    expect(await gateway.call(method, path, body && { ...body })).toEqual(LAST);
    const { body: document } = await gateway.call('GET', '/iam/rbac/organizations');
    expect(document).toEqual({
      organization_id: gateway.organization.id,
      users: { [gateway.user.username]: 'SuperAdmin' },
      groups: { roots: 'SuperAdmin' },
    });
  });

  test('but hands over in one request', async () => {
    const gateway = await startGateway('SuperAdmin');
    const { username } = await gateway.addUser('Read');
    const subjects = [
      [gateway.user.username, 'Read'],
      [username, 'SuperAdmin'],
    ];
    expect((await gateway.call('POST', ON_ORGANIZATION, { subjects })).status).toBe(200);
  });

  test.each(['DELETE', 'POST'])('when all go at the same time by %s', async (method) => {
    const gateway = await startGateway('SuperAdmin');
    const users = [
      gateway.user,
      ...(await Promise.all([1, 2, 3].map(() => gateway.addUser('SuperAdmin')))),
    ];
    const replies = await Promise.all(
      users.map(async ({ username }, at) => {
        const by = await gateway.token(users[(at + 1) % users.length]);
        return method === 'DELETE'
          ? gateway.call('DELETE', `${ON_ORGANIZATION}/${username}`, undefined, by)
          : gateway.call('POST', ON_ORGANIZATION, { subject: username, access: 'Read' }, by);
      }),
    );
    const done = replies.filter(({ status }) => status === 200).length;
    const rows = await gateway.bindings.DB.prepare(
      "select count(*) as n from rules where org_uuid = ? and level = 'SuperAdmin'",
    )
      .bind(gateway.organization.uuid)
      .first<{ n: number }>();
    expect([done + (rows?.n ?? 0), (rows?.n ?? 0) > 0]).toEqual([users.length, true]);
  });
});
