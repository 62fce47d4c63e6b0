/** What is told of rules, and to whom. */
import { expect, test } from 'vitest';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';

const ON_ENDPOINTS = '/iam/rbac/endpoints/subjects';
const SORTS = ['organizations', 'endpoints', 'templates', 'workflows'];

/** Every way to ask for a subject's permissions. */
const asked = (subject: string) => [
  ['GET', `/iam/rbac/subjects/${subject}`],
  ['POST', `/iam/rbac/workflows/subjects/${subject}`],
  ...SORTS.flatMap((sort) => [
    ['GET', `/iam/rbac/subjects/${subject}/${sort}`],
    ['GET', `/iam/rbac/${sort}/subjects/${subject}`],
  ]),
];

test("one's own permissions need no rule; another's need Admin", async () => {
  const gateway = await startGateway('Admin');
  const [user, other] = [await gateway.addUser(undefined), await gateway.addUser('Write')];
  const token = await gateway.token(other);
  const denied = {
    status: 403,
    body: failure('FORBIDDEN', 'This operation needs Admin access on the organization'),
  };
  for (const [method = '', path = ''] of asked(user.username)) {
    const own = await gateway.call(method, path, undefined, await gateway.token(user));
    const admins = await gateway.call(method, path);
    expect([path, own]).toEqual([path, { status: 200, body: admins.body }]);
    expect([path, await gateway.call(method, path, undefined, token)]).toEqual([path, denied]);
  }
});

test('a subject that is no member is not found, before a level is asked for', async () => {
  const [gateway, other] = [await startGateway(undefined), await startGateway('SuperAdmin')];
  for (const [method = '', path = ''] of asked(other.user.username)) {
    expect([path, await gateway.call(method, path)]).toEqual([
      path,
      { status: 404, body: failure('USER_NOT_FOUND', 'User not found in organization') },
    ]);
  }
});

test("a group's permissions need no membership", async () => {
  const gateway = await startGateway('Admin');
  const group = 'group:a/b?c';
  await gateway.call('POST', '/iam/rbac/organizations/subjects', {
    subject: group,
    access: 'Read',
  });
  const path = `/iam/rbac/subjects/${encodeURIComponent(group)}`;
  expect(await gateway.call('GET', path)).toEqual({
    status: 200,
    body: {
      subject: group,
      organizations: { [gateway.organization.id]: 'Read' },
      endpoints: {},
      templates: {},
      workflows: {},
    },
  });
});

test('a summary names only the organization of the token', async () => {
  const [gateway, other] = [await startGateway('SuperAdmin'), await startGateway('SuperAdmin')];
  const { uuid, username } = gateway.user;
  const insert = (sql: string, ...values: unknown[]) =>
    gateway.bindings.DB.prepare(sql)
      .bind(...values)
      .run();
  const there = other.organization.uuid;
  await insert(
    `insert into memberships values (?, ?, '', 0, 'x', 0, 'x', null, 0, 1)`,
    there,
    uuid,
  );
  await insert(
    `insert into rules values (?, 'organization', ?, ?, 'Read', 0, 'x')`,
    there,
    there,
    uuid,
  );
  expect((await gateway.call('GET', `/iam/rbac/subjects/${username}`)).body).toEqual({
    subject: username,
    organizations: { [gateway.organization.id]: 'SuperAdmin' },
    endpoints: {},
    templates: {},
    workflows: {},
  });
});

test('the accessible endpoints are those that one may read, with the level in force', async () => {
  const gateway = await startGateway('SuperAdmin');
  const user = await gateway.addUser('Write');
  const ids = [];
  for (const level of [undefined, 'Read', 'Admin', 'None'] as const) {
    const id = await insertEndpoint(gateway);
    ids.push(id);
    if (level === undefined) continue;
    const body = { subject: user.username, access: level, entity: id };
    await gateway.call('POST', ON_ENDPOINTS, body);
  }
  const [plain = '', lowered = '', raised = ''] = ids;
  await insertEndpoint(await startGateway('Read'));
  expect(await gateway.call('GET', ON_ENDPOINTS, undefined, await gateway.token(user))).toEqual({
    status: 200,
    body: {
      subject: user.username,
      endpoints: { [plain]: 'Write', [lowered]: 'Read', [raised]: 'Admin' },
    },
  });
});
