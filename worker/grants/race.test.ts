/** Changes that others overtake between the look and the write: the statement itself refuses. */
import { env } from 'cloudflare:test';
import { and, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { endpoints, memberships, rules } from '../db/schema.ts';
import { failure, insertEndpoint, startGateway, type TestUser } from '../test/gateway.ts';

const db = drizzle(env.DB);

/** A database where `overtake` runs just before the first batch that writes. */
function overtaken(overtake: () => Promise<unknown>) {
  let isDone = false;
  const binding = new Proxy(env.DB, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member);
      if (member !== 'batch') return typeof value === 'function' ? value.bind(target) : value;
      return async (statements: D1PreparedStatement[]) => {
        const writes = JSON.stringify(statements).match(/"statement":"(?:insert|delete)/);
        if (writes && !isDone) {
          isDone = true;
          await overtake();
        }
        return target.batch(statements);
      };
    },
  });
  return { binding, wasDone: () => isDone };
}

type Request = (n: { user: string; endpoint: string }) => readonly [string, string, Json?];
type Overtaking = (org: string, user: TestUser, endpoint: string) => Promise<unknown>;

const promote: Overtaking = (org, { uuid }) =>
  db
    .update(rules)
    .set({ level: 'Admin' })
    .where(and(eq(rules.orgUuid, org), eq(rules.subject, uuid)));
const remove: Overtaking = async (org, { uuid }) => {
  await db
    .delete(memberships)
    .where(and(eq(memberships.orgUuid, org), eq(memberships.accountUuid, uuid)));
  await db.delete(rules).where(and(eq(rules.orgUuid, org), eq(rules.subject, uuid)));
};
const deleteEndpoint: Overtaking = (_org, _user, id) =>
  db.delete(endpoints).where(eq(endpoints.id, id));

const grant: Request = ({ user }) => [
  'POST',
  '/iam/rbac/organizations/subjects',
  { subject: user, access: 'Read' },
];
const grantOnEndpoint: Request = ({ user, endpoint }) => [
  'POST',
  '/iam/rbac/endpoints/subjects',
  { subject: user, access: 'Write', entity: endpoint },
];
const revoke: Request = ({ user }) => ['DELETE', `/iam/rbac/organizations/subjects/${user}`];
const removeUser: Request = ({ user }) => ['DELETE', `/iam/users/${user}`];

const FORBIDDEN = failure(
  'FORBIDDEN',
  expect.stringMatching(
    /^This operation needs SuperAdmin access on (?:the organization|endpoint endpoint-[\w-]+)$/,
  ),
);
const NO_USER = failure('USER_NOT_FOUND', 'User not found in organization');

describe('an Admin who is overtaken', () => {
  test.each<[string, Overtaking, Request, number, object | undefined]>([
    ['lowers nobody who has become Admin', promote, grant, 403, FORBIDDEN],
    ['grants nobody who has become Admin an endpoint', promote, grantOnEndpoint, 403, FORBIDDEN],
    ['takes nothing from who has become Admin', promote, revoke, 403, FORBIDDEN],
    ['removes nobody who has become Admin', promote, removeUser, 403, FORBIDDEN],
    ['leaves no rule to who is gone', remove, grant, 404, NO_USER],
    ['leaves no rule on an endpoint to who is gone', remove, grantOnEndpoint, 404, NO_USER],
    ['does not remove twice', remove, removeUser, 404, NO_USER],
    ['leaves no rule on what is gone', deleteEndpoint, grantOnEndpoint, 404, undefined],
  ])('%s', async (_what, overtake, request, status, body) => {
    let act = async (): Promise<unknown> => undefined;
    const database = overtaken(() => act());
    const gateway = await startGateway('Admin', { bindings: { DB: database.binding } });
    const user = await gateway.addUser('Write');
    const endpoint = await insertEndpoint(gateway);
    const org = gateway.organization.uuid;
    const rulesOfUser = () =>
      db
        .select()
        .from(rules)
        .where(and(eq(rules.orgUuid, org), eq(rules.subject, user.uuid)));
    let after: unknown[] = [];
    act = async () => {
      await overtake(org, user, endpoint);
      after = await rulesOfUser();
    };
    const [method, path, sent] = request({ user: user.username, endpoint });
    const reply = await gateway.call(method, path, sent);
    const missing = failure('ENDPOINT_NOT_FOUND', `Endpoint ${endpoint} does not exist`);
    expect(database.wasDone()).toBe(true);
    expect(reply).toEqual({ status, body: body ?? missing });
    expect(await rulesOfUser()).toEqual(after);
  });
});
