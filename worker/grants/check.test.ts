/** Explanations over the wire: of decisions that routes make, and of refusals. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { LEVELS } from '../levels.ts';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';

const ON_ENDPOINTS = '/iam/rbac/endpoints/subjects';

const asked = (query: Record<string, string>) => `/iam/rbac/check?${new URLSearchParams(query)}`;

test('a check tells the rule, the others, and the smallest grant', async () => {
  const gateway = await startGateway('Admin');
  const { username: subject } = await gateway.addUser('Write');
  const id = await insertEndpoint(gateway);
  await gateway.call('POST', ON_ENDPOINTS, { subject, access: 'None', entity: id });
  const query = { resource: `endpoint:${id}`, operation: 'read', subject };
  expect(await gateway.call('GET', asked(query))).toEqual({
    status: 200,
    body: {
      allowed: false,
      level: 'None',
      needed: 'Read',
      rule: `endpoint ${id}: None for ${subject}`,
      considered: [
        {
          rule: `organization: Write for ${subject}`,
          decides: false,
          why: "A rule on the resource replaces the organization's level",
        },
        {
          rule: `endpoint ${id}: None for ${subject}`,
          decides: true,
          why: "A rule on the resource replaces the organization's level",
        },
      ],
      grant: { access_level: 'Read', subject, endpoint_id: id },
    },
  });
});

test('a refusal carries the same', async () => {
  const gateway = await startGateway('Admin');
  const user = await gateway.addUser('Read');
  const id = await insertEndpoint(gateway);
  const token = await gateway.token(user);
  const query = { resource: `endpoint:${id}`, operation: 'delete' };
  const explained = (await gateway.call('GET', asked(query), undefined, token)).body;
  expect(await gateway.call('DELETE', `/endpoints/${id}`, undefined, token)).toEqual({
    status: 403,
    body: {
      ...failure('FORBIDDEN', `This operation needs Admin access on endpoint ${id}`),
      details: [explained],
    },
  });
});

test.each([undefined, ...LEVELS])(
  'the grant of a refusal, made as it stands, lifts it: with %s on the organization',
  async (onOrganization) => {
    const gateway = await startGateway('SuperAdmin');
    const entity = await insertEndpoint(gateway);
    const user = await gateway.addUser(onOrganization);
    const token = await gateway.token(user);
    const read = async () =>
      (await gateway.call('GET', `/endpoints/${entity}`, undefined, token)).status;
    const query = { resource: `endpoint:${entity}`, operation: 'get' };
    const check = async () =>
      (await gateway.call('GET', asked(query), undefined, token)).body as Told; // As the contract has it.
    for (const access of [undefined, 'None', 'Write'] as const) {
      const body = { subject: user.username, access: access ?? 'None', entity };
      if (access) await gateway.call('POST', ON_ENDPOINTS, body);
      const { allowed, grant } = await check();
      expect(await read()).toBe(allowed ? 200 : 403);
      const kind = grant?.endpoint_id === undefined ? 'organizations' : 'endpoints';
      if (grant) await gateway.call('POST', `/iam/rbac/${kind}/subjects`, grant);
      expect([access, await read()]).toEqual([access, 200]);
    }
  },
);

/** What a check answers, as far as the test goes on with it. */
type Told = {
  readonly allowed: boolean;
  readonly grant?: { [member: string]: Json };
};

test.each([
  ['get', 'GET /endpoints/{endpoint}', 'Read'],
  ['update', 'PATCH /endpoints/:endpoint', 'Admin'],
  ['write', 'post /api/v1/endpoints/{endpoint}/write', 'Write'],
  ['test', 'POST /endpoints/{endpoint}/test', 'Read'],
])('an operation is named %s or %s', async (short, long, needed) => {
  const gateway = await startGateway('SuperAdmin');
  const resource = `endpoint:${await insertEndpoint(gateway)}`;
  for (const operation of [short, long]) {
    const { body } = await gateway.call('GET', asked({ resource, operation }));
    expect(body).toMatchObject({ allowed: true, needed, level: 'SuperAdmin' });
  }
});

test('a check of a list sees what the list sees: a rule on one endpoint is enough', async () => {
  const gateway = await startGateway('Admin');
  const user = await gateway.addUser(undefined);
  const token = await gateway.token(user);
  const query = { resource: 'organization', operation: 'GET /endpoints' };
  const check = async () => (await gateway.call('GET', asked(query), undefined, token)).body;
  expect(await check()).toMatchObject({ allowed: false, rule: 'no rule' });
  const entity = await insertEndpoint(gateway);
  await gateway.call('POST', ON_ENDPOINTS, { subject: user.username, access: 'Read', entity });
  expect(await check()).toMatchObject({
    allowed: true,
    rule: `endpoint: Read for ${user.username}`,
  });
});

describe('a check', () => {
  const fault = (path: string, message: string) => ({
    status: 400,
    body: failure('BAD_REQUEST', `${path}: ${message}`, [{ path, message }]),
  });
  const OPERATION =
    'must be a method and path that /help lists, such as "POST /endpoints/{endpoint}/read", or get, update, delete, run, or the last word of such a path';

  test.each([
    [
      'database',
      'get',
      'resource',
      'must be one of organization, endpoint:<id>, template:<id>, workflow:<id>',
    ],
    [
      'endpoint:',
      'get',
      'resource',
      'must be one of organization, endpoint:<id>, template:<id>, workflow:<id>',
    ],
    ['organization', 'conquer', 'operation', OPERATION],
    ['organization', 'GET /moon', 'operation', OPERATION],
    ['organization', 'constructor', 'operation', OPERATION],
    ['organization', 'GET /endpoints/{endpoint}', 'operation', 'acts on one endpoint'],
    ['endpoint:e', 'POST /endpoints', 'operation', 'acts on the organization'],
  ])('of %s and %s is 400', async (resource, operation, path, message) => {
    const gateway = await startGateway('Read');
    const reply = await gateway.call('GET', asked({ resource, operation }));
    expect(reply).toEqual(fault(path, message));
  });

  test('without a resource is of the organization', async () => {
    const gateway = await startGateway('Write');
    for (const operation of ['POST /endpoints', 'GET /audit']) {
      const named = await gateway.call('GET', asked({ operation, resource: 'organization' }));
      expect(named).toMatchObject({ status: 200, body: { level: 'Write', needed: 'Admin' } });
      expect(await gateway.call('GET', asked({ operation }))).toEqual(named);
    }
    expect(await gateway.call('GET', asked({ operation: 'DELETE /endpoints/{endpoint}' }))).toEqual(
      {
        status: 400,
        body: failure('BAD_REQUEST', 'operation: acts on one endpoint', [
          { path: 'operation', message: 'acts on one endpoint' },
        ]),
      },
    );
  });

  test('of a group alone is 400', async () => {
    const gateway = await startGateway('Admin');
    const query = { resource: 'organization', operation: 'GET /help', subject: 'group:a' };
    expect(await gateway.call('GET', asked(query))).toEqual(
      fault('subject', 'must be a user: a group alone can do nothing'),
    );
  });

  test("of another needs Admin, and of another organization's finds nothing", async () => {
    const [gateway, stranger] = [await startGateway('Write'), await startGateway('Read')];
    const { username } = await gateway.addUser('Read');
    const query = { resource: 'organization', operation: 'GET /endpoints' };
    const endpoint = await insertEndpoint(stranger);
    expect([
      await gateway.call('GET', asked({ ...query, subject: username })),
      await gateway.call('GET', asked({ ...query, subject: stranger.user.username })),
      await gateway.call('GET', asked({ resource: `endpoint:${endpoint}`, operation: 'get' })),
    ]).toEqual([
      {
        status: 403,
        body: failure('FORBIDDEN', 'This operation needs Admin access on the organization'),
      },
      { status: 404, body: failure('USER_NOT_FOUND', 'User not found in organization') },
      {
        status: 404,
        body: failure('ENDPOINT_NOT_FOUND', `Endpoint ${endpoint} does not exist`),
      },
    ]);
  });
});

test('what is left out is told in words of our own', async () => {
  const gateway = await startGateway('Admin');
  expect(await gateway.call('GET', '/iam/rbac/check')).toEqual({
    status: 400,
    body: failure('BAD_REQUEST', 'operation: is required', [
      { path: 'operation', message: 'is required' },
    ]),
  });
});
