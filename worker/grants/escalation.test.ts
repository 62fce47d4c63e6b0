/** Who may change whose level: Admin is below SuperAdmin, and nobody lifts themselves. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { LEVELS, type Level } from '../levels.ts';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';

const ON_ORGANIZATION = '/iam/rbac/organizations/subjects';
const ON_ENDPOINTS = '/iam/rbac/endpoints/subjects';
const REFUSED = {
  status: 403,
  body: failure(
    'FORBIDDEN',
    expect.stringMatching(
      /^This operation needs SuperAdmin access on (?:the organization|endpoint endpoint-[\w-]+)$/,
    ),
  ),
};

/** What an attempt acts with. */
interface Names {
  readonly self: string;
  readonly victim: string;
  readonly endpoint: string;
}
type Attempt = readonly [
  what: string,
  method: string,
  path: (n: Names) => string,
  body?: (n: Names) => Json,
];

const onOrganization = () => ON_ORGANIZATION;
const onEndpoints = () => ON_ENDPOINTS;

/** Ways to make somebody Admin or SuperAdmin; nobody below SuperAdmin has any. */
const RAISING: Attempt[] = (['Admin', 'SuperAdmin'] as const).flatMap((level): Attempt[] => [
  [
    `grants itself ${level}`,
    'POST',
    onOrganization,
    ({ self }) => ({ subject: self, access: level }),
  ],
  [
    `grants another ${level}`,
    'POST',
    onOrganization,
    ({ victim }) => ({ access_level: level, subject: victim }),
  ],
  [
    `hides ${level} in a list`,
    'POST',
    onOrganization,
    ({ self }) => ({
      subjects: [
        ['group:a', 'Read'],
        [self, level],
      ],
    }),
  ],
  [
    `grants a group ${level}`,
    'POST',
    onOrganization,
    () => ({ subject: 'group:a', access: level }),
  ],
  [
    `grants itself ${level} on an endpoint`,
    'POST',
    onEndpoints,
    ({ self, endpoint }) => ({ subject: self, access_level: level, endpoint_id: endpoint }),
  ],
  [
    `grants another ${level} on an endpoint`,
    'POST',
    onEndpoints,
    ({ victim, endpoint }) => ({ subject: victim, access: level, entity: endpoint }),
  ],
]);

/** Ways to touch what an Admin or SuperAdmin has. */
const LOWERING: Attempt[] = [
  ...LEVELS.map(
    (level): Attempt => [
      `replaces it by ${level}`,
      'POST',
      onOrganization,
      ({ victim }) => ({ subject: victim, access: level }),
    ],
  ),
  [
    'denies it an endpoint',
    'POST',
    onEndpoints,
    ({ victim, endpoint }) => ({ subject: victim, access: 'None', entity: endpoint }),
  ],
  ['removes its level', 'DELETE', ({ victim }) => `${ON_ORGANIZATION}/${victim}`],
  ['removes all it has', 'DELETE', ({ victim }) => `/iam/rbac/subjects/${victim}`],
  ['removes all it has on endpoints', 'DELETE', ({ victim }) => `${ON_ENDPOINTS}/${victim}`],
  ['removes all rules of the organization', 'DELETE', () => '/iam/rbac/organizations'],
];

const named = (attempts: Attempt[]) => attempts.map((row) => [row[0], row] as const);

async function attempt([, method, path, body]: Attempt, victimsLevel: Level) {
  const gateway = await startGateway('Admin');
  const victim = await gateway.addUser(victimsLevel);
  const endpoint = await insertEndpoint(gateway);
  const names = { self: gateway.user.username, victim: victim.username, endpoint };
  const before = await gateway.call('GET', '/iam/rbac/organizations');
  const reply = await gateway.call(method, path(names), body?.(names));
  expect(await gateway.call('GET', '/iam/rbac/organizations')).toEqual(before);
  return reply;
}

describe('an Admin is refused, and nothing has changed, when they', () => {
  test.each(named(RAISING))('%s', async (_what, row) => {
    expect(await attempt(row, 'Read')).toEqual(REFUSED);
  });

  test.each(named(LOWERING))('%s: of a SuperAdmin', async (_what, row) => {
    expect(await attempt(row, 'SuperAdmin')).toEqual(REFUSED);
  });

  test.each(named(LOWERING))('%s: of another Admin', async (_what, row) => {
    expect(await attempt(row, 'Admin')).toEqual(REFUSED);
  });
});

describe('an Admin of one endpoint', () => {
  async function start() {
    const owner = await startGateway('SuperAdmin');
    const [mine, other] = [await insertEndpoint(owner), await insertEndpoint(owner)];
    const [admin, reader] = [await owner.addUser('Read'), await owner.addUser('Read')];
    const given = { subject: admin.username, access: 'Admin', entity: mine };
    expect((await owner.call('POST', ON_ENDPOINTS, given)).status).toBe(200);
    const token = await owner.token(admin);
    const call = (method: string, path: string, body?: Json) =>
      owner.call(method, path, body, token);
    return { owner, mine, other, admin, reader, call };
  }

  test('grants what is below Admin there, shows and removes it', async () => {
    const { mine, reader, call } = await start();
    const statuses = [];
    for (const access of ['Write', 'Read', 'None']) {
      const body = { subject: reader.username, access, entity: mine };
      statuses.push((await call('POST', ON_ENDPOINTS, body)).status);
    }
    statuses.push((await call('GET', `/iam/rbac/endpoints/${mine}`)).status);
    const path = `${ON_ENDPOINTS}/${reader.username}?endpoint_id=${mine}`;
    expect(await call('DELETE', path)).toEqual({
      status: 200,
      body: {
        message: `Permissions of ${reader.username} on endpoint ${mine} removed`,
        subject: reader.username,
        endpointId: mine,
      },
    });
    expect(statuses).toEqual([200, 200, 200, 200]);
  });

  test.each<
    [
      string,
      string,
      (n: { mine: string; other: string; reader: string; admin: string }) => [string, Json?],
    ]
  >([
    [
      'grants on another endpoint',
      'POST',
      (n) => [ON_ENDPOINTS, { subject: n.reader, access: 'Write', entity: n.other }],
    ],
    [
      'grants on the organization',
      'POST',
      (n) => [ON_ORGANIZATION, { subject: n.reader, access: 'Write' }],
    ],
    [
      'grants Admin there',
      'POST',
      (n) => [ON_ENDPOINTS, { subject: n.reader, access: 'Admin', entity: n.mine }],
    ],
    [
      'raises itself there',
      'POST',
      (n) => [ON_ENDPOINTS, { subject: n.admin, access: 'SuperAdmin', entity: n.mine }],
    ],
    ['shows the rules of another', 'GET', (n) => [`/iam/rbac/endpoints/${n.other}`]],
    [
      'removes rules of another',
      'DELETE',
      (n) => [`${ON_ENDPOINTS}/${n.reader}?endpoint_id=${n.other}`],
    ],
    ['removes rules of all', 'DELETE', (n) => [`${ON_ENDPOINTS}/${n.reader}`]],
    ['removes all rules there', 'DELETE', (n) => [`/iam/rbac/endpoints/${n.mine}`]],
    ["shows another's permissions", 'GET', (n) => [`/iam/rbac/subjects/${n.reader}`]],
  ])('is refused when it %s', async (_what, method, request) => {
    const { mine, other, admin, reader, call } = await start();
    const [path, body] = request({ mine, other, admin: admin.username, reader: reader.username });
    expect(await call(method, path, body)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
  });

  test('is not locked out by a denial on the organization from an Admin', async () => {
    const { owner, admin } = await start();
    const other = await owner.token(await owner.addUser('Admin'));
    const body = { subject: admin.username, access: 'None' };
    expect(await owner.call('POST', ON_ORGANIZATION, body, other)).toEqual(REFUSED);
  });
});

test('a denial on an endpoint does not keep an Admin of the organization from its rules', async () => {
  const owner = await startGateway('SuperAdmin');
  const endpoint = await insertEndpoint(owner);
  const admin = await owner.addUser('Admin');
  const token = await owner.token(admin);
  const { username: reader } = await owner.addUser('Read');
  await owner.call('POST', ON_ENDPOINTS, {
    subject: admin.username,
    access: 'None',
    entity: endpoint,
  });
  const statuses = [
    await owner.call('GET', `/endpoints/${endpoint}`, undefined, token),
    await owner.call(
      'POST',
      ON_ENDPOINTS,
      { subject: reader, access: 'Write', entity: endpoint },
      token,
    ),
    await owner.call(
      'POST',
      ON_ENDPOINTS,
      { subject: admin.username, access: 'Write', entity: endpoint },
      token,
    ),
  ].map(({ status }) => status);
  expect(statuses).toEqual([403, 200, 403]);
});
