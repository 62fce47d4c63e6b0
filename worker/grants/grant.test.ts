/** Giving levels: every form of body, all or none, to whom and on what. */
import { describe, expect, test } from 'vitest';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';

const ON_ORGANIZATION = '/iam/rbac/organizations/subjects';
const ON_ENDPOINTS = '/iam/rbac/endpoints/subjects';

describe('on the organization', () => {
  test('a level is given, and replaces the earlier one', async () => {
    const gateway = await startGateway('Admin');
    const { username: subject } = await gateway.addUser('Read');
    const organizationId = gateway.organization.id;
    for (const level of ['Write', 'None', 'Read'] as const) {
      expect(await gateway.call('POST', ON_ORGANIZATION, { access_level: level, subject })).toEqual(
        {
          status: 200,
          body: {
            message: `${subject} has ${level} on organization ${organizationId}`,
            subject,
            accessLevel: level,
            organizationId,
          },
        },
      );
      expect(await gateway.call('GET', `${ON_ORGANIZATION}/${subject}`)).toEqual({
        status: 200,
        body: { subject, organizations: { [organizationId]: level } },
      });
    }
  });

  test('a user may be named by UUID, in another letter case, or as a group', async () => {
    const gateway = await startGateway('Admin');
    const { uuid, username } = await gateway.addUser(undefined);
    const given = [];
    for (const subject of [
      uuid,
      uuid.toUpperCase(),
      username.toUpperCase(),
      'group:Ops: "night"',
    ]) {
      const { body } = await gateway.call('POST', ON_ORGANIZATION, { access: 'Read', subject });
      given.push(body);
    }
    const result = (subject: string) => ({
      message: `${subject} has Read on organization ${gateway.organization.id}`,
      subject,
      accessLevel: 'Read',
      organizationId: gateway.organization.id,
    });
    expect(given).toEqual([username, username, username, 'group:Ops: "night"'].map(result));
    expect((await gateway.call('GET', '/iam/rbac/organizations')).body).toEqual({
      organization_id: gateway.organization.id,
      users: { [gateway.user.username]: 'Admin', [username]: 'Read' },
      groups: { 'Ops: "night"': 'Read' },
    });
  });

  test('a right that is given or taken is so for the very next request', async () => {
    const gateway = await startGateway('Admin');
    const user = await gateway.addUser(undefined);
    const token = await gateway.token(user);
    const statuses = [];
    for (const access of ['Read', 'None', 'Write'] as const) {
      await gateway.call('POST', ON_ORGANIZATION, { access, subject: user.username });
      statuses.push((await gateway.call('GET', '/endpoints', undefined, token)).status);
    }
    await gateway.call('DELETE', `${ON_ORGANIZATION}/${user.username}`);
    statuses.push((await gateway.call('GET', '/endpoints', undefined, token)).status);
    expect(statuses).toEqual([200, 403, 200, 403]);
  });
});

describe('on an endpoint', () => {
  test.each([
    [
      'the record',
      (subject: string, id: string) => ({ access_level: 'Write', subject, endpoint_id: id }),
    ],
    ['the triple', (subject: string, id: string) => ({ access: 'Write', subject, entity: id })],
  ])('%s is taken', async (_shape, body) => {
    const gateway = await startGateway('Admin');
    const { username: subject } = await gateway.addUser('Read');
    const endpointId = await insertEndpoint(gateway);
    expect(await gateway.call('POST', ON_ENDPOINTS, body(subject, endpointId))).toEqual({
      status: 200,
      body: {
        message: `${subject} has Write on endpoint ${endpointId}`,
        subject,
        accessLevel: 'Write',
        endpointId,
      },
    });
    expect(await gateway.call('GET', `${ON_ENDPOINTS}/${subject}`)).toEqual({
      status: 200,
      body: { subject, endpoints: { [endpointId]: 'Write' } },
    });
  });

  test.each(['endpoint_id', 'entity'])('a list is taken with %s', async (member) => {
    const gateway = await startGateway('Admin');
    const [one, other] = [await gateway.addUser('Read'), await gateway.addUser(undefined)];
    const id = await insertEndpoint(gateway);
    const subjects = [
      [one.username, 'None'],
      [other.uuid, 'Write'],
      ['group:ops', 'Read'],
    ];
    expect(await gateway.call('POST', ON_ENDPOINTS, { subjects, [member]: id })).toEqual({
      status: 200,
      body: {
        message: `3 subjects added to endpoint ${id}`,
        subjects: [
          { subject: one.username, accessLevel: 'None' },
          { subject: other.username, accessLevel: 'Write' },
          { subject: 'group:ops', accessLevel: 'Read' },
        ],
      },
    });
    expect(await gateway.call('GET', `/iam/rbac/endpoints/${id}`)).toEqual({
      status: 200,
      body: {
        endpoint_id: id,
        users: { [one.username]: 'None', [other.username]: 'Write' },
        groups: { ops: 'Read' },
      },
    });
  });

  test('a list with one who is no member, or is Admin, gives nobody anything', async () => {
    const gateway = await startGateway('Admin');
    const { username } = await gateway.addUser('Read');
    const stranger = (await startGateway('Read')).user.username;
    const admin = (await gateway.addUser('Admin')).username;
    const id = await insertEndpoint(gateway);
    const replies = [];
    for (const last of [stranger, admin]) {
      const subjects = [
        [username, 'Write'],
        [last, 'Write'],
      ];
      replies.push(await gateway.call('POST', ON_ENDPOINTS, { subjects, entity: id }));
    }
    expect(replies).toEqual([
      { status: 404, body: failure('USER_NOT_FOUND', 'User not found in organization') },
      {
        status: 403,
        body: failure('FORBIDDEN', `This operation needs SuperAdmin access on endpoint ${id}`),
      },
    ]);
    const { body } = await gateway.call('GET', `/iam/rbac/endpoints/${id}`);
    expect(body).toEqual({ endpoint_id: id, users: {}, groups: {} });
  });

  test("another organization's is not there, by id or UUID", async () => {
    const [gateway, other] = [await startGateway('SuperAdmin'), await startGateway('SuperAdmin')];
    const id = await insertEndpoint(other);
    const body = { subject: gateway.user.username, access: 'Read', entity: id };
    const notFound = {
      status: 404,
      body: failure('ENDPOINT_NOT_FOUND', `Endpoint ${id} does not exist`),
    };
    expect(await gateway.call('POST', ON_ENDPOINTS, body)).toEqual(notFound);
    expect(await gateway.call('GET', `/iam/rbac/endpoints/${id}`)).toEqual(notFound);
    expect(await gateway.call('DELETE', `/iam/rbac/endpoints/${id}`)).toEqual(notFound);
    const path = `${ON_ENDPOINTS}/${gateway.user.username}?endpoint_id=${id}`;
    expect(await gateway.call('DELETE', path)).toEqual(notFound);
  });
});

describe('a body', () => {
  const fault = (path: string, message: string) =>
    failure('BAD_REQUEST', `${path}: ${message}`, [{ path, message }]);
  const LEVEL = 'must be one of "None", "Read", "Write", "Admin", "SuperAdmin"';

  test.each([
    [
      'an unknown level',
      { access_level: 'read', subject: 'a', endpoint_id: 'e' },
      'access_level',
      `${LEVEL}; did you mean "Read"?`,
    ],
    ['no endpoint', { access_level: 'Read', subject: 'a' }, 'endpoint_id', 'is required'],
    ['a list without an endpoint', { subjects: [['a', 'Read']] }, 'endpoint_id', 'is required'],
    [
      'two names of the endpoint',
      { subjects: [['a', 'Read']], entity: 'e', endpoint_id: 'e' },
      'endpoint_id',
      'is given twice',
    ],
    [
      'an unknown member',
      { access_level: 'Read', subject: 'a', endpoint_id: 'e', until: 'noon' },
      'body',
      '"until" is not known; known are access_level, subject, endpoint_id',
    ],
    [
      'a group without a name',
      { access: 'Read', subject: 'group:', entity: 'e' },
      'subject',
      'must name the group in 1 to 255 characters, without control characters',
    ],
  ])('with %s is 400', async (_what, body, path, message) => {
    const gateway = await startGateway('Admin');
    const reply = await gateway.call('POST', ON_ENDPOINTS, body);
    expect(reply).toEqual({ status: 400, body: fault(path, message) });
  });

  test('that names one user twice is 400, by whatever name', async () => {
    const gateway = await startGateway('Admin');
    const { username, uuid } = await gateway.addUser('Read');
    const subjects = [
      [username, 'Write'],
      [uuid, 'Read'],
    ];
    expect(await gateway.call('POST', ON_ORGANIZATION, { subjects })).toEqual({
      status: 400,
      body: fault('subjects', 'names a subject twice'),
    });
  });

  test.each(["'", '"', "' or 1=1 --", '`', '\\', '%', '["', '__proto__', '{{x}}'])(
    'with %s in its texts does what it says, and nothing else',
    async (text) => {
      const gateway = await startGateway('Admin');
      const group = `group:${text}`;
      const call = (body: object) => gateway.call('POST', ON_ORGANIZATION, { ...body });
      expect((await call({ subject: group, access: 'Read' })).status).toBe(200);
      expect((await call({ subject: text, access: 'Read' })).status).toBe(404);
      expect((await call({ subject: group, access: 'Read', entity: text })).status).toBe(404);
      const document = (await gateway.call('GET', '/iam/rbac/organizations')).body;
      expect(JSON.stringify(document)).toBe(
        JSON.stringify({
          organization_id: gateway.organization.id,
          users: { [gateway.user.username]: 'Admin' },
          groups: Object.fromEntries([[text, 'Read']]),
        }),
      );
    },
  );
});

test('what was given and taken is in the audit, with whom it was about', async () => {
  const gateway = await startGateway('Admin');
  const { uuid: subject, username } = await gateway.addUser('Read');
  const resource = `organization:${gateway.organization.uuid}`;
  await gateway.call('POST', ON_ORGANIZATION, {
    subjects: [
      [username, 'Write'],
      ['group:ops', 'None'],
    ],
  });
  await gateway.call('DELETE', `${ON_ORGANIZATION}/${username}`);
  await gateway.call('DELETE', `${ON_ORGANIZATION}/${username}`);
  const entry = (action: string, details: object) => ({ action, resource, details });
  const id = gateway.organization.id;
  const { results } = await gateway.bindings.DB.prepare(
    'select action, resource, details from audit_entries where org_uuid = ? order by rowid',
  )
    .bind(gateway.organization.uuid)
    .all<{ details: string }>();
  const actor_uuid = gateway.user.uuid;
  expect(results.map((row) => ({ ...row, details: JSON.parse(row.details) }))).toEqual([
    entry('rbac.organizations.subjects.create', { actor_uuid, id, subject, level: 'Write' }),
    entry('rbac.organizations.subjects.create', {
      actor_uuid,
      id,
      subject: 'group:ops',
      level: 'None',
    }),
    entry('rbac.organizations.subjects.delete', { actor_uuid, subject }),
  ]);
});

test.each(['template', 'workflow'])('of a %s that is not there is 404', async (kind) => {
  const gateway = await startGateway('SuperAdmin');
  const { username } = gateway.user;
  const name = kind === 'template' ? 'Template' : 'Workflow';
  const code = kind === 'template' ? 'TEMPLATE_NOT_FOUND' : 'WORKFLOW_NOT_FOUND';
  const notFound = { status: 404, body: failure(code, `${name} t-1 does not exist`) };
  const body = { access_level: 'Read', subject: username, [`${kind}_id`]: 't-1' };
  expect(await gateway.call('POST', `/iam/rbac/${kind}s/subjects`, body)).toEqual(notFound);
  expect(await gateway.call('GET', `/iam/rbac/${kind}s/t-1`)).toEqual(notFound);
  expect(await gateway.call('GET', `/iam/rbac/${kind}s/subjects/${username}`)).toEqual({
    status: 200,
    body: { subject: username, [`${kind}s`]: {} },
  });
  expect(await gateway.call('DELETE', `/iam/rbac/${kind}s/subjects/${username}`)).toEqual({
    status: 200,
    body: {
      message: `Permissions of ${username} on all ${kind}s removed`,
      subject: username,
      [`${kind}Id`]: null,
    },
  });
});
