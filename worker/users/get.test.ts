/** Users as they are told, to whom, and what they did last. */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { givePassword, tryLogin } from '../test/accounts.ts';
import { failure, insertEndpoint, NOW, startGateway } from '../test/gateway.ts';
import { countTrips } from '../test/trips.ts';

const AT = new Date(NOW).toISOString();

/** What the harness makes of a user. */
const record = (user: { username: string; uuid: string }, accessLevel: string) => ({
  userId: user.username,
  uuid: user.uuid,
  description: '',
  accessLevel,
  status: 'invited',
  created: AT,
  createdBy: 'test',
  lastModified: AT,
  lastModifiedBy: 'test',
  lastActive: null,
});

/** A binding of its own: notes wait by binding, and those of other tests are not ours to settle. */
const ownNotes = () => ({ bindings: { DB: countTrips(env.DB).binding } });

describe('one user', () => {
  test('is told whole: logins, what they manage, what they did last', async () => {
    const gateway = await startGateway('SuperAdmin', ownNotes());
    const user = await gateway.addUser('Read');
    await givePassword(user);
    const [one, other] = [await insertEndpoint(gateway), await insertEndpoint(gateway)];
    await gateway.call('POST', '/iam/rbac/endpoints/subjects', {
      subject: user.username,
      access: 'Admin',
      entity: one,
    });
    gateway.clock.now += 1_000;
    await tryLogin(gateway, { user: user.username });
    gateway.clock.now += 1_000;
    const token = await gateway.token(user);
    await gateway.call('GET', `/endpoints/${other}`, undefined, token);
    gateway.clock.now += 1_000;
    await gateway.call('GET', '/endpoints', undefined, token);
    await gateway.call('DELETE', `/endpoints/${other}`, undefined, token);
    await gateway.settle();
    const times = [1, 2, 3].map((seconds) => new Date(NOW + seconds * 1000).toISOString());
    expect(await gateway.call('GET', `/iam/users/${user.username}`)).toEqual({
      status: 200,
      body: {
        ...record(user, 'Read'),
        status: 'active',
        lastActive: times[2],
        managedResources: { endpoints: 1, templates: 0, workflows: 0 },
        activity: {
          lastLogin: times[0],
          loginCount: 1,
          lastOperations: [
            { operation: 'endpoint.list', resource: 'organization', timestamp: times[2] },
            { operation: 'endpoint.get', resource: `endpoint:${other}`, timestamp: times[1] },
          ],
        },
      },
    });
  });

  test('keeps the ten newest operations over several writes', async () => {
    const gateway = await startGateway('Admin', ownNotes());
    const times: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      for (let call = 0; call < 7; call += 1) {
        gateway.clock.now += 1_000;
        times.unshift(new Date(gateway.clock.now).toISOString());
        await gateway.call('GET', '/endpoints');
      }
      await gateway.settle();
    }
    const { body } = await gateway.call('GET', `/iam/users/${gateway.user.uuid}`);
    expect(body).toMatchObject({
      lastActive: times[0],
      activity: {
        lastOperations: times.slice(0, 10).map((timestamp) => ({
          operation: 'endpoint.list',
          resource: 'organization',
          timestamp,
        })),
      },
    });
  });

  test.each([
    ['SuperAdmin', 2],
    ['Admin', 1],
    ['None', 0],
  ] as const)('who is %s, with a denial on one of two, manages %i', async (level, endpoints) => {
    const gateway = await startGateway('SuperAdmin');
    const user = await gateway.addUser(level);
    const [entity] = [await insertEndpoint(gateway), await insertEndpoint(gateway)];
    const body = { subject: user.username, access: 'None', entity };
    await gateway.call('POST', '/iam/rbac/endpoints/subjects', body);
    expect((await gateway.call('GET', `/iam/users/${user.uuid}`)).body).toMatchObject({
      managedResources: { endpoints, templates: 0, workflows: 0 },
    });
  });

  test('sees themselves without any rule; another needs Admin', async () => {
    const gateway = await startGateway(undefined);
    const { username } = gateway.user;
    const other = await gateway.addUser('Write');
    const token = await gateway.token(other);
    expect((await gateway.call('GET', `/iam/users/${username}`)).status).toBe(200);
    expect(await gateway.call('GET', `/iam/users/${username}`, undefined, token)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Admin access on the organization'),
    });
  });

  test.each(['GET', 'PATCH', 'DELETE'])(
    "%s finds nobody of another organization's",
    async (method) => {
      const [gateway, stranger] = [await startGateway('SuperAdmin'), await startGateway('Read')];
      for (const name of [stranger.user.username, stranger.user.uuid, "' or 1=1 --", 'group:ops']) {
        expect(await gateway.call(method, `/iam/users/${encodeURIComponent(name)}`)).toEqual({
          status: 404,
          body: failure('USER_NOT_FOUND', 'User not found in organization'),
        });
      }
    },
  );
});

describe('the list', () => {
  test('pages through all users by name, and only this organization’s', async () => {
    const gateway = await startGateway('Admin');
    const users = [gateway.user];
    for (let more = 0; more < 4; more += 1) users.push(await gateway.addUser('Read'));
    await startGateway('Read');
    const seen: unknown[] = [];
    let path = '/iam/users?limit=2';
    for (let page = 0; page < 3; page += 1) {
      const { body } = await gateway.call('GET', path);
      const { users: listed, next_cursor: cursor } = body as {
        users: object[];
        next_cursor?: string;
      };
      seen.push(...listed);
      path = `/iam/users?limit=2&cursor=${cursor}`;
      expect(cursor === undefined).toBe(page === 2);
    }
    const sorted = users.toSorted((a, b) => (a.username < b.username ? -1 : 1));
    expect(seen).toEqual(
      sorted.map((user) => record(user, user === gateway.user ? 'Admin' : 'Read')),
    );
  });

  test('is filtered by level, status, and how the name begins', async () => {
    const gateway = await startGateway('Admin');
    const [reader, nobody] = [await gateway.addUser('Read'), await gateway.addUser(undefined)];
    await givePassword(reader);
    const names = async (query: string) => {
      const { body } = await gateway.call('GET', `/iam/users?${query}`);
      return (body as { users: { userId: string }[] }).users.map(({ userId }) => userId);
    };
    expect([
      await names('level=Read'),
      await names('level=None'),
      await names('status=active'),
      await names(`q=${reader.username.slice(0, -3).toUpperCase()}`),
      await names('q=%25'),
      await names("q=' or 1=1 --"),
      await names('level=Write&status=active'),
    ]).toEqual([
      [reader.username],
      [nobody.username],
      [reader.username],
      [reader.username],
      [],
      [],
      [],
    ]);
  });

  test('takes no cursor of other filters, or a forged one', async () => {
    const gateway = await startGateway('Admin');
    await gateway.addUser('Admin');
    const { body } = await gateway.call('GET', '/iam/users?limit=1&level=Admin');
    const { next_cursor: cursor } = body as { next_cursor: string };
    const message = 'is not one of this list';
    for (const query of [`cursor=${cursor}`, `cursor=${cursor}x&level=Admin`, 'cursor=v1.a.b']) {
      expect(await gateway.call('GET', `/iam/users?${query}`)).toEqual({
        status: 400,
        body: failure('BAD_REQUEST', `cursor: ${message}`, [{ path: 'cursor', message }]),
      });
    }
  });
});
