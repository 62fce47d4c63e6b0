/** An organization with people of several levels, for tests of templates and workflows with their author's rights. */
import type { RunRequest } from '../../../../proto/gen/relay/v1/relay_pb.ts';
import type { Json, JsonObject } from '../../../../proto/json.ts';
import type { Level } from '../../../levels.ts';
import { insertEndpoint, startGateway, type TestUser } from '../../../test/gateway.ts';
import { bytes } from '../../../test/running.ts';

/** What the relay answers to every request. */
export const ROWS = { columns: [], rows: [], row_count: 0 };

/** Reads the endpoint `orders` with its author's rights. */
export const DOOR = {
  id: 'door',
  runAs: 'author',
  request: 'Read',
  template: { endpoint: 'orders', query: 'select * from orders where id = {{id: Number}}' },
};

/** Writes there. */
export const WRITING = {
  ...DOOR,
  request: 'Write',
  template: { endpoint: 'orders', query: 'insert into orders values ({{id: Number}})' },
};

/** Somebody of the organization. */
export interface Person extends TestUser {
  readonly token: string;
}

const NAMES = { endpoint: 'endpoint_id', template: 'template_id', workflow: 'workflow_id' };

/** A gateway with the endpoint `orders`, called by its owner unless a person is given. */
export async function startDoors(bindings: Readonly<Record<string, unknown>> = {}) {
  const seen: RunRequest[] = [];
  const relay = {
    status: () => ({}),
    run(request: RunRequest) {
      seen.push(request);
      return { result: bytes(JSON.stringify(ROWS)) };
    },
  };
  const gateway = await startGateway('SuperAdmin', { relay, bindings });
  gateway.clock.now = Date.now();
  await insertEndpoint(gateway, 'orders');
  const call = (method: string, path: string, body?: Json, by?: Person) =>
    gateway.call(method, path, body, by?.token);
  const demand = async (method: string, path: string, body?: Json, by?: Person) => {
    const reply = await call(method, path, body, by);
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
    return reply.body as JsonObject;
  };
  return {
    ...gateway,
    call,
    gateway,
    /** The same, which must succeed. */
    demand,
    /** Requests that reached the relay. */
    seen,
    person: async (level: Level | undefined): Promise<Person> => {
      const user = await gateway.addUser(level);
      return { ...user, token: await gateway.token(user) };
    },
    /** A rule on one resource. */
    grant: ({ username }: TestUser, level: Level, kind: keyof typeof NAMES, id: string) =>
      demand('POST', `/iam/rbac/${kind}s/subjects`, {
        access_level: level,
        subject: username,
        [NAMES[kind]]: id,
      }),
    /** The level on the organization. */
    setLevel: ({ username }: TestUser, level: Level) =>
      demand('POST', '/iam/rbac/organizations/subjects', {
        access_level: level,
        subject: username,
      }),
    run: (template: string, by?: Person, query = '') =>
      call('POST', `/templates/${template}${query}`, { id: 7 }, by),
  };
}

/** A transformation whose one rule nests another template. */
export function nesting(id: string, nested: string, more: JsonObject = {}): JsonObject {
  return {
    id,
    name: id,
    transformationRules: [{ target: 'inner', template: nested, input: '$' }],
    ...more,
  };
}

export type Doors = Awaited<ReturnType<typeof startDoors>>;
