/** The revision of an organization's rules: the ETag of all that holds them, and what is held to it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { ask, etagOf, STALE } from '../test/conditional.ts';
import { insertEndpoint, startGateway, type TestGateway, type TestUser } from '../test/gateway.ts';

const DOCUMENT = '/iam/rbac/organizations';
let gateway: TestGateway;
let endpoint: string;
let user: TestUser;

beforeEach(async () => {
  gateway = await startGateway('SuperAdmin');
  endpoint = await insertEndpoint(gateway);
  user = await gateway.addUser('Read');
  await grant('Write');
});

function grant(level: string) {
  const body = { entity: endpoint, subject: user.username, access: level };
  return gateway.call('POST', '/iam/rbac/endpoints/subjects', body);
}

/** Everything that holds rules. */
const paths = () => [
  DOCUMENT,
  `${DOCUMENT}/subjects/${user.uuid}`,
  `/iam/rbac/endpoints/${endpoint}`,
  `/iam/rbac/endpoints/subjects/${user.uuid}`,
  `/iam/rbac/subjects/${user.uuid}`,
  `/iam/rbac/subjects/${user.uuid}/endpoints`,
  `/iam/rbac/workflows/subjects/${user.uuid}`,
];

describe('the ETag of rules', () => {
  test('is one for all that tells them, and spares a GET what the client has', async () => {
    const etag = await etagOf(gateway, DOCUMENT);
    for (const path of paths()) {
      expect(await etagOf(gateway, path)).toBe(etag);
      const reply = await ask(gateway, 'GET', path, { ifNoneMatch: etag });
      expect(reply).toEqual({ status: 304, etag, body: undefined });
    }
  });

  test.each<[change: string, make: () => Promise<unknown>]>([
    ['a grant', () => grant('Admin')],
    [
      'a grant on the organization',
      () =>
        gateway.call('POST', `${DOCUMENT}/subjects`, { subject: user.username, access: 'Write' }),
    ],
    ['a removed rule', () => gateway.call('DELETE', `/iam/rbac/subjects/${user.uuid}`)],
    ['a removed document', () => gateway.call('DELETE', `/iam/rbac/endpoints/${endpoint}`)],
    ["the organization's removed document", () => gateway.call('DELETE', DOCUMENT)],
    ['a removed user', () => gateway.call('DELETE', `/iam/users/${user.uuid}`)],
    ['a removed endpoint', () => gateway.call('DELETE', `/endpoints/${endpoint}`)],
    [
      'a new user with a level',
      () =>
        gateway.call('POST', '/iam/users', {
          username: `new-${crypto.randomUUID()}`,
          password: 'staple battery horse',
          access_level: 'Read',
        }),
    ],
    [
      'a new name of a user',
      async () => {
        const body = { username: `renamed-${user.uuid}` };
        return gateway.call('PATCH', `/iam/users/${user.uuid}`, body, await gateway.token(user));
      },
    ],
  ])('is another after %s', async (_change, make) => {
    const before = await etagOf(gateway, DOCUMENT);
    expect(await make()).toMatchObject({ status: 200 });
    expect(await etagOf(gateway, DOCUMENT)).not.toBe(before);
  });

  test('stays where none of them changes, and in other organizations', async () => {
    const other = await startGateway('SuperAdmin');
    const before = [await etagOf(gateway, DOCUMENT), await etagOf(other, DOCUMENT)];
    await gateway.call('DELETE', `${DOCUMENT}/subjects/group:nobody`);
    expect(await etagOf(gateway, DOCUMENT)).toBe(before[0]);
    await grant('Admin');
    expect(await etagOf(other, DOCUMENT)).toBe(before[1]);
  });
});

describe('a removal of rules held to a revision', () => {
  const removable: readonly [what: string, path: () => string][] = [
    ["the organization's document", () => DOCUMENT],
    ['a level on the organization', () => `${DOCUMENT}/subjects/${user.uuid}`],
    ['a document', () => `/iam/rbac/endpoints/${endpoint}`],
    ['all levels on a kind', () => `/iam/rbac/endpoints/subjects/${user.uuid}`],
    [
      'a level on one resource',
      () => `/iam/rbac/endpoints/subjects/${user.uuid}?endpoint_id=${endpoint}`,
    ],
    ['all levels', () => `/iam/rbac/subjects/${user.uuid}`],
  ];

  test('removes nothing where it is another', async () => {
    const before = await ask(gateway, 'GET', `/iam/rbac/subjects/${user.uuid}`);
    for (const [, path] of removable) {
      expect(await ask(gateway, 'DELETE', path(), { ifMatch: '"0"' })).toEqual(STALE);
    }
    expect(await ask(gateway, 'GET', `/iam/rbac/subjects/${user.uuid}`)).toEqual(before);
  });

  test.each(removable)('removes %s where it is the one that is', async (_what, named) => {
    const path = named();
    const ifMatch = await etagOf(gateway, DOCUMENT);
    expect((await ask(gateway, 'DELETE', path, { ifMatch })).status).toBe(200);
    // What is gone is asked to go again, from what it was.
    expect(await ask(gateway, 'DELETE', path, { ifMatch })).toEqual(STALE);
  });

  test('comes after a grant that was not seen', async () => {
    const ifMatch = await etagOf(gateway, `/iam/rbac/endpoints/${endpoint}`);
    const removal = () => ask(gateway, 'DELETE', `/iam/rbac/endpoints/${endpoint}`, { ifMatch });
    await grant('Read');
    expect(await removal()).toEqual(STALE);
  });
});
