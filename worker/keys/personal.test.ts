/** Personal keys: what they yield of what their owner has, and who changes them. Spec: keys-and-doors.md §1. */
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../proto/errors.ts';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';
import { makeKey, makeOwnKey } from '../test/keys.ts';

const refusal = (status: number, code: ErrorCode, message: unknown, details?: object[]) => ({
  status,
  body: failure(code, message, details as never),
});
const REVOKED = refusal(401, 'TOKEN_REVOKED', 'Token is no longer valid');
const subjectsOf = (name: string) => `/iam/rbac/subjects/${encodeURIComponent(name)}`;

describe('a personal key', () => {
  test('has the lower of its own level and its owner’s present one', async () => {
    const gateway = await startGateway('SuperAdmin');
    const [one, two] = [await insertEndpoint(gateway), await insertEndpoint(gateway)];
    const owner = await gateway.addUser('Write');
    const { key, id, name } = await makeOwnKey(
      gateway,
      { access_level: 'None', endpoints: { [one]: 'Read' } },
      owner,
    );
    const get = async (endpoint: string) =>
      (await gateway.call('GET', `/endpoints/${endpoint}`, undefined, key)).status;
    expect([await get(one), await get(two)]).toEqual([200, 403]);
    expect(await gateway.call('GET', '/endpoints', undefined, key)).toMatchObject({
      body: { data: { endpoints: [{ id: one }] } },
    });
    expect((await gateway.call('GET', `/iam/keys/${id}`)).body).toMatchObject({
      owner: owner.username,
      created_by: owner.username,
      access_level: 'None',
      endpoints: { [one]: 'Read' },
    });
    const lower = { subject: owner.username, access: 'None', entity: one };
    await gateway.call('POST', '/iam/rbac/endpoints/subjects', lower);
    expect(await get(one)).toBe(403);
    const subject = `key:${owner.username}/${name}`;
    const query = new URLSearchParams({ resource: `endpoint:${two}`, operation: 'get', subject });
    expect(await gateway.call('GET', `/iam/rbac/check?${query}`)).toEqual({
      status: 200,
      body: {
        allowed: false,
        level: 'None',
        needed: 'Read',
        rule: `key: None in ${subject}`,
        considered: [
          {
            rule: `organization: Write for ${owner.username}`,
            decides: false,
            why: "Without a rule on the resource the organization's level counts",
          },
          {
            rule: `key: None in ${subject}`,
            decides: true,
            why: "A personal key has the lower of its own level and its owner's",
          },
        ],
      },
    });
  });

  test('without a level of its own follows its owner', async () => {
    const gateway = await startGateway('SuperAdmin');
    const owner = await gateway.addUser('Read');
    const { key, id } = await makeOwnKey(gateway, {}, owner);
    const level = async () => (await gateway.call('GET', `/iam/keys/${id}`)).body;
    expect(await level()).toMatchObject({ access_level: 'Read' });
    expect((await gateway.call('GET', '/iam/users', undefined, key)).status).toBe(403);
    const given = { subject: owner.username, access: 'Admin' };
    await gateway.call('POST', '/iam/rbac/organizations/subjects', given);
    expect(await level()).toMatchObject({ access_level: 'Admin' });
    expect((await gateway.call('GET', '/iam/users', undefined, key)).status).toBe(200);
  });

  test('ends with its owner’s membership, and does not come back with it', async () => {
    const gateway = await startGateway('SuperAdmin');
    const owner = await gateway.addUser('Read');
    const { key, id } = await makeOwnKey(gateway, {}, owner);
    expect((await gateway.call('GET', '/endpoints', undefined, key)).status).toBe(200);
    await gateway.call('DELETE', `/iam/users/${owner.username}`);
    expect(await gateway.call('GET', '/endpoints', undefined, key)).toEqual(REVOKED);
    await gateway.call('POST', '/iam/users', ['Read', owner.username]);
    expect(await gateway.call('GET', '/endpoints', undefined, key)).toEqual(REVOKED);
    expect((await gateway.call('GET', `/iam/keys/${id}`)).status).toBe(404);
  });

  test('is no subject of rules', async () => {
    const gateway = await startGateway('SuperAdmin');
    const { name } = await makeOwnKey(gateway);
    const subject = `key:${gateway.user.username}/${name}`;
    const grant = { subject, access: 'Read' };
    const replies = [
      await gateway.call('POST', '/iam/rbac/organizations/subjects', grant),
      await gateway.call('DELETE', subjectsOf(subject)),
      await gateway.call('GET', subjectsOf(subject)),
    ];
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400]);
  });

  test('is changed and rotated by its owner alone; an Admin sees and deletes it', async () => {
    const gateway = await startGateway('SuperAdmin');
    const owner = await gateway.addUser('Read');
    const { id, name } = await makeOwnKey(gateway, {}, owner);
    const token = await gateway.token(owner);
    const path = `/iam/keys/${id}`;
    const refused = refusal(
      403,
      'FORBIDDEN',
      `Only ${owner.username} changes this key: an Admin may delete it`,
      [{ rule: 'a personal key is changed and rotated by its owner' }],
    );
    expect(await gateway.call('PATCH', path, { access_level: 'Read' })).toEqual(refused);
    expect(await gateway.call('POST', `${path}/rotate`)).toEqual(refused);
    expect((await gateway.call('PATCH', path, { access_level: 'Read' }, token)).status).toBe(200);
    expect((await gateway.call('POST', `${path}/rotate`, {}, token)).status).toBe(200);
    expect((await gateway.call('GET', path)).body).toMatchObject({ name, owner: owner.username });
    expect((await gateway.call('DELETE', path)).status).toBe(200);
  });

  test('of another is not to be seen below Admin, nor is a key of the organization', async () => {
    const gateway = await startGateway('Admin');
    const [one, other] = [await gateway.addUser('Write'), await gateway.addUser('Write')];
    const own = await makeOwnKey(gateway, {}, one);
    const token = await gateway.token(other);
    for (const { id } of [own, await makeKey(gateway)]) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? {} : undefined;
        const reply = await gateway.call(method, `/iam/keys/${id}`, body, token);
        expect(reply).toEqual(
          refusal(403, 'FORBIDDEN', 'This operation needs Admin access on the organization'),
        );
      }
    }
    const listed = async (bearer: string) =>
      (await gateway.call('GET', '/iam/keys', undefined, bearer)).body as { keys: object[] };
    expect(await listed(token)).toEqual({ keys: [] });
    expect((await listed(await gateway.token(one))).keys).toHaveLength(1);
    expect((await listed(await gateway.token())).keys).toHaveLength(2);
  });

  test('sees itself in the list, and may end itself', async () => {
    const gateway = await startGateway('Read');
    const { key, id } = await makeOwnKey(gateway);
    await makeOwnKey(gateway);
    const { body } = await gateway.call('GET', '/iam/keys', undefined, key);
    expect((body as { keys: object[] }).keys).toMatchObject([{ id }]);
    expect((await gateway.call('DELETE', `/iam/keys/${id}`, undefined, key)).status).toBe(200);
    expect(await gateway.call('GET', '/help', undefined, key)).toEqual(REVOKED);
  });
});
